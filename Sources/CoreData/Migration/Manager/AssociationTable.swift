/// The source and destination objects that an entity mapping associated.
///
/// The table contains keys instead of objects. Objects without permanent keys wait until they are saved.
///
/// Pairs are stored as runs, in the order in which rows are read (``AssociationRun``). Thus, a million pairs take
/// little memory, and a lookup is a binary search.
struct AssociationTable {
  private var runs: [AssociationRun] = []
  private var bySource = AssociationOrder { $0.source }
  private var byDestination = AssociationOrder { $0.destination }

  private var waiting: [(source: NSManagedObject, destination: NSManagedObject)] = []
  private var waitingBySource: [ObjectIdentifier: [Int]] = [:]
  private var waitingByDestination: [ObjectIdentifier: [Int]] = [:]

  /// Returns whether a destination object is in a pair that waits for a save.
  func isWaiting(_ destination: NSManagedObject) -> Bool {
    waitingByDestination[ObjectIdentifier(destination)] != nil
  }

  mutating func associate(_ source: NSManagedObject, _ destination: NSManagedObject) {
    waitingBySource[ObjectIdentifier(source), default: []].append(waiting.count)
    waitingByDestination[ObjectIdentifier(destination), default: []].append(waiting.count)
    waiting.append((source, destination))
  }

  /// Replaces the objects of saved pairs with their keys.
  mutating func keepKeys() {
    // An object without a row was deleted again, so its pair is dropped.
    for (source, destination) in waiting where source.key > 0 && destination.key > 0 {
      let pair = AssociationRun(
        source: source.key, destination: destination.key, sourceEntity: Int32(source.layout.index),
        destinationEntity: Int32(destination.layout.index))
      // The orders compare the pair with the end of the run, so they must note it before the run is extended.
      bySource.note(pair, after: runs.last)
      byDestination.note(pair, after: runs.last)
      if runs.isEmpty || !runs[runs.count - 1].extend(by: pair) { runs.append(pair) }
    }
    waiting = []
    waitingBySource = [:]
    waitingByDestination = [:]
  }

  // MARK: Lookup

  /// Returns the destination objects of a source object.
  mutating func destinations(
    of source: NSManagedObject, in stores: MigrationStores
  ) -> [NSManagedObject] {
    let root = source.layout.rootIndex
    var result: [NSManagedObject] = []
    if source.key > 0 {
      // Keys are unique only in a hierarchy of entities, and the objects of one mapping may belong to several
      // hierarchies.
      for place in bySource.places(of: source.key, in: runs)
      where stores.source.root(runs[place].sourceEntity) == root {
        let run = runs[place]
        let key = run.destination + source.key - run.source
        guard !stores.destination.isDeleted(run.destinationEntity, key) else { continue }
        result.append(stores.destination.object(run.destinationEntity, key))
      }
    }
    for place in waitingBySource[ObjectIdentifier(source)] ?? [] {
      result.append(waiting[place].destination)
    }
    return result
  }

  /// Returns the source objects of a destination object.
  mutating func sources(
    of destination: NSManagedObject, in stores: MigrationStores
  ) -> [NSManagedObject] {
    let root = destination.layout.rootIndex
    var result: [NSManagedObject] = []
    if destination.key > 0 {
      for place in byDestination.places(of: destination.key, in: runs)
      where stores.destination.root(runs[place].destinationEntity) == root {
        let run = runs[place]
        result.append(
          stores.source.object(run.sourceEntity, run.source + destination.key - run.destination))
      }
    }
    for place in waitingByDestination[ObjectIdentifier(destination)] ?? [] {
      result.append(waiting[place].source)
    }
    return result
  }

  /// Returns all pairs. Objects that are not in use yet are faults.
  func allPairs(
    in stores: MigrationStores
  ) -> [(source: NSManagedObject, destination: NSManagedObject)] {
    runs.flatMap { run in
      (0..<run.count).filter { run.hasDestination($0, in: stores) }.map { run.pair($0, in: stores) }
    } + waiting
  }

  /// Returns an iterator over the pairs that have keys now.
  func makeIterator() -> AssociationIterator { AssociationIterator(runs, byDestination) }
}

/// Iterates, in batches, over the pairs that existed when the iterator was created, in the order of destination keys.
/// A destination object with several sources is returned once, with the first source.
struct AssociationIterator {
  private let runs: [AssociationRun]
  private var order: AssociationOrder
  private var rank = 0
  private var offset: Int64 = 0
  /// The number of pairs that were visited.
  private(set) var done = 0

  fileprivate init(_ runs: [AssociationRun], _ order: AssociationOrder) {
    self.runs = runs
    self.order = order
  }

  /// Returns the next pairs; an empty array at the end.
  mutating func next(
    limit: Int, in stores: MigrationStores
  ) -> [(source: NSManagedObject, destination: NSManagedObject)] {
    var result: [(source: NSManagedObject, destination: NSManagedObject)] = []
    while rank < runs.count, result.count < limit {
      let place = order.place(ofRank: rank, in: runs)
      if runs[place].hasDestination(offset, in: stores), isFirst(offset, place, stores) {
        result.append(runs[place].pair(offset, in: stores))
      }
      done += 1
      offset += 1
      if offset == runs[place].count { (rank, offset) = (rank + 1, 0) }
    }
    return result
  }

  /// Returns whether no pair that was added earlier has the same destination.
  private mutating func isFirst(_ offset: Int64, _ place: Int, _ stores: MigrationStores) -> Bool {
    if order.isUnambiguous { return true }
    let run = runs[place]
    let root = stores.destination.root(run.destinationEntity)
    let others = order.places(of: run.destination + offset, in: runs)
    return others.first { stores.destination.root(runs[$0].destinationEntity) == root } == place
  }
}

extension AssociationRun {
  /// Returns whether the destination object of a pair was not deleted after it had been saved.
  fileprivate func hasDestination(_ offset: Int64, in stores: MigrationStores) -> Bool {
    !stores.destination.isDeleted(destinationEntity, destination + offset)
  }

  fileprivate func pair(
    _ offset: Int64, in stores: MigrationStores
  ) -> (source: NSManagedObject, destination: NSManagedObject) {
    (
      stores.source.object(sourceEntity, source + offset),
      stores.destination.object(destinationEntity, destination + offset)
    )
  }
}

/// The source and destination stores of a migration.
struct MigrationStores {
  let source: MigrationSide
  let destination: MigrationSide
}

/// One of the stores of a migration, with its context.
struct MigrationSide {
  let context: NSManagedObjectContext
  let store: NSPersistentStore
  let layouts: ModelLayout
  /// The saved rows that policies deleted.
  let deleted = DeletedRows()

  /// Returns the object of a row: the registered one, or a fault.
  func object(_ entity: Int32, _ key: Int64) -> NSManagedObject {
    context.object(layouts.entities[Int(entity)], key: key, origin: store.engine.origin, .none)
  }

  /// Returns the index of an entity's root entity. All entities below a root share its keys.
  func root(_ entity: Int32) -> Int { layouts.entities[Int(entity)].rootIndex }

  func isDeleted(_ entity: Int32, _ key: Int64) -> Bool {
    !deleted.isEmpty && deleted.contains(root(entity), key)
  }
}

/// The keys of deleted rows by the indexes of their root entities.
final class DeletedRows {
  private var keys: [Int: Set<Int64>] = [:]

  var isEmpty: Bool { keys.isEmpty }

  func contains(_ root: Int, _ key: Int64) -> Bool { keys[root]?.contains(key) ?? false }

  func insert(_ root: Int, _ key: Int64) { keys[root, default: []].insert(key) }
}
