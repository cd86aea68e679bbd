/// Reads property lists from untrusted files as Foundation's values.
///
/// Foundation's reader crashes on content that a binary list can encode but no valid list contains: sets, and
/// dates whose number of seconds is not-a-number.
package enum CheckedPropertyList {
  /// Returns the root value.
  ///
  /// - Throws: A ``BinaryPropertyListReader/Failure`` or an error of Foundation.
  package static func read(_ data: Data) throws -> Any {
    if data.starts(with: Data("bplist".utf8)) { try BinaryPropertyListReader.check(data) }
    return try PropertyListSerialization.propertyList(from: data, format: nil)
  }
}
