/// The metadata of an open store: what its file contains, and what the program has set since. Not synchronized: a store
/// uses it under its lock.
package struct StagedMetadata {
  /// The metadata that the program sees.
  package private(set) var values: [String: Any]
  /// The metadata that was last read from the file or written to it.
  private var base: [String: Any]
  /// The number of changes so far.
  package private(set) var changeCount = 0
  /// The ``changeCount`` of the values that the file contains.
  private var writtenCount = 0

  /// The metadata that was read from a file.
  package init(_ metadata: [String: Any]) {
    values = metadata
    base = metadata
  }

  /// Whether the file has yet to be written.
  package var isUnwritten: Bool { changeCount != writtenCount }

  /// Replaces the values. Keys that the store requires keep their values if the new metadata lacks them.
  package mutating func stage(_ metadata: [String: Any], type: String) {
    values = StoreMetadata.completed(metadata, from: values, type: type)
    requireWrite()
  }

  /// Requires that the next save writes the file even if its metadata is the same, for example because its URL has
  /// changed.
  package mutating func requireWrite() { changeCount += 1 }

  /// Returns the file's current metadata with the program's values for the keys that the program has changed; nil if
  /// all of its changes are written. Another process may have changed other keys.
  package func merged(over current: [String: Any]) -> [String: Any]? {
    isUnwritten ? StoreMetadata.merged(values, base: base, current: current) : nil
  }

  /// Records that the file now contains `metadata`.
  ///
  /// - Parameter changeCount: The ``changeCount`` before the write began. Later changes stay unwritten.
  package mutating func wereWritten(_ metadata: [String: Any], _ changeCount: Int) {
    base = metadata
    writtenCount = changeCount
    if !isUnwritten { values = metadata }
  }
}
