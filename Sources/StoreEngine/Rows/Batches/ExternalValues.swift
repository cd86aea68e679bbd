/// The values of a store that may lie outside its rows, in files of their own.
///
/// The column of such an attribute has the value's bytes with a mark before them, or says where they are.
package protocol ExternalValues: Sendable {
  /// The value of a column; nil when it is in a file that is gone, which is logged.
  func value(_ column: UnsafeRawBufferPointer) -> Data?
  /// The size in bytes of a value that is in a file, and its first bytes; nil where the column has the value itself,
  /// and where the file cannot be read.
  func beginning(_ column: UnsafeRawBufferPointer, _ count: Int) -> (size: Int, first: Data)?
}
