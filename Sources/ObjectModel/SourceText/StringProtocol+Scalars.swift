extension StringProtocol {
  /// The text with another one in place of each of a scalar.
  ///
  /// The standard library's `replacing` and Foundation's `replacingOccurrences` look for whole characters, and a
  /// quotation mark before a combining mark is another character. Readers of SQL, CSV, XML and other quoted texts look at
  /// scalars: to them such a mark ends the text.
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
