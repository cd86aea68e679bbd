/// A set of names of value files, from rows or from a folder.
///
/// The names are UUIDs, and are compared without case: Apple's file systems ignore case, so a row that was written on
/// one of them may spell a name differently from the folder.
struct ValueFileNames {
  /// The inserted names by key.
  private var names: [String: String] = [:]
  /// Whether all names count as members.
  private var hasAll = false

  var isEmpty: Bool { names.isEmpty }

  /// The names in the spelling that was inserted first, in byte order.
  var sorted: [String] { names.values.sorted() }

  func contains(_ name: String) -> Bool { hasAll || names[Self.key(name)] != nil }

  /// Inserts a name.
  ///
  /// - Returns: Whether the name is new to the set.
  @discardableResult
  mutating func insert(_ name: String) -> Bool {
    let key = Self.key(name)
    if names[key] != nil { return false }
    names[key] = name
    return true
  }

  /// Makes the set contain every name, because some references to files could not be read.
  mutating func insertAll() { hasAll = true }

  func subtracting(_ others: ValueFileNames) -> ValueFileNames {
    var rest = ValueFileNames()
    rest.names = names.filter { !others.contains($0.key) }
    return rest
  }

  /// Returns the common key of all spellings of a name, which is uppercase.
  static func key(_ name: String) -> String { name.uppercased() }
}
