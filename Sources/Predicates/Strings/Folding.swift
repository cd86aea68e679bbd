/// The folding that the options of a comparison apply to a string before it is compared.
struct Folding: Sendable, Hashable {
  private let options: NSComparisonPredicate.Options

  init(_ options: NSComparisonPredicate.Options) {
    // Apple documents that `normalized` supersedes ignoring case and diacritics.
    self.options = options.contains(.normalized) ? [] : options
  }

  /// Whether case is ignored.
  var ignoresCase: Bool { options.contains(.caseInsensitive) }

  /// Whether diacritics are ignored.
  var ignoresDiacritics: Bool { options.contains(.diacriticInsensitive) }

  private var isIdentity: Bool { !ignoresCase && !ignoresDiacritics }

  /// Returns the folded string.
  func fold(_ text: String) -> String {
    if isIdentity { return text }
    // ASCII has no diacritics.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return ignoresCase ? text.lowercased() : text }
    return foldWithFoundation(text)
  }

  /// Returns the folded string in UTF-8.
  func bytes(of text: String) -> [UInt8] { withBytes(of: text) { Array($0) } }

  /// Calls a closure with the folded string in UTF-8.
  func withBytes<Result>(
    of text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    var text = text
    if isIdentity { return try text.withUTF8(body) }
    let lowered: [UInt8]? = text.withUTF8 { bytes in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      return ignoresCase
        ? bytes.map { 65...90 ~= $0 ? $0 | 0x20 : $0 } : Array(bytes)
    }
    if let lowered { return try lowered.withUnsafeBufferPointer(body) }
    var folded = foldWithFoundation(text)
    return try folded.withUTF8(body)
  }

  private func foldWithFoundation(_ text: String) -> String {
    var compareOptions: String.CompareOptions = []
    if ignoresCase { compareOptions.insert(.caseInsensitive) }
    if ignoresDiacritics { compareOptions.insert(.diacriticInsensitive) }
    let locale = options.contains(.localeSensitive) ? Locale.current : nil
    return text.folding(options: compareOptions, locale: locale)
  }
}
