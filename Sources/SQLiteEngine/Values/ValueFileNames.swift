/// A set of names of files of values, from rows or from a folder.
///
/// The names are UUIDs, and compared without regard to case: the file systems of Apple's machines ignore case, so a row
/// that was written there may spell a name differently from the folder.
struct ValueFileNames {
  /// The names as they were inserted, by their key.
  private var names: [String: String] = [:]

  var isEmpty: Bool { names.isEmpty }

  /// The names as they were inserted first, in byte order.
  var sorted: [String] { names.values.sorted() }

  func contains(_ name: String) -> Bool { names[Self.key(name)] != nil }

  /// Inserts a name.
  ///
  /// - Returns: whether the set did not contain it.
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

  /// Returns a name that all spellings of a name share: the one in upper case.
  static func key(_ name: String) -> String { name.uppercased() }
}
