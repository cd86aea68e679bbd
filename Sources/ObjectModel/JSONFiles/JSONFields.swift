/// Reads the members of a JSON object and tracks the path to it. Members that no code reads are an error.
struct JSONFields {
  let url: URL?
  let path: String
  private var members: [String: JSONValue]

  init(_ value: JSONValue, path: String, url: URL?) throws {
    self.path = path
    self.url = url
    guard case .object(let list) = value else {
      throw ModelFileError.malformed(
        url, "\(path.isEmpty ? "the root" : path): it is \(value.kind), not an object.")
    }
    // `JSONReader` has already rejected repeated names.
    members = Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// Returns an error about a member.
  func failure(_ name: String, _ reason: String) -> NSError {
    ModelFileError.malformed(url, "\(path(of: name)): \(reason)")
  }

  func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  private func wrong(_ name: String, _ value: JSONValue, _ wanted: String) -> NSError {
    failure(name, "it is \(value.kind), not \(wanted).")
  }

  /// Throws if there are members that were not read.
  func finish() throws {
    // Report the first key in byte order, because a dictionary's own order differs in each process.
    guard let name = members.keys.min(by: { $0.isBefore($1) }) else { return }
    throw failure(name, "the key is unknown.")
  }

  /// Removes and returns a member. Returns nil if it does not exist.
  mutating func value(_ name: String) -> JSONValue? {
    members.removeValue(forKey: name)
  }

  mutating func text(_ name: String) throws -> String? {
    guard let value = value(name) else { return nil }
    guard case .text(let text) = value else { throw wrong(name, value, "a string") }
    return text
  }

  mutating func requiredText(_ name: String) throws -> String {
    guard let text = try text(name) else { throw failure(name, "the key is missing.") }
    return text
  }

  mutating func truth(_ name: String) throws -> Bool? {
    guard let value = value(name) else { return nil }
    guard case .truth(let truth) = value else { throw wrong(name, value, "true or false") }
    return truth
  }

  mutating func integer(_ name: String) throws -> Int? {
    guard let value = value(name) else { return nil }
    guard case .number(let text) = value, let number = Int(text) else {
      throw wrong(name, value, "an integer in range")
    }
    return number
  }

  mutating func real(_ name: String) throws -> Double? {
    guard let value = value(name) else { return nil }
    guard case .number(let text) = value, let number = Double(text), number.isFinite else {
      throw wrong(name, value, "a number in range")
    }
    return number
  }

  mutating func list(_ name: String) throws -> [JSONValue] {
    guard let value = value(name) else { return [] }
    guard case .list(let values) = value else { throw wrong(name, value, "an array") }
    return values
  }

  /// Returns the objects in an array, each with its path.
  mutating func objects(_ name: String) throws -> [JSONFields] {
    try list(name).enumerated().map { place, value in
      try JSONFields(value, path: "\(path(of: name))[\(place)]", url: url)
    }
  }

  /// Reads the objects in an array. Throws if `read` leaves members of an object unread.
  mutating func objects<Element>(
    _ name: String, _ read: (inout JSONFields) throws -> Element
  ) throws -> [Element] {
    try objects(name).map { try $0.whole(read) }
  }

  mutating func object(_ name: String) throws -> JSONFields? {
    try value(name).map { try JSONFields($0, path: path(of: name), url: url) }
  }

  /// Reads an object. Returns nil if it does not exist, and throws if `read` leaves members of the
  /// object unread.
  mutating func object<Element>(
    _ name: String, _ read: (inout JSONFields) throws -> Element
  ) throws -> Element? {
    try object(name).map { try $0.whole(read) }
  }

  private func whole<Element>(_ read: (inout JSONFields) throws -> Element) throws -> Element {
    var fields = self
    let element = try read(&fields)
    // A misspelled key would otherwise be ignored, and its setting lost.
    try fields.finish()
    return element
  }

  mutating func texts(_ name: String) throws -> [String]? {
    guard members[name] != nil else { return nil }
    return try texts(name, try list(name))
  }

  mutating func textGroups(_ name: String) throws -> [[String]] {
    try list(name).map { group in
      guard case .list(let values) = group else { throw wrong(name, group, "an array of arrays") }
      return try texts(name, values)
    }
  }

  private func texts(_ name: String, _ values: [JSONValue]) throws -> [String] {
    try values.map { value in
      guard case .text(let text) = value else { throw wrong(name, value, "an array of strings") }
      return text
    }
  }

  /// Reads an object with string values. Returns nil if it does not exist.
  mutating func textTable(_ name: String) throws -> [String: String]? {
    guard var fields = try object(name) else { return nil }
    var result: [String: String] = [:]
    for key in fields.members.keys { result[key] = try fields.text(key) }
    return result
  }

  /// Reads data in base64. Returns nil if it does not exist.
  mutating func data(_ name: String) throws -> Data? {
    guard let text = try text(name) else { return nil }
    guard let data = Data(base64Encoded: text) else { throw failure(name, "it is not base64.") }
    return data
  }
}
