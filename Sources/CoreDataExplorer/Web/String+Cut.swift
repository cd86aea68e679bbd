extension String {
  /// Returns the first Unicode scalars. Counts scalars instead of characters, because one character can consist of any
  /// number of scalars.
  func cut(to count: Int) -> String {
    // Text has no more scalars than bytes.
    utf8.count <= count ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
  }

  /// Returns the first Unicode scalars, with an ellipsis if something was cut off.
  func shortened(to count: Int) -> String {
    let shown = cut(to: count)
    return shown.utf8.count < utf8.count ? shown + "…" : self
  }
}
