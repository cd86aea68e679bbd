import Foundation

/// A set of names of files of values, as rows have them or as a folder has them.
///
/// The names are UUIDs, and compared as such: the file systems of Apple's machines do not distinguish small letters from
/// capitals, so a store that was written there may name a file in other letters than its folder has.
struct ValueFileNames {
  /// The names as they were given, by themselves in capitals.
  private var names: [String: String] = [:]

  init() {}

  init(_ names: some Sequence<String>) {
    for name in names { insert(name) }
  }

  var isEmpty: Bool { names.isEmpty }

  /// The names as they were given first, in byte order.
  var sorted: [String] { names.values.sorted() }

  func contains(_ name: String) -> Bool { names[Self.key(name)] != nil }

  /// - Returns: whether the name was not there.
  @discardableResult
  mutating func insert(_ name: String) -> Bool {
    let key = Self.key(name)
    if names[key] != nil { return false }
    names[key] = name
    return true
  }

  func subtracting(_ others: ValueFileNames) -> ValueFileNames {
    var rest = self
    rest.names = names.filter { others.names[$0.key] == nil }
    return rest
  }

  /// What is the same for all spellings of a name.
  static func key(_ name: String) -> String { name.uppercased() }
}
