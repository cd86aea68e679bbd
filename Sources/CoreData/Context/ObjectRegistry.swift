/// The objects of a context by row: at most one for each row, held weakly.
///
/// Used on the context's queue, except that an object removes itself from its table when it is
/// deallocated, on any thread.
final class ObjectRegistry {
  /// The tables by entity and store. Two stores can have the same entity with the same keys.
  private var tables: [ObjectTable] = []
  /// Objects that the context holds because of `retainsRegisteredObjects`.
  private var retained: Set<NSManagedObject> = []
  /// The number of nested blocks in which objects set values that count as fetched (`quietly`). Above 0, changes are
  /// not recorded.
  var quietDepth: Int {
    get { quiet.pointee }
    set { quiet.pointee = newValue }
  }
  /// The storage of `quietDepth`. An object reads it through this pointer without retaining anything.
  let quiet: UnsafeMutablePointer<Int>

  init() {
    quiet = .allocate(capacity: 1)
    quiet.initialize(to: 0)
  }

  deinit { quiet.deallocate() }

  /// Retains some objects instead of those retained before.
  func retain(_ objects: Set<NSManagedObject>) { retained = objects }
  func retain(_ object: NSManagedObject) { retained.insert(object) }
  func release(_ object: NSManagedObject) { retained.remove(object) }

  /// The object of the row with a key in an entity's table.
  subscript(layout: EntityLayout, key: Int64, origin: StoreOrigin) -> NSManagedObject? {
    existingTable(layout, origin)?[key]
  }

  /// Returns the objects of some rows in a batch of one entity's table. An element is nil if its row has no object in
  /// use; the result is nil if no row has one.
  func objects(
    of batch: RowBatch, _ rows: Range<Int>, _ layout: EntityLayout, _ origin: StoreOrigin
  ) -> [NSManagedObject?]? {
    existingTable(layout, origin)?.objects(of: batch, rows)
  }

  /// Adds an object, and releases another object of the same row.
  func insert(_ object: NSManagedObject) {
    let key = object.primaryKey
    let table = table(object.layout, object.origin)
    if let other = object.table, other !== table { other.remove(object, for: key) }
    object.table = table
    if let other = table.set(object, for: key), other !== object { other.leaveContext() }
  }

  /// Adds new objects of one entity's table. Existing objects of their rows replace them in the array.
  func insertNew(
    _ objects: inout [NSManagedObject], from start: Int, _ layout: EntityLayout,
    _ origin: StoreOrigin
  ) {
    table(layout, origin).insertNew(&objects, from: start)
  }

  /// Assigns rows to new objects of one entity's table, and releases other objects of the same rows.
  func identify(
    _ objects: ArraySlice<NSManagedObject>, _ keys: ArraySlice<Int64>, _ origin: StoreOrigin
  ) {
    guard let first = objects.first else { return }
    // The table finds the objects by their temporary keys, so they are removed before the keys change.
    existingTable(first.layout, first.origin)?.remove(objects)
    let table = table(first.layout, origin)
    for (object, key) in zip(objects, keys) {
      object.key = key
      object.origin = origin
      object.table = table
    }
    for other in table.set(objects) { other.leaveContext() }
  }

  /// Removes an object by its current key and store, unless the row has no object or another one.
  func remove(_ object: NSManagedObject) {
    existingTable(object.layout, object.origin)?.remove(object, for: object.key)
  }

  /// Forgets all objects, and releases the retained ones.
  func removeAll() {
    tables = []
    retained = []
  }

  /// All objects in use.
  var objects: [NSManagedObject] { tables.flatMap(\.objects) }

  /// Returns a description of an inconsistency in the tables, or nil. Changes nothing.
  func checkInvariants() -> String? {
    if quietDepth < 0 { return "quietDepth is below 0: more quiet blocks ended than began" }
    for (number, table) in tables.enumerated() {
      if let problem = table.checkInvariants() { return "table \(number): \(problem)" }
      let known = tables.firstIndex { $0.root == table.root && $0.origin === table.origin }
      if known != number { return "table \(number) has the same entity and store as another one" }
      for object in table.objects
      where object.table !== table || object.layout.rootIndex != table.root
        || object.origin !== table.origin
      {
        return "\(object.ownID) is in the table of another entity or store"
      }
    }
    return nil
  }

  private func existingTable(_ layout: EntityLayout, _ origin: StoreOrigin) -> ObjectTable? {
    let root = layout.rootIndex
    // A linear search, because there is only one table for each entity hierarchy and store.
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
