extension String {
  /// The text with a to z in uppercase, as the predicate language and SQLite compare words. Letters beyond ASCII are
  /// unchanged, although `uppercased()` returns I for the dotless ı, and S for the long ſ.
  package var asciiUppercased: String {
    if hasNoASCIILowercase { return self }
    // The standard library has a fast path for ASCII.
    if utf8.allSatisfy({ $0 < 0x80 }) { return uppercased() }
    return String(decoding: utf8.map { 97...122 ~= $0 ? $0 - 32 : $0 }, as: UTF8.self)
  }

  package var hasNoASCIILowercase: Bool { !utf8.contains { 97...122 ~= $0 } }
}
