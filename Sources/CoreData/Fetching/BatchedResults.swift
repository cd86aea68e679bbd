/// The results of a fetch as a list whose objects are made when they are asked for, a batch at a time.
///
/// The list knows the rows' keys, eight bytes each. Asking for an element makes the objects of its batch,
/// faults whose rows are read together, by one query, when a property of one of them is read first; the
/// list holds the objects of the batch that was asked for last, and others live as long as somebody
/// else holds them. An object is the one that the context has for the row.
///
/// The list stays as it was fetched. The row of an element may have been deleted since: reading the
/// object's properties then does what a fault without a row does.
///
/// It belongs to its context's queue.
///
/// Compared to Apple's Core Data: new. There, `fetch(_:)` with a batch size gives an array that is such a
/// list; an array of Swift's alone holds its elements.
public final class BatchedResults<Result: NSManagedObject>: RandomAccessCollection {
  private enum Rows {
    case keys(KeyList)
    case objects([Result])
  }

  private let rows: Rows
  private let context: NSManagedObjectContext
  /// How many objects are made together.
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

  /// 0.
  public var startIndex: Int { 0 }

  /// How many results there are.
  public var endIndex: Int {
    switch rows {
    case .keys(let keys): keys.count
    case .objects(let objects): objects.count
    }
  }

  /// The object at a position from 0 on.
  public subscript(position: Int) -> Result {
    context.requireQueue()
    switch rows {
    case .objects(let objects): return objects[position]
    case .keys(let keys):
      precondition(position >= 0 && position < keys.count, "Index out of range")
      let start = position / batchSize * batchSize
      if latest.objects.isEmpty || latest.start != start {
        latest = (
          start, keys.objects(start..<Swift.min(start + batchSize, keys.count), in: context)
        )
      }
      // Whoever made the list saw to it that all classes of the entity are right.
      return unsafeDowncast(latest.objects[position - start], to: Result.self)
    }
  }

  /// The IDs of the results; no object is made.
  public var objectIDs: [NSManagedObjectID] {
    switch rows {
    case .keys(let keys): keys.objectIDs
    case .objects(let objects): objects.map(\.objectID)
    }
  }
}

/// The keys of rows of one entity's family in one store.
struct KeyList {
  let layout: EntityLayout
  let origin: StoreOrigin
  private var keys: [Int64] = []
  /// The indexes of the rows' entities, where they may differ.
  private var entities: [UInt16] = []
  private let hasEntities: Bool

  init(_ layout: EntityLayout, _ origin: StoreOrigin) {
    self.layout = layout
    self.origin = origin
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

  /// The objects of some rows, which are read together.
  func objects(_ range: Range<Int>, in context: NSManagedObjectContext) -> [NSManagedObject] {
    context.faults(
      range.map { (keys[$0], layout($0)) }, of: layout, origin: origin, groupSize: range.count)
  }

  var objectIDs: [NSManagedObjectID] {
    keys.indices.map { NSManagedObjectID(layout: layout($0), key: keys[$0], origin: origin) }
  }
}
