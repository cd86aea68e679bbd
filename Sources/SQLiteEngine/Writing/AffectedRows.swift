import CSQLite
import StoreEngine

/// The rows that triggers changed in the open transaction because other rows were written. Triggers of derived
/// attributes report them by calling the same functions as Apple's triggers. Triggers that Apple's Core Data created
/// report names of columns instead of attributes.
///
/// A save adds these rows to its change set (`ChangeSet.computed`), and a batch request adds them to its outcome, so
/// that contexts are notified of them and the history records them.
///
/// A connection has one instance. An untrusted file may call the functions with any arguments; calls without an
/// entity of the model are ignored.
final class AffectedRows {
  struct EntityKey: Hashable {
    /// The number of the entity in the store.
    let entity: Int
    let key: Int64
  }

  /// The names of the changed attributes, or of their columns, by row.
  private var attributes: [EntityKey: Set<String>] = [:]
  /// The first key of the new rows in the transaction by entity number. New rows need not be reported.
  private var firstNewKeys: [Int: Int64] = [:]
  /// The names of the attributes that are also recorded in `followed`, for new rows too.
  private var followedNames: Set<String> = []
  private var followed = FollowedRows()
  /// The maximum number of recorded rows, because the triggers of a file can report any number. Beyond it, contexts are
  /// not notified of further rows, and all rows with a followed attribute count as changed.
  var limit = 1_000_000

  /// The rows whose followed attributes were changed.
  struct FollowedRows {
    /// The names of the attributes by row.
    var names: [EntityKey: Set<String>] = [:]
    /// The names of the attributes that changed in more rows than can be recorded.
    var unlimited: Set<String> = []
  }

  /// Called when a transaction begins.
  func begin() {
    attributes.removeAll()
    firstNewKeys.removeAll()
    followed = FollowedRows()
  }

  /// Begins to record the rows with changes to these attributes, for `drainFollowed()`.
  func follow(_ names: Set<String>) { followedNames = names }

  /// Returns the rows whose followed attributes were changed since the last call.
  func drainFollowed() -> FollowedRows {
    defer { followed = FollowedRows() }
    return followed
  }

  /// Records that rows with this key or a higher one are new.
  func noteNew(_ entities: some Sequence<Int>, from key: Int64) {
    for entity in entities { firstNewKeys[entity] = min(firstNewKeys[entity] ?? key, key) }
  }

  private func add(_ row: EntityKey, _ attribute: String) {
    // This precedes the check for new rows, whose values are computed at the end of the transaction, too.
    if followedNames.contains(attribute) {
      if followed.names.count < limit || followed.names[row] != nil {
        followed.names[row, default: []].insert(attribute)
      } else {
        followed.unlimited.insert(attribute)
      }
    }
    if let first = firstNewKeys[row.entity], row.key >= first { return }
    guard attributes.count < limit else { return }
    attributes[row, default: []].insert(attribute)
  }

  /// Returns the rows in the order of entities and keys.
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
  /// Returns the attributes and to-one relationships of an entity by column name.
  func slotsByColumn(_ layout: EntityLayout) -> [String: Int] {
    var slots: [String: Int] = [:]
    for slot in layout.slots {
      if let column = mapping(layout, slot.index).column { slots[column] = slot.index }
    }
    return slots
  }
}
