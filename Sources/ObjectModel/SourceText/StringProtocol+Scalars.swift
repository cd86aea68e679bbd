extension StringProtocol {
  /// Returns the text with each occurrence of a scalar replaced.
  ///
  /// The standard library's `replacing` and Foundation's `replacingOccurrences` compare characters, so they do not find
  /// a quotation mark that a combining mark follows. Parsers of SQL, CSV, XML and other quoted texts compare scalars:
  /// for them, that quotation mark ends the text.
  package func replacing(scalar: Unicode.Scalar, with replacement: String) -> String {
    guard unicodeScalars.contains(scalar) else { return String(self) }
    var result = String.UnicodeScalarView()
    for next in unicodeScalars {
      if next == scalar {
        result.append(contentsOf: replacement.unicodeScalars)
      } else {
        result.append(next)
      }
    }
    return String(result)
  }
}
