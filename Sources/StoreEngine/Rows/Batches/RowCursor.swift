/// The current row of a store's read: its key, its version (`Z_OPT`; 0 if the store has no versions) and the
/// requested values. Do not keep a cursor, because a store moves it to the next row.
///
/// Live results use a cursor to read the keys, versions and sort values of their rows, because results with a batch
/// size contain no objects. If a report of changes does not list the changed rows, live results read these values
/// again to find the changes (`LiveResults.reread`).
@usableFromInline
package final class RowCursor {
  @usableFromInline package let origin: StoreOrigin
  @inlinable package var layout: EntityLayout { currentLayout }
  @inlinable package var key: Int64 { currentKey }
  @inlinable package var version: Int32 { currentVersion }
  @exclusivity(unchecked)
  @usableFromInline var currentLayout: EntityLayout
  @exclusivity(unchecked)
  @usableFromInline var currentKey: Int64
  @exclusivity(unchecked)
  @usableFromInline var currentVersion: Int32
  @usableFromInline let values: any RowValues

  /// - Parameter values: The values of the current row.
  package init(
    layout: EntityLayout, key: Int64 = 0, origin: StoreOrigin, version: Int32 = 0,
    values: any RowValues
  ) {
    currentLayout = layout
    currentKey = key
    self.origin = origin
    currentVersion = version
    self.values = values
  }

  /// Moves to another row.
  package func move(to key: Int64, layout: EntityLayout, version: Int32) {
    currentKey = key
    currentVersion = version
    // Comparing costs less than the reference counting of an assignment.
    if layout !== currentLayout { currentLayout = layout }
  }

  @inlinable package func value(_ index: Int) -> StoredValue { values.value(index) }

  /// Returns whether ``text(_:)`` can return a value without creating a string.
  @inlinable package func hasText(_ index: Int) -> Bool { values.hasText(index) }

  /// Returns a string in UTF-8, which is valid until the cursor moves; nil for NULL, and for rows in memory.
  ///
  /// - Throws: If there is not enough memory.
  @inlinable package func text(_ index: Int) throws -> UnsafeRawBufferPointer? {
    try values.text(index)
  }
}

/// The values of a cursor's current row.
@usableFromInline
package protocol RowValues: AnyObject {
  func value(_ index: Int) -> StoredValue
  func hasText(_ index: Int) -> Bool
  func text(_ index: Int) throws -> UnsafeRawBufferPointer?
}

/// The values of a row in memory.
package final class InMemoryRowValues: RowValues {
  private let values: [StoredValue]
  package init(_ values: [StoredValue]) { self.values = values }

  package func value(_ index: Int) -> StoredValue { values[index] }
  package func hasText(_ index: Int) -> Bool { false }
  package func text(_ index: Int) throws -> UnsafeRawBufferPointer? { nil }
}
