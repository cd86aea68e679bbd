/// The results of a fetch as a collection that creates its objects in batches when they are accessed.
///
/// The collection stores the rows' keys: eight bytes for each row, or ten if the entity has subentities. Accessing an
/// element creates the objects of its batch as faults. The first access to a property of one of them reads the rows of
/// the whole batch in one query. The collection retains only the objects of the batch that was accessed last. As
/// always, a context has one object for each row. If the results cannot be represented by keys alone, the collection
/// retains all objects: see ``NSManagedObjectContext/fetchInBatches(_:)``.
///
/// The collection does not change after the fetch. If the row of an element has been deleted since then, its object
/// behaves like any fault whose row is missing.
///
/// Use it on its context's queue.
///
/// Compared to Apple's Core Data: new. There, `fetch(_:)` with a batch size returns an array that loads its elements
/// lazily. A Swift array cannot do that, because it retains all its elements.
///
/// ```swift
/// let results = try context.fetchInBatches(request)
/// print(results.count, results[0].lastName)  // 5 Dijkstra
/// for person in results.suffix(2) { print(person.lastName) }
/// ```
public final class BatchedResults<Result: NSManagedObject>: RandomAccessCollection {
  private enum Rows {
    case keys(KeyList)
    case objects([Result])
  }

  private let rows: Rows
  private let context: NSManagedObjectContext
  /// The number of objects that are created together.
  public let batchSize: Int
  private var latest: (start: Int, objects: [NSManagedObject]) = (0, [])

  init(_ keys: KeyList, batchSize: Int, in context: NSManagedObjectContext) {
    rows = .keys(keys)
    self.batchSize = batchSize
    self.context = context
  }

  init(_ objects: [Result], batchSize: Int, in context: NSManagedObjectContext) {
    rows = .objects(objects)
    self.batchSize = batchSize
    self.context = context
  }

  /// The position of the first result, which is 0.
  public var startIndex: Int { 0 }

  /// The number of results.
  public var endIndex: Int {
    switch rows {
    case .keys(let keys): keys.count
    case .objects(let objects): objects.count
    }
  }

  /// Accesses the object at a position, counted from 0.
  public subscript(position: Int) -> Result {
    context.requireQueue()
    switch rows {
    case .objects(let objects): return objects[position]
    case .keys(let keys):
      precondition(position >= 0 && position < keys.count, "Index out of range")
      // Batches begin at multiples of the size, so that accesses in any order share them.
      let start = position / batchSize * batchSize
      if latest.objects.isEmpty || latest.start != start {
        latest = (
          start, keys.objects(start..<Swift.min(start + batchSize, keys.count), in: context)
        )
      }
      // The creator of the list has checked that all classes of the entity are subclasses of `Result`.
      return unsafeDowncast(latest.objects[position - start], to: Result.self)
    }
  }

  /// The IDs of the results. Accessing them does not create objects.
  ///
  /// ```swift
  /// let results = try context.fetchInBatches(request)
  /// try context.execute(NSBatchDeleteRequest(objectIDs: results.objectIDs))
  /// ```
  public var objectIDs: [NSManagedObjectID] {
    switch rows {
    case .keys(let keys): keys.objectIDs
    case .objects(let objects): objects.map(\.ownID)
    }
  }
}

/// The keys of rows of one entity and its subentities in one store.
struct KeyList {
  let layout: EntityLayout
  let origin: StoreOrigin
  private var keys: [Int64] = []
  /// The indexes of the rows' entities, if the entity has subentities.
  private var entities: [UInt16] = []
  private let hasEntities: Bool

  init(_ layout: EntityLayout, _ origin: StoreOrigin) {
    self.layout = layout
    self.origin = origin
    // Without subentities, all rows have the same entity, so two bytes for each row are not needed.
    hasEntities = layout.family.count > 1
  }

  var count: Int { keys.count }

  mutating func append(_ batch: RowBatch) {
    for row in 0..<batch.count { keys.append(batch.key(row)) }
    if hasEntities {
      for row in 0..<batch.count {
        entities.append(UInt16(truncatingIfNeeded: batch.entityIndex(row)))
      }
    }
  }

  mutating func append(_ row: RowCursor) {
    keys.append(row.key)
    if hasEntities { entities.append(UInt16(truncatingIfNeeded: row.layout.index)) }
  }

  private func layout(_ row: Int) -> EntityLayout {
    hasEntities ? layout.model.entities[Int(entities[row])] : layout
  }

  /// Returns the objects of a range of rows, which will be read together.
  func objects(_ range: Range<Int>, in context: NSManagedObjectContext) -> [NSManagedObject] {
    context.faults(
      range.map { (keys[$0], layout($0)) }, of: layout, origin: origin, groupSize: range.count)
  }

  var objectIDs: [NSManagedObjectID] {
    keys.indices.map { NSManagedObjectID(layout: layout($0), key: keys[$0], origin: origin) }
  }
}
