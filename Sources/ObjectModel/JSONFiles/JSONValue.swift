/// A value of a JSON text. Members keep their order and numbers their spelling.
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

  /// What kind of value this is, for errors.
  var kind: String {
    switch self {
    case .null: "null"
    case .truth: "a truth value"
    case .number: "a number"
    case .text: "a text"
    case .list: "a list"
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

/// Puts an object together, member by member, in the order in which they are to stand.
struct JSONObject {
  private(set) var members: [JSONValue.Member] = []

  var value: JSONValue { .object(members) }

  /// Adds a member; does nothing for nil.
  mutating func add(_ name: String, _ value: JSONValue?) {
    if let value { members.append(JSONValue.Member(name: name, value: value)) }
  }

  /// Adds a text; does nothing for nil.
  mutating func add(_ name: String, _ text: String?) {
    add(name, text.map { .text($0) })
  }

  /// Adds a truth that is not the usual one; does nothing for nil.
  mutating func add(_ name: String, _ truth: Bool?, unless usual: Bool? = nil) {
    if truth != usual { add(name, truth.map { .truth($0) }) }
  }

  /// Adds a number that is not the usual one.
  mutating func add(_ name: String, _ number: Int, unless usual: Int) {
    if number != usual { add(name, .number(number)) }
  }

  /// Adds a list that is not empty.
  mutating func add(_ name: String, unlessEmpty list: [JSONValue]) {
    if !list.isEmpty { add(name, .list(list)) }
  }
}
