/// A JSON value. Members keep their order and numbers their spelling.
indirect enum JSONValue: Hashable {
  case null
  case truth(Bool)
  case number(String)
  case text(String)
  case list([JSONValue])
  case object([Member])

  struct Member: Hashable {
    let name: String
    let value: JSONValue
  }

  /// The kind of value, for error messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .truth: "a boolean"
    case .number: "a number"
    case .text: "a string"
    case .list: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  static func number(_ number: Int) -> JSONValue { .number("\(number)") }

  static func texts(_ texts: [String]) -> JSONValue { .list(texts.map { .text($0) }) }

  static func textTable(_ table: [String: String]) -> JSONValue {
    .object(
      table.sorted { $0.key.isBefore($1.key) }.map { Member(name: $0.key, value: .text($0.value)) })
  }
}

/// Builds an object member by member, in their final order.
struct JSONObject {
  private(set) var members: [JSONValue.Member] = []

  var value: JSONValue { .object(members) }

  /// Adds a member; does nothing for nil.
  mutating func add(_ name: String, _ value: JSONValue?) {
    if let value { members.append(JSONValue.Member(name: name, value: value)) }
  }

  /// Adds a string; does nothing for nil.
  mutating func add(_ name: String, _ text: String?) {
    add(name, text.map { .text($0) })
  }

  /// Adds a boolean unless it is the default; does nothing for nil.
  mutating func add(_ name: String, _ truth: Bool?, unless usual: Bool? = nil) {
    if truth != usual { add(name, truth.map { .truth($0) }) }
  }

  /// Adds a number unless it is the default.
  mutating func add(_ name: String, _ number: Int, unless usual: Int) {
    if number != usual { add(name, .number(number)) }
  }

  /// Adds an array unless it is empty.
  mutating func add(_ name: String, unlessEmpty list: [JSONValue]) {
    if !list.isEmpty { add(name, .list(list)) }
  }
}
