/// What Foundation's methods of texts that are paths give, where Foundation here ends the program for some texts.
enum PathText {
  /// A path without its last component and the slashes before and behind that: `/` for a component of
  /// the root and for the root itself, empty for a text without slashes before its end.
  static func deletingLastComponent(of path: String) -> String {
    let component = withoutLastSlashes(path)
    if component.isEmpty { return path.isEmpty ? "" : "/" }
    guard let slash = component.lastIndex(of: "/") else { return "" }
    let folder = withoutLastSlashes(String(component[...slash]))
    return folder.isEmpty ? "/" : String(String.UnicodeScalarView(folder))
  }

  /// A path with a point and an extension at its end; nil for the root, for no path, and for an extension
  /// that begins with a slash.
  static func appending(extension name: String, to path: String) -> String? {
    let component = withoutLastSlashes(path)
    guard !component.isEmpty, name.unicodeScalars.first != "/" else { return nil }
    return String(String.UnicodeScalarView(component)) + "." + name
  }

  /// By scalars: a slash before a combining mark is a slash too.
  private static func withoutLastSlashes(_ path: String) -> Substring.UnicodeScalarView {
    var scalars = path.unicodeScalars[...]
    while scalars.last == "/" { scalars.removeLast() }
    return scalars
  }
}
