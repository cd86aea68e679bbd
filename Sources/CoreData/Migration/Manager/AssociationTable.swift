import Foundation

/// Which destination objects an entity mapping made of which source objects.
///
/// Pairs of keys, 24 bytes each: a million pairs are held, a million objects are not. Objects that have
/// no key yet wait until they are saved.
struct AssociationTable {
  private var sources = KeyPositions()
  private var destinations = KeyPositions()
  /// The indexes of the entities' layouts.
  private var sourceEntities: [Int32] = []
  private var destinationEntities: [Int32] = []

  private var waiting: [(source: NSManagedObject, destination: NSManagedObject)] = []
  private var waitingBySource: [ObjectIdentifier: [Int]] = [:]
  private var waitingByDestination: [ObjectIdentifier: [Int]] = [:]

  /// How many pairs have keys.
  var count: Int { sources.count }

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
      sources.append(source.key)
      destinations.append(destination.key)
      sourceEntities.append(Int32(source.layout.index))
      destinationEntities.append(Int32(destination.layout.index))
    }
    waiting = []
    waitingBySource = [:]
    waitingByDestination = [:]
  }

  // MARK: Looking up

  /// What was made of a source object.
  mutating func destinations(
    of source: NSManagedObject, in rows: MigrationRows
  ) -> [NSManagedObject] {
    let root = source.layout.rootIndex
    var result: [NSManagedObject] = []
    if source.key > 0 {
      for place in sources.positions(of: source.key)
      where rows.source.root(sourceEntities[place]) == root {
        result.append(
          rows.destination.object(destinationEntities[place], destinations.keys[place]))
      }
    }
    for place in waitingBySource[ObjectIdentifier(source)] ?? [] {
      result.append(waiting[place].destination)
    }
    return result
  }

  /// What a destination object was made of.
  mutating func sources(
    of destination: NSManagedObject, in rows: MigrationRows
  ) -> [NSManagedObject] {
    let root = destination.layout.rootIndex
    var result: [NSManagedObject] = []
    if destination.key > 0 {
      for place in destinations.positions(of: destination.key)
      where rows.destination.root(destinationEntities[place]) == root {
        result.append(rows.source.object(sourceEntities[place], sources.keys[place]))
      }
    }
    for place in waitingByDestination[ObjectIdentifier(destination)] ?? [] {
      result.append(waiting[place].source)
    }
    return result
  }

  /// All pairs, as faults.
  func allPairs(
    in rows: MigrationRows
  ) -> [(source: NSManagedObject, destination: NSManagedObject)] {
    (0..<count).map { place in
      (
        rows.source.object(sourceEntities[place], sources.keys[place]),
        rows.destination.object(destinationEntities[place], destinations.keys[place])
      )
    } + waiting
  }

  /// The pairs that have keys, from a rank of their destinations' keys on; a destination of several
  /// sources comes once, with the first.
  ///
  /// - Parameters:
  ///   - rank: where to begin; moved behind the last pair.
  ///   - limit: how many pairs at most.
  mutating func nextPairs(
    from rank: inout Int, limit: Int, in rows: MigrationRows
  ) -> [(source: NSManagedObject, destination: NSManagedObject)] {
    var result: [(source: NSManagedObject, destination: NSManagedObject)] = []
    while rank < count, result.count < limit {
      let place = destinations.position(ofRank: rank)
      let key = destinations.keys[place]
      let destination = rows.destination.object(destinationEntities[place], key)
      let isRepeated = rank > 0 && isSame(destinations.position(ofRank: rank - 1), place, rows)
      rank += 1
      if isRepeated { continue }
      result.append((rows.source.object(sourceEntities[place], sources.keys[place]), destination))
    }
    return result
  }

  private func isSame(_ one: Int, _ other: Int, _ rows: MigrationRows) -> Bool {
    destinations.keys[one] == destinations.keys[other]
      && rows.destination.root(destinationEntities[one])
        == rows.destination.root(destinationEntities[other])
  }
}

/// The two stores of a migration, of whose rows objects are made.
struct MigrationRows {
  let source: MigrationSide
  let destination: MigrationSide
}

/// One of the stores of a migration, with its context.
struct MigrationSide {
  let context: NSManagedObjectContext
  let store: NSPersistentStore
  let layouts: ModelLayout

  /// The object of a row: the one in use, or a fault.
  func object(_ entity: Int32, _ key: Int64) -> NSManagedObject {
    context.object(
      layouts.entities[Int(entity)], key: key, origin: store.engine.origin, .none)
  }

  /// The entity at the top of an entity's hierarchy, with which it shares its keys.
  func root(_ entity: Int32) -> Int { layouts.entities[Int(entity)].rootIndex }
}
