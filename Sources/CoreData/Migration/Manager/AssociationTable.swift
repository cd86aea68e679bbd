/// Which destination objects an entity mapping made of which source objects.
///
/// Keys are held, objects are not. Objects that have no key yet wait until they are saved.
///
/// Pairs are kept as runs, in the order in which rows are read (``AssociationRun``), so that a million of them take
/// little memory and a look-up is a binary search.
struct AssociationTable {
  private var runs: [AssociationRun] = []
  private var bySource = AssociationOrder { $0.source }
  private var byDestination = AssociationOrder { $0.destination }

  private var waiting: [(source: NSManagedObject, destination: NSManagedObject)] = []
  private var waitingBySource: [ObjectIdentifier: [Int]] = [:]
  private var waitingByDestination: [ObjectIdentifier: [Int]] = [:]

  /// Whether a destination object is among those that wait.
  func isWaiting(_ destination: NSManagedObject) -> Bool {
    waitingByDestination[ObjectIdentifier(destination)] != nil
  }

  mutating func associate(_ source: NSManagedObject, _ destination: NSManagedObject) {
    waitingBySource[ObjectIdentifier(source), default: []].append(waiting.count)
    waitingByDestination[ObjectIdentifier(destination), default: []].append(waiting.count)
    waiting.append((source, destination))
  }

  /// Lets go of the objects that were saved, and keeps their keys. A pair one of whose objects has no
  /// row is dropped: it was deleted again.
  mutating func keepKeys() {
    for (source, destination) in waiting where source.key > 0 && destination.key > 0 {
      let pair = AssociationRun(
        source: source.key, destination: destination.key, sourceEntity: Int32(source.layout.index),
        destinationEntity: Int32(destination.layout.index))
      bySource.note(pair, after: runs.last)
      byDestination.note(pair, after: runs.last)
      if runs.isEmpty || !runs[runs.count - 1].extend(by: pair) { runs.append(pair) }
    }
    waiting = []
    waitingBySource = [:]
    waitingByDestination = [:]
  }

  // MARK: Looking up

  /// What was made of a source object.
  mutating func destinations(
    of source: NSManagedObject, in stores: MigrationStores
  ) -> [NSManagedObject] {
    let root = source.layout.rootIndex
    var result: [NSManagedObject] = []
    if source.key > 0 {
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

  /// What a destination object was made of.
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

  /// All pairs, as faults.
  func allPairs(
    in stores: MigrationStores
  ) -> [(source: NSManagedObject, destination: NSManagedObject)] {
    runs.flatMap { run in
      (0..<run.count).filter { run.isThere($0, in: stores) }.map { run.pair($0, in: stores) }
    } + waiting
  }

  /// The pairs that have keys by now, to be gone through in batches.
  func makeIterator() -> AssociationIterator { AssociationIterator(runs, byDestination) }
}

/// Goes through the pairs that there were when it was made, by the keys of their destinations; a destination
/// of several sources comes once, with the first.
struct AssociationIterator {
  private let runs: [AssociationRun]
  private var order: AssociationOrder
  private var rank = 0
  private var offset: Int64 = 0
  /// How many pairs were gone through.
  private(set) var done = 0

  fileprivate init(_ runs: [AssociationRun], _ order: AssociationOrder) {
    self.runs = runs
    self.order = order
  }

  /// The next pairs; none at the end.
  mutating func next(
    limit: Int, in stores: MigrationStores
  ) -> [(source: NSManagedObject, destination: NSManagedObject)] {
    var result: [(source: NSManagedObject, destination: NSManagedObject)] = []
    while rank < runs.count, result.count < limit {
      let place = order.place(ofRank: rank, in: runs)
      if runs[place].isThere(offset, in: stores), isFirst(offset, place, stores) {
        result.append(runs[place].pair(offset, in: stores))
      }
      done += 1
      offset += 1
      if offset == runs[place].count { (rank, offset) = (rank + 1, 0) }
    }
    return result
  }

  /// Whether no pair that was added before has the same destination.
  private mutating func isFirst(_ offset: Int64, _ place: Int, _ stores: MigrationStores) -> Bool {
    if order.isUnambiguous { return true }
    let run = runs[place]
    let root = stores.destination.root(run.destinationEntity)
    let others = order.places(of: run.destination + offset, in: runs)
    return others.first { stores.destination.root(runs[$0].destinationEntity) == root } == place
  }
}

extension AssociationRun {
  /// Whether a destination was not deleted after it had been saved.
  fileprivate func isThere(_ offset: Int64, in stores: MigrationStores) -> Bool {
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

/// The two stores of a migration.
struct MigrationStores {
  let source: MigrationSide
  let destination: MigrationSide
}

/// One of the stores of a migration, with its context.
struct MigrationSide {
  let context: NSManagedObjectContext
  let store: NSPersistentStore
  let layouts: ModelLayout
  /// The rows that somebody deleted after they had been saved.
  let deleted = DeletedRows()

  /// The object of a row: the one in use, or a fault.
  func object(_ entity: Int32, _ key: Int64) -> NSManagedObject {
    context.object(layouts.entities[Int(entity)], key: key, origin: store.engine.origin, .none)
  }

  /// The entity at the top of an entity's hierarchy, with which it shares its keys.
  func root(_ entity: Int32) -> Int { layouts.entities[Int(entity)].rootIndex }

  func isDeleted(_ entity: Int32, _ key: Int64) -> Bool {
    !deleted.isEmpty && deleted.contains(root(entity), key)
  }
}

/// Keys of rows that are no more, by the entities at the top of their hierarchies.
final class DeletedRows {
  private var keys: [Int: Set<Int64>] = [:]

  var isEmpty: Bool { keys.isEmpty }

  func contains(_ root: Int, _ key: Int64) -> Bool { keys[root]?.contains(key) ?? false }

  func insert(_ root: Int, _ key: Int64) { keys[root, default: []].insert(key) }
}
