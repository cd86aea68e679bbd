/// Replaces path methods of strings, because Foundation's own methods stop the program for some strings.
enum PathText {
  /// Removes the last component of a path and the slashes around it. The result for `/a` and for `/` is `/`. The result
  /// for a path that consists of one component, such as `a` or `a/`, is empty.
  static func deletingLastComponent(of path: String) -> String {
    let component = withoutLastSlashes(path)
    if component.isEmpty { return path.isEmpty ? "" : "/" }
    guard let slash = component.lastIndex(of: "/") else { return "" }
    let folder = withoutLastSlashes(String(component[...slash]))
    return folder.isEmpty ? "/" : String(String.UnicodeScalarView(folder))
  }

  /// Returns a path with a period and an extension appended; nil for the root, for an empty path, and for an extension
  /// that begins with a slash.
  static func appending(extension name: String, to path: String) -> String? {
    let component = withoutLastSlashes(path)
    guard !component.isEmpty, name.unicodeScalars.first != "/" else { return nil }
    return String(String.UnicodeScalarView(component)) + "." + name
  }

  /// Removes all slashes at the end. Works on scalars, because Swift treats a slash and a combining mark after it as
  /// one character.
  private static func withoutLastSlashes(_ path: String) -> Substring.UnicodeScalarView {
    var scalars = path.unicodeScalars[...]
    while scalars.last == "/" { scalars.removeLast() }
    return scalars
  }
}
