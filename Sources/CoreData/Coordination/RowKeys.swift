/// A row without its object: what it is called, its version (`Z_OPT`; 0 where a store keeps none) and
/// the values that were asked for. Given out while the store reads, and not to be kept.
struct RowKeys {
  let layout: EntityLayout
  let key: Int64
  let origin: StoreOrigin
  let version: Int32
  private let source: Source

  private enum Source {
    case values([StoredValue])
    /// The columns from 3 on, as long as the statement stands at the row.
    case statement(SQLiteStatement, [ValueKind])
  }

  init(
    layout: EntityLayout, key: Int64, origin: StoreOrigin, version: Int32, values: [StoredValue]
  ) {
    self.layout = layout
    self.key = key
    self.origin = origin
    self.version = version
    source = .values(values)
  }

  /// The row at which a statement of `SQLiteStore.fetchKeys` stands.
  init(
    _ statement: SQLiteStatement, layout: EntityLayout, origin: StoreOrigin, kinds: [ValueKind]
  ) {
    self.layout = layout
    self.origin = origin
    key = statement.integer(0)
    version = Int32(truncatingIfNeeded: statement.integer(2))
    source = .statement(statement, kinds)
  }

  func value(_ index: Int) -> StoredValue {
    switch source {
    case .values(let values): values[index]
    case .statement(let statement, let kinds):
      statement.value(index + 3, of: kinds[index], origin: origin)
    }
  }

  /// Adds what orders the row: the first values.
  func appendSortKey(_ form: SortKeyForm, to bytes: inout [UInt8]) {
    for index in 0..<form.count {
      if case .statement(let statement, let kinds) = source, kinds[index] == .text,
        !statement.isNull(index + 3)
      {
        // Without a string in between.
        form.append(text: statement.textBytes(index + 3), index, to: &bytes)
      } else {
        form.append(value(index), index, to: &bytes)
      }
    }
  }
}
