/// A row without its object: what it is called, its version (`Z_OPT`; 0 where a store keeps none) and
/// the values that were asked for. Given out while the store reads, and not to be kept: a store that reads
/// very many rows gives the same one again and again.
final class RowKeys {
  let origin: StoreOrigin
  @exclusivity(unchecked)
  private(set) var layout: EntityLayout
  @exclusivity(unchecked)
  private(set) var key: Int64
  @exclusivity(unchecked)
  private(set) var version: Int32
  private let values: [StoredValue]
  /// Where it is there, it has the values: in the columns from 3 on, as long as it stands at the row.
  private let statement: SQLiteStatement?
  /// The same, for what is asked for each row: it is not retained each time.
  private let rows: Unmanaged<SQLiteStatement>?
  /// A pointer, not an array: it would be retained for each row.
  private let columns: UnsafeMutableBufferPointer<Column>

  private struct Column {
    let kind: ValueKind
    let isText: Bool
  }

  init(
    layout: EntityLayout, key: Int64, origin: StoreOrigin, version: Int32, values: [StoredValue]
  ) {
    self.layout = layout
    self.key = key
    self.origin = origin
    self.version = version
    self.values = values
    statement = nil
    rows = nil
    columns = .allocate(capacity: 0)
  }

  /// The rows of a statement of `SQLiteStore.fetchKeys`, one after the other.
  init(
    _ statement: SQLiteStatement, layout: EntityLayout, origin: StoreOrigin, kinds: [ValueKind]
  ) {
    self.layout = layout
    self.origin = origin
    key = 0
    version = 0
    values = []
    self.statement = statement
    rows = Unmanaged.passUnretained(statement)
    columns = .allocate(capacity: kinds.count)
    for (index, kind) in kinds.enumerated() {
      columns.initializeElement(at: index, to: Column(kind: kind, isText: kind == .text))
    }
  }

  deinit {
    columns.deinitialize()
    columns.deallocate()
  }

  /// The statement stands at another row.
  func take(key: Int64, layout: EntityLayout, version: Int32) {
    self.key = key
    self.version = version
    if layout !== self.layout { self.layout = layout }
  }

  func value(_ index: Int) -> StoredValue {
    guard let rows else { return values[index] }
    return rows._withUnsafeGuaranteedRef { value(index, in: $0) }
  }

  private func value(_ index: Int, in statement: SQLiteStatement) -> StoredValue {
    statement.value(index + 3, of: columns[index].kind, origin: origin)
  }

  /// Adds what orders the row: the first values.
  ///
  /// - Throws: when there is no memory for a text.
  func appendSortKey(_ form: SortKeyForm, to bytes: inout [UInt8]) throws {
    guard let rows else {
      for index in 0..<form.count { form.append(values[index], index, to: &bytes) }
      return
    }
    try rows._withUnsafeGuaranteedRef { statement in
      for index in 0..<form.count {
        if columns[index].isText {
          // Without a string in between.
          form.append(text: try statement.textIfPresent(index + 3), index, to: &bytes)
        } else {
          form.append(value(index, in: statement), index, to: &bytes)
        }
      }
    }
  }
}
