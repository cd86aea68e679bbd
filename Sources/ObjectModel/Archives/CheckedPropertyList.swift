/// Property lists from files that anybody may have written, as Foundation's values.
///
/// Foundation's own reader ends the process for what a binary list can say and none has: sets, and
/// points in time that are no numbers.
package enum CheckedPropertyList {
  /// The root value.
  ///
  /// - Throws: an error whose text says what is wrong.
  package static func read(_ data: Data) throws -> Any {
    if data.starts(with: Data("bplist".utf8)) { try BinaryPropertyListReader.check(data) }
    return try PropertyListSerialization.propertyList(from: data, format: nil)
  }
}
