/// Stands at one row after the other while a store reads: what the row is called, its version (`Z_OPT`; 0 where a store
/// keeps none) and the values that were asked for. Not to be kept: a store that reads very many rows gives the same
/// cursor again and again.
///
/// Live results read the keys, versions and sort values of their rows with it, because those that have a batch size
/// hold no objects. They do so again to find what changed when a change does not name its rows
/// (`LiveResults.reread`).
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

  /// - Parameter values: those of the row at which the cursor stands at the time.
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

  /// Goes to another row.
  package func move(to key: Int64, layout: EntityLayout, version: Int32) {
    currentKey = key
    currentVersion = version
    if layout !== currentLayout { currentLayout = layout }
  }

  @inlinable package func value(_ index: Int) -> StoredValue { values.value(index) }

  /// Whether ``text(_:)`` gives a value, without a string in between.
  @inlinable package func hasText(_ index: Int) -> Bool { values.hasText(index) }

  /// A text in UTF-8, until the cursor goes to another row; nil for NULL.
  ///
  /// - Throws: when there is no memory for it.
  @inlinable package func text(_ index: Int) throws -> UnsafeRawBufferPointer? {
    try values.text(index)
  }
}

/// The values of the row at which a cursor stands.
@usableFromInline
package protocol RowValues: AnyObject {
  func value(_ index: Int) -> StoredValue
  func hasText(_ index: Int) -> Bool
  func text(_ index: Int) throws -> UnsafeRawBufferPointer?
}

/// Values of one row in memory.
package final class InMemoryRowValues: RowValues {
  private let values: [StoredValue]
  package init(_ values: [StoredValue]) { self.values = values }

  package func value(_ index: Int) -> StoredValue { values[index] }
  package func hasText(_ index: Int) -> Bool { false }
  package func text(_ index: Int) throws -> UnsafeRawBufferPointer? { nil }
}
