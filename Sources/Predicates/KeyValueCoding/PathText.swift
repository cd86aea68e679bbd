/// Replaces path methods of strings, because Foundation's own methods stop the program for some strings, such as
/// `///a//`.
enum PathText {
  /// Returns the last component of a path, without the slashes around it. The result for a path of slashes is `/`.
  static func lastComponent(of path: String) -> String {
    let component = lastComponent(withoutLastSlashes(path))
    return component.isEmpty && !path.isEmpty ? "/" : String(component)
  }

  /// Returns the extension of a path's last component, without its period; an empty string if it has none.
  static func pathExtension(of path: String) -> String {
    let path = withoutLastSlashes(path)
    guard let period = extensionPeriod(path) else { return "" }
    return String(path[path.index(after: period)...])
  }

  /// Removes the extension of a path's last component, its period and the slashes at the end. The result for a path of
  /// slashes is `/`.
  static func deletingExtension(of path: String) -> String {
    let component = withoutLastSlashes(path)
    if component.isEmpty { return path.isEmpty ? "" : "/" }
    guard let period = extensionPeriod(component) else { return String(component) }
    return String(component[..<period])
  }

  /// Removes the last component of a path and the slashes around it. The result for `/a` and for `/` is `/`. The result
  /// for a path that consists of one component, such as `a` or `a/`, is empty.
  static func deletingLastComponent(of path: String) -> String {
    let component = withoutLastSlashes(path)
    if component.isEmpty { return path.isEmpty ? "" : "/" }
    guard let slash = component.lastIndex(of: "/") else { return "" }
    let folder = withoutLastSlashes(String(component[...slash]))
    return folder.isEmpty ? "/" : String(folder)
  }

  /// Returns a path with a period and an extension appended; nil for the root, for an empty path, and for an extension
  /// that begins with a slash.
  static func appending(extension name: String, to path: String) -> String? {
    let component = withoutLastSlashes(path)
    guard !component.isEmpty, name.unicodeScalars.first != "/" else { return nil }
    return String(component) + "." + name
  }

  /// Returns the part after the last slash.
  private static func lastComponent(
    _ path: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return path[path.index(after: slash)...]
  }

  /// Returns the position of the period before the extension; nil if there is no extension. A name such as `.tiff`,
  /// `.` or `..` has none.
  private static func extensionPeriod(_ path: Substring.UnicodeScalarView) -> String.Index? {
    let component = lastComponent(path)
    guard let period = component.lastIndex(of: "."), period != component.startIndex,
      !component.elementsEqual("..".unicodeScalars)
    else { return nil }
    return period
  }

  /// Removes all slashes at the end. Works on scalars, because Swift treats a slash and a combining mark after it as
  /// one character.
  private static func withoutLastSlashes(_ path: String) -> Substring.UnicodeScalarView {
    var scalars = path.unicodeScalars[...]
    while scalars.last == "/" { scalars.removeLast() }
    return scalars
  }
}
