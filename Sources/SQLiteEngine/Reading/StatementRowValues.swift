import StoreEngine

/// The values of the current row of a statement of ``SQLiteStore/fetchKeys(_:values:_:)``: its columns from 3 on, after
/// the key, entity and version.
final class StatementRowValues: RowValues {
  private let statement: SQLiteStatement
  private let origin: StoreOrigin
  /// A pointer, because an array would be retained for each row.
  private let columns: UnsafeMutableBufferPointer<Column>

  private static let firstColumn = 3

  private struct Column {
    let kind: ValueKind
    let isText: Bool
  }

  init(_ statement: SQLiteStatement, origin: StoreOrigin, kinds: [ValueKind]) {
    self.statement = statement
    self.origin = origin
    columns = .allocate(capacity: kinds.count)
    for (index, kind) in kinds.enumerated() {
      columns.initializeElement(at: index, to: Column(kind: kind, isText: kind == .text))
    }
  }

  deinit {
    columns.deinitialize()
    columns.deallocate()
  }

  func value(_ index: Int) -> StoredValue {
    statement.value(index + Self.firstColumn, of: columns[index].kind, origin: origin)
  }

  func hasText(_ index: Int) -> Bool { columns[index].isText }

  func text(_ index: Int) throws -> UnsafeRawBufferPointer? {
    try statement.textIfPresent(index + Self.firstColumn)
  }
}
