/// The state of an object as it was last fetched or saved.
///
/// For a value that is stored in a separate file, a row batch contains only the file's name. `value(of:in:origin:)`
/// reads the file, so a fetch does not read files whose values the program never uses.
///
/// Optimistic locking compares the snapshot's version with that of the stored row. Only objects cache rows: a row that
/// no object holds is read again.
enum RowSnapshot {
  /// No row: the object is a fault or was never saved.
  case none
  /// No row yet. The rows of the group are read together when one of them is needed.
  case pending(FaultGroup)
  /// A row of a batch, by its index.
  case row(RowBatch, Int32)
  /// The saved values by slot number, and the version.
  case values([StoredValue], Int32)

  var isPresent: Bool {
    switch self {
    case .none, .pending: false
    case .row, .values: true
    }
  }

  /// The version of the row (`Z_OPT`); 0 if there is no row.
  var version: Int32 {
    switch self {
    case .none, .pending: 0
    case .row(let batch, let row): batch.version(Int(row))
    case .values(_, let version): version
    }
  }

  /// Returns whether reading the value of a slot may read a file.
  func isExternal(_ slot: PropertySlot, in layout: EntityLayout) -> Bool {
    guard case .row(let batch, _) = self,
      let column = batch.shape.column(ofSlot: slot.index, in: layout)
    else { return false }
    return batch.shape.columns[column] == .external
  }

  /// Returns whether the store has a value in a slot, readable or not. A value whose file is missing reads as NULL,
  /// but the row refers to the file until another value or NULL is written.
  func hasValue(of slot: PropertySlot, in layout: EntityLayout) -> Bool {
    switch self {
    case .none, .pending: return false
    case .values(let values, _): return !values[slot.index].isNull
    case .row(let batch, let row):
      guard let column = batch.shape.column(ofSlot: slot.index, in: layout) else { return false }
      return !batch.isNull(column: column, row: Int(row))
    }
  }

  /// Returns the value of a slot; NULL for a slot that the store does not contain, and for an unreadable value.
  func value(of slot: PropertySlot, in layout: EntityLayout, origin: StoreOrigin) -> StoredValue {
    switch self {
    case .none, .pending: return .null
    case .values(let values, _):
      let value = values[slot.index]
      if value.isUnreadable { return .null }
      // The destination may have had a temporary ID when the values were recorded.
      if case .reference(let id) = value, id.key < 0 { return .reference(id.current) }
      return value
    case .row(let batch, let row32):
      let row = Int(row32)
      guard let column = batch.shape.column(ofSlot: slot.index, in: layout),
        !batch.isNull(column: column, row: row)
      else { return .null }
      func reference(_ entity: Int) -> StoredValue {
        .reference(
          NSManagedObjectID(
            layout: batch.shape.model.entities[entity],
            key: batch.integer(column: column, row: row), origin: origin))
      }
      switch batch.shape.columns[column] {
      case .integer: return .integer(batch.integer(column: column, row: row))
      case .double: return .double(batch.double(column: column, row: row))
      case .text:
        let text = batch.text(column: column, row: row)
        switch slot.storage {
        case .decimal: return .decimal(NSDecimalNumber(column: text))
        case .uri: return URL(string: text).map(StoredValue.uri) ?? .null
        default: return .text(text)
        }
      case .bytes:
        let data = batch.data(column: column, row: row)
        if slot.storage == .uuid { return UUID(bytes: data).map(StoredValue.uuid) ?? .null }
        return .data(data)
      case .external:
        let data = batch.withBytes(column: column, row: row) {
          batch.shape.external?.value(UnsafeRawBufferPointer($0))
        }
        return data.map(StoredValue.data) ?? .null
      case .reference(let entity): return reference(entity)
      case .polymorphicReference:
        // A polymorphic reference has two columns: the key and the index of the destination's
        // entity.
        return reference(Int(batch.integer(column: column + 1, row: row)))
      case .entityIndex: return .null
      }
    }
  }
}

/// Objects whose rows are read together when the first of them is needed: the results of a fetch with a batch size,
/// or the members of a relationship.
///
/// Reading all members of a relationship costs one query for each group instead of one for each member.
final class FaultGroup {
  let layout: EntityLayout
  let keys: [Int64]

  init(layout: EntityLayout, keys: [Int64]) {
    self.layout = layout
    self.keys = keys
  }
}
