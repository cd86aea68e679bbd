extension String {
  /// The first Unicode scalars. A character may have any number of them, so that characters bound nothing.
  func cut(to count: Int) -> String {
    // No text has more scalars than bytes.
    utf8.count <= count ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
  }

  /// The same with an ellipsis where something was left out.
  func shortened(to count: Int) -> String {
    let shown = cut(to: count)
    return shown.utf8.count < utf8.count ? shown + "…" : self
  }
}
