/// Stands at one row after the other while a store reads: what the row is called, its version (`Z_OPT`; 0 where a store
/// keeps none) and the values that were asked for. Not to be kept: a store that reads very many rows gives the same
/// cursor again and again.
///
/// Live results read the keys, versions and sort values of their rows with it, because those that have a batch size
/// hold no objects. They do so again to find what changed when a change does not name its rows
/// (`LiveResults.reread`).
package final class RowCursor {
  package let origin: StoreOrigin
  @exclusivity(unchecked)
  package private(set) var layout: EntityLayout
  @exclusivity(unchecked)
  package private(set) var key: Int64
  @exclusivity(unchecked)
  package private(set) var version: Int32
  private let values: any RowValues

  /// - Parameter values: those of the row at which the cursor stands at the time.
  package init(
    layout: EntityLayout, key: Int64 = 0, origin: StoreOrigin, version: Int32 = 0,
    values: any RowValues
  ) {
    self.layout = layout
    self.key = key
    self.origin = origin
    self.version = version
    self.values = values
  }

  /// Goes to another row.
  package func move(to key: Int64, layout: EntityLayout, version: Int32) {
    self.key = key
    self.version = version
    if layout !== self.layout { self.layout = layout }
  }

  package func value(_ index: Int) -> StoredValue { values.value(index) }

  /// Whether ``text(_:)`` gives a value, without a string in between.
  package func hasText(_ index: Int) -> Bool { values.hasText(index) }

  /// A text in UTF-8, until the cursor goes to another row; nil for NULL.
  ///
  /// - Throws: when there is no memory for it.
  package func text(_ index: Int) throws -> UnsafeRawBufferPointer? { try values.text(index) }
}

/// The values of the row at which a cursor stands.
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
