/// The values of a store that may be outside of its rows, in separate files.
///
/// The first byte of the column of such an attribute says what follows: the bytes of the value, or the name of its
/// file. A value that was written before the attribute allowed external storage has no such byte.
package protocol ExternalValues: Sendable {
  /// Returns the value of a column. If its file is missing or unreadable, logs this and returns nil.
  func value(_ column: UnsafeRawBufferPointer) -> Data?
  /// Returns the size in bytes of a value in a file, and its first bytes; nil if the column itself contains the
  /// value, or the file is unreadable.
  func beginning(_ column: UnsafeRawBufferPointer, _ count: Int) -> (size: Int, first: Data)?
}
