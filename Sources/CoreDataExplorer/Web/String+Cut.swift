extension String {
  /// The first Unicode scalars. A character may have any number of them, so that characters bound nothing.
  func cut(to count: Int) -> String {
    // No text has more scalars than bytes.
    utf8.count <= count ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
  }
}
