import CSQLite
import Foundation

extension SQLiteStatement {
  /// A column of a dictionary result in the form in which it is given out; nil for NULL.
  func value(_ column: Int, _ form: DictionaryPlan.ResultForm, origin: StoreOrigin) -> Any? {
    if isNull(column) { return nil }
    switch form {
    case .attribute(let slot): return AttributeCodec.external(storedValue(column, slot), slot)
    case .reference(let layout):
      return NSManagedObjectID(layout: layout, key: integer(column), origin: origin)
    case .integer: return NSNumber(value: integer(column))
    case .double: return NSNumber(value: double(column))
    case .natural:
      switch type(column) {
      case SQLITE_INTEGER: return NSNumber(value: integer(column))
      case SQLITE_FLOAT: return NSNumber(value: double(column))
      case SQLITE_TEXT: return text(column)
      default: return data(column)
      }
    }
  }

  /// A column that a path reads, in the form in which it is kept.
  func value(_ column: Int, of path: BoundPath, origin: StoreOrigin) -> StoredValue {
    if isNull(column) { return .null }
    if let slot = path.attribute { return storedValue(column, slot) }
    guard let destination = path.destination else { return .null }
    return .reference(
      NSManagedObjectID(layout: destination, key: integer(column), origin: origin))
  }

  private func storedValue(_ column: Int, _ slot: PropertySlot) -> StoredValue {
    switch slot.storage {
    case .integer16, .integer32, .integer64, .boolean: return .integer(integer(column))
    case .double, .float, .date: return .double(double(column))
    case .string: return .text(text(column))
    case .uri: return URL(string: text(column)).map(StoredValue.uri) ?? .null
    case .uuid: return UUID(bytes: data(column)).map(StoredValue.uuid) ?? .null
    case .decimal:
      let text = type(column) == SQLITE_FLOAT ? "\(double(column))" : text(column)
      return .decimal(NSDecimalNumber(string: text))
    default: return .data(data(column))
    }
  }
}
