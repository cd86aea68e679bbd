/// A context's objects by their row: one object a row, not held.
///
/// Used on the context's queue; an object that ends takes itself out of its table, on whatever thread
/// that is.
final class ObjectRegistry {
  /// By entity and store. Two stores may keep the same entity, and each counts its keys from 1.
  private var tables: [ObjectTable] = []
  /// Objects that are kept though nothing else keeps them (`retainsRegisteredObjects`).
  private var retained: Set<NSManagedObject> = []
  /// Above 0, changes are not noted: objects set values that count as fetched.
  var quietDepth: Int {
    get { quiet.pointee }
    set { quiet.pointee = newValue }
  }
  /// Where `quietDepth` lies: an object that is filled in gets there without retaining anything.
  let quiet: UnsafeMutablePointer<Int>

  init() {
    quiet = .allocate(capacity: 1)
    quiet.initialize(to: 0)
  }

  deinit { quiet.deallocate() }

  /// Keeps these objects, and no others.
  func retain(_ objects: Set<NSManagedObject>) { retained = objects }
  func retain(_ object: NSManagedObject) { retained.insert(object) }
  func release(_ object: NSManagedObject) { retained.remove(object) }

  /// The object of a row of an entity's table.
  subscript(layout: EntityLayout, key: Int64, origin: StoreOrigin) -> NSManagedObject? {
    existingTable(layout, origin)?[key]
  }

  /// The objects of some rows of a batch of one entity's table; nil where none is in use.
  func objects(
    of batch: RowBatch, _ rows: Range<Int>, _ layout: EntityLayout, _ origin: StoreOrigin
  ) -> [NSManagedObject?]? {
    existingTable(layout, origin)?.objects(of: batch, rows)
  }

  /// Adds an object; one that stood for the same row before is let go.
  func insert(_ object: NSManagedObject) {
    let key = object.primaryKey
    let table = table(object.layout, object.origin)
    if let other = object.table, other !== table { other.remove(object, for: key) }
    object.table = table
    if let other = table.set(object, for: key), other !== object { other.leaveContext() }
  }

  /// Adds new objects, all of one entity's table; where another one stands for the row already, that
  /// one takes the new one's place in the list.
  func insertNew(
    _ objects: inout [NSManagedObject], from start: Int, _ layout: EntityLayout,
    _ origin: StoreOrigin
  ) {
    table(layout, origin).insertNew(&objects, from: start)
  }

  /// Has new objects, all of one entity's table, stand for rows from now on; those that stood for the
  /// same rows before are let go.
  func identify(
    _ objects: ArraySlice<NSManagedObject>, _ keys: ArraySlice<Int64>, _ origin: StoreOrigin
  ) {
    guard let first = objects.first else { return }
    existingTable(first.layout, first.origin)?.remove(objects)
    let table = table(first.layout, origin)
    for (object, key) in zip(objects, keys) {
      object.key = key
      object.origin = origin
      object.table = table
    }
    for other in table.set(objects) { other.leaveContext() }
  }

  /// Takes an object out, by the key and store that it has now; one that is not there, or another
  /// one's row, stays as it is.
  func remove(_ object: NSManagedObject) {
    existingTable(object.layout, object.origin)?.remove(object, for: object.key)
  }

  /// Knows no object any more, and keeps none.
  func removeAll() {
    tables = []
    retained = []
  }

  /// All objects that are still in use.
  var objects: [NSManagedObject] { tables.flatMap(\.objects) }

  /// Returns what is wrong with the tables, or nil. It changes nothing.
  func checkInvariants() -> String? {
    if quietDepth < 0 { return "more quiet parts ended than began" }
    for (number, table) in tables.enumerated() {
      if let fault = table.checkInvariants() { return "table \(number): \(fault)" }
      let known = tables.firstIndex { $0.root == table.root && $0.origin === table.origin }
      if known != number { return "table \(number) has another table's entity and store" }
      for object in table.objects
      where object.table !== table || object.layout.rootIndex != table.root
        || object.origin !== table.origin
      {
        return "\(object.objectID) is in a table that is not its own"
      }
    }
    return nil
  }

  private func existingTable(_ layout: EntityLayout, _ origin: StoreOrigin) -> ObjectTable? {
    let root = layout.rootIndex
    for table in tables where table.root == root && table.origin === origin { return table }
    return nil
  }

  private func table(_ layout: EntityLayout, _ origin: StoreOrigin) -> ObjectTable {
    if let known = existingTable(layout, origin) { return known }
    let table = ObjectTable(root: layout.rootIndex, origin: origin, registry: self)
    tables.append(table)
    return table
  }
}
