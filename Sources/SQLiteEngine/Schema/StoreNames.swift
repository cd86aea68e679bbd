extension StringProtocol {
  /// Whether the first byte is a Z, as in the names of all tables, columns and indexes that Core Data makes for a
  /// model.
  ///
  /// SQLite compares bytes. In Swift, a Z and a combining accent are one character, which `hasPrefix("Z")` does not
  /// find.
  var beginsWithZ: Bool { utf8.first == UInt8(ascii: "Z") }
}
