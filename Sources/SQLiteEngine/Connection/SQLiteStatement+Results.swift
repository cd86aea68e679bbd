import CSQLite
import StoreEngine

extension SQLiteStatement {
  /// Returns a column of a dictionary result as the value that the program receives; nil for NULL and for a
  /// value that cannot be read.
  func value(
    _ column: Int, _ form: DictionaryQuery.ResultForm, origin: StoreOrigin,
    external: ExternalStorage
  ) -> Any? {
    if isNull(column) { return nil }
    switch form {
    case .attribute(let slot):
      if slot.mayBeExternal {
        return external.value(blobBytes(column)).flatMap {
          AttributeCodec.external(.data($0), slot)
        }
      }
      return AttributeCodec.external(storedValue(column, slot), slot)
    case .kind(let kind): return value(column, kind, origin: origin)
    }
  }

  /// Returns a computed column of a dictionary result, or an object ID, as the value that the program receives; nil for
  /// NULL and for an invalid URI, UUID or key.
  func value(_ column: Int, _ kind: ValueKind, origin: StoreOrigin) -> Any? {
    switch value(column, of: kind, origin: origin) {
    case .reference(let id): return id
    case .integer(let value): return NSNumber(value: value)
    // An integer in a double column is returned as an integer.
    case .double where kind == .double && type(column) == SQLITE_INTEGER:
      return NSNumber(value: integer(column))
    // The number is out of the range of decimals.
    case .decimal(let value) where value.decimalValue.isNaN:
      return NSNumber(value: double(column))
    case let value: return BridgedValue.bridged(kind.scalar(value).boxed)
    }
  }

  /// Returns a column of a known type in stored form; `.null` for NULL and for an invalid URI, UUID or key.
  func value(_ column: Int, of kind: ValueKind, origin: StoreOrigin) -> StoredValue {
    if isNull(column) { return .null }
    switch kind {
    case .null: return .null
    case .integer: return .integer(integer(column))
    case .double, .date: return .double(double(column))
    case .decimal: return .decimal(decimal(column))
    case .text: return .text(text(column))
    case .uri: return URL(string: text(column)).map(StoredValue.uri) ?? .null
    case .uuid: return UUID(bytes: data(column)).map(StoredValue.uuid) ?? .null
    case .data, .opaque: return .data(data(column))
    case .object(let layout):
      // Primary keys begin at 1, so other numbers refer to no object.
      let key = integer(column)
      return key > 0
        ? .reference(NSManagedObjectID(layout: layout, key: key, origin: origin)) : .null
    }
  }

  /// Returns a column in the type that it has in SQLite.
  func plainValue(_ column: Int) -> StoredValue {
    switch type(column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .double(double(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .data(data(column))
    default: .null
    }
  }

  private func decimal(_ column: Int) -> NSDecimalNumber {
    // An atomic store stores the digits of a decimal as bytes, which SQLite returns as text.
    type(column) == SQLITE_FLOAT
      ? NSDecimalNumber(column: double(column)) : NSDecimalNumber(column: text(column))
  }

  private func storedValue(_ column: Int, _ slot: PropertySlot) -> StoredValue {
    // Attributes are not references, so the origin is not used.
    value(column, of: ValueKind(slot), origin: .temporary)
  }
}
