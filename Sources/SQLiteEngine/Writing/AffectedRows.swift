import CSQLite
import StoreEngine

/// The rows that triggers changed in the open transaction because others were written: those of
/// derived attributes say so by the functions that Apple's call, too, and those that a program of Apple's
/// makes itself name columns.
///
/// A save adds these rows to its change set (`ChangeSet.computed`), and a batch adds them to its outcome, so that
/// contexts are notified of them and the history records them.
///
/// One a connection. A file of a stranger's may call the functions with anything: what names no entity
/// of the model means nothing.
final class AffectedRows {
  struct EntityKey: Hashable {
    /// The entity's number in the store.
    let entity: Int
    let key: Int64
  }

  /// The attributes that were changed, or the columns.
  private var attributes: [EntityKey: Set<String>] = [:]
  /// By entity number: the first key of the rows that the transaction adds, which need no telling.
  private var firstNewKeys: [Int: Int64] = [:]
  /// Attributes that are noted of new rows, too, and of which rows they were.
  private var followedNames: Set<String> = []
  private var followed: [EntityKey: Set<String>] = [:]
  /// A file can call as often as it likes; then contexts find out by themselves.
  private static let limit = 1_000_000

  /// A transaction begins.
  func begin() {
    attributes.removeAll()
    firstNewKeys.removeAll()
    followed.removeAll()
  }

  /// Has attributes noted apart, for `drainFollowed()`.
  func follow(_ names: Set<String>) { followedNames = names }

  /// The rows of which such attributes were changed since the last time.
  func drainFollowed() -> [EntityKey: Set<String>] {
    defer { followed.removeAll() }
    return followed
  }

  /// Rows of entities with keys from one on are new.
  func noteNew(_ entities: some Sequence<Int>, from key: Int64) {
    for entity in entities { firstNewKeys[entity] = min(firstNewKeys[entity] ?? key, key) }
  }

  private func add(_ row: EntityKey, _ attribute: String) {
    if followedNames.contains(attribute), followed.count < Self.limit {
      followed[row, default: []].insert(attribute)
    }
    if let first = firstNewKeys[row.entity], row.key >= first { return }
    guard attributes.count < Self.limit else { return }
    attributes[row, default: []].insert(attribute)
  }

  /// The rows, in the order of entities and keys.
  func rows(in schema: StoreSchema) -> [ComputedRow] {
    var columns: [Int: [String: Int]] = [:]
    func slot(_ name: String, _ layout: EntityLayout) -> Int? {
      if let slot = layout.slotNumbers[name] { return slot }
      if columns[layout.index] == nil { columns[layout.index] = schema.slotsByColumn(layout) }
      return columns[layout.index]?[name]
    }
    return attributes.compactMap { row, names in
      guard let layout = schema.layout(number: row.entity) else { return nil }
      return ComputedRow(
        layout: layout, key: row.key, slots: names.compactMap { slot($0, layout) }.sorted())
    }.sorted { ($0.layout.index, $0.key) < ($1.layout.index, $1.key) }
  }

  /// `f(table, entity, key, attribute, value)`
  static let note: SQLiteFunctions.Function = { context, count, arguments in
    defer { sqlite3_result_null(context) }
    guard let arguments, count >= 4, let box = sqlite3_user_data(context),
      let attribute = SQLiteValue.text(arguments[3]), sqlite3_value_int64(arguments[2]) > 0
    else { return }
    let row = EntityKey(
      entity: Int(truncatingIfNeeded: sqlite3_value_int64(arguments[1])),
      key: sqlite3_value_int64(arguments[2]))
    Unmanaged<AffectedRows>.fromOpaque(box).takeUnretainedValue().add(row, attribute)
  }
}

extension StoreSchema {
  /// The attributes and to-one relationships of an entity by the names of their columns.
  func slotsByColumn(_ layout: EntityLayout) -> [String: Int] {
    var slots: [String: Int] = [:]
    for slot in layout.slots {
      if let column = mapping(layout, slot.index).column { slots[column] = slot.index }
    }
    return slots
  }
}
