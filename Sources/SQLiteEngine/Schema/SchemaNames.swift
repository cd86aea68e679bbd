import StoreEngine

/// The names of tables and indexes, or of triggers. SQLite ignores the case of ASCII letters in names.
struct SchemaNames {
  private var names: Set<String>

  init(_ names: [String] = []) { self.names = Set(names.map(\.asciiUppercased)) }

  /// Inserts a name, and returns whether it was unused.
  mutating func insert(_ name: String) -> Bool { names.insert(name.asciiUppercased).inserted }

  /// Inserts a name and returns it. If the name is used, a number is appended.
  mutating func unused(_ base: String) -> String {
    var name = base
    var number = 1
    while !insert(name) {
      number += 1
      name = "\(base)_\(number)"
    }
    return name
  }
}
