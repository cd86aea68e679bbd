/// How much of a value is read.
package enum ValueExtent: Sendable {
  /// The whole value, for files and programs.
  case whole
  /// What a table or a page shows: only a part of a large value is read, and the bytes of a value that the store
  /// keeps in an external file are only counted.
  case shown

  /// How much of a transformable value is read.
  var limits: ValueJSON.Limits { self == .whole ? .whole : .shown }
}
