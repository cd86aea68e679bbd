/// How much of values is read.
package enum ValueExtent: Sendable {
  /// All of them, for files and programs.
  case whole
  /// What a table or a page shows of them: a large value is not read to its end, and the bytes of one that the store
  /// keeps in a file of its own are only counted.
  case shown

  /// How much of a program's value is read.
  var limits: ValueJSON.Limits { self == .whole ? .whole : .shown }
}
