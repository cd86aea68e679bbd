/// Replaces path methods of strings, because Foundation's own methods stop the program for some strings.
enum PathText {
  /// Removes the last component of a path and the slashes around it. The result is `/` for a component of
  /// the root and for the root itself, and empty for a string without slashes before its end.
  static func deletingLastComponent(of path: String) -> String {
    let component = withoutLastSlashes(path)
    if component.isEmpty { return path.isEmpty ? "" : "/" }
    guard let slash = component.lastIndex(of: "/") else { return "" }
    let folder = withoutLastSlashes(String(component[...slash]))
    return folder.isEmpty ? "/" : String(String.UnicodeScalarView(folder))
  }

  /// Appends a period and an extension to a path; nil for the root, for an empty path, and for an
  /// extension that begins with a slash.
  static func appending(extension name: String, to path: String) -> String? {
    let component = withoutLastSlashes(path)
    guard !component.isEmpty, name.unicodeScalars.first != "/" else { return nil }
    return String(String.UnicodeScalarView(component)) + "." + name
  }

  /// Works on scalars, because a slash before a combining mark is a slash too.
  private static func withoutLastSlashes(_ path: String) -> Substring.UnicodeScalarView {
    var scalars = path.unicodeScalars[...]
    while scalars.last == "/" { scalars.removeLast() }
    return scalars
  }
}
