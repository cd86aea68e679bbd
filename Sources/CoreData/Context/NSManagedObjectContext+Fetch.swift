import Foundation
import ObjectModel

extension NSManagedObjectContext {
  /// The results of a request: objects, object IDs, dictionaries or one count, in the request's
  /// order; unsaved changes of this context count.
  ///
  /// One query, plus one for each prefetched relationship.
  ///
  /// Compared to Apple's Core Data: a mistake in the request is thrown, with its cause, rather
  /// than raised.
  ///
  /// - Throws: `NSCoreDataError` for a mistake in the request; the store's errors.
  public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
    let results: [Any]
    switch request.resultType {
    case .dictionaryResultType: results = try dictionaries(request)
    case .countResultType: results = [NSNumber(value: try count(for: request))]
    default:
      let objects = try objects(request)
      if request.resultType != .managedObjectIDResultType {
        // The usual case costs no cast an object.
        if let typed = objects as? [T] { return typed }
        return try typed(objects)
      }
      results = objects.map(\.objectID)
    }
    return try typed(results)
  }

  private func typed<T>(_ results: [Any]) throws -> [T] {
    if let typed = results as? [T] { return typed }
    let wrong = results.first { !($0 is T) }
    throw CoreDataError.badRequest(
      "the request gives \(wrong.map { "\(Swift.type(of: $0))" } ?? "nothing"), which is not"
        + " \(T.self)")
  }

  /// How many objects a request would give; its limit and offset count.
  public func count<T>(for request: NSFetchRequest<T>) throws -> Int {
    processPendingChanges()
    let (coordinator, plan) = try plan(request)
    let stores = coordinator.stores(for: request)
    if request.includesPendingChanges, try !overlay(plan).isEmpty || stores.count > 1 {
      return try objects(request).count
    }
    var count = 0
    for store in stores { count += try store.engine.count(plan) }
    return count
  }

  private func plan<T>(
    _ request: NSFetchRequest<T>
  ) throws -> (NSPersistentStoreCoordinator, FetchPlan) {
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    return (coordinator, try FetchPlan(request, in: coordinator.layouts))
  }

  private func dictionaries<T>(_ request: NSFetchRequest<T>) throws -> [Any] {
    guard let coordinator = persistentStoreCoordinator else { throw noCoordinator }
    let plan = try DictionaryPlan(request, in: coordinator.layouts)
    var results: [Any] = []
    for store in coordinator.stores(for: request) {
      results += try store.engine.dictionaries(plan).map { NSDictionary(dictionary: $0) }
    }
    return results
  }

  private func objects<T>(_ request: NSFetchRequest<T>) throws -> [NSManagedObject] {
    processPendingChanges()
    var (coordinator, plan) = try plan(request)
    plan.fetchesValues = request.includesPropertyValues && request.fetchBatchSize == 0
    let stores = coordinator.stores(for: request)
    let overlay = request.includesPendingChanges ? try overlay(plan) : FetchOverlay()
    let (limit, offset) = (plan.limit, plan.offset)
    if !overlay.isEmpty || stores.count > 1 {
      // Changed objects are taken out of the rows and put back where they belong now, so as many
      // rows more are needed.
      if limit > 0 { plan.limit = limit + offset + overlay.excluded.count }
      plan.offset = 0
    }
    var objects: [NSManagedObject] = []
    for store in stores { objects += try fetch(plan, from: store, request.fetchBatchSize) }
    if request.shouldRefreshRefetchedObjects { try refreshRefetched(objects) }
    if !overlay.isEmpty || stores.count > 1 {
      objects = try overlay.applied(
        to: objects, RowOrder(sorts: plan.sorts), isSorted: stores.count == 1)
      objects = Array(objects.dropFirst(offset))
      if limit > 0 { objects = Array(objects.prefix(limit)) }
    }
    if !request.returnsObjectsAsFaults { for object in objects { try object.fire() } }
    for path in request.relationshipKeyPathsForPrefetching ?? [] {
      try prefetch(path, of: objects, plan.layout)
    }
    return objects
  }

  /// The objects of a store's rows.
  private func fetch(
    _ plan: FetchPlan, from store: NSPersistentStore, _ batchSize: Int
  ) throws -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    let origin = store.engine.origin
    let capacity = plan.limit > 0 ? plan.limit : RowBatch.maximumCount
    try store.engine.fetch(plan, batchCapacity: capacity) { batch in
      objects.reserveCapacity(objects.count + batch.count)
      if plan.fetchesValues {
        for row in 0..<batch.count {
          objects.append(
            object(
              batch.layout(row), key: batch.key(row), origin: origin, .row(batch, Int32(row))))
        }
      } else {
        let keys = (0..<batch.count).map { (batch.key($0), batch.layout($0)) }
        objects += faults(
          keys, of: plan.layout, origin: origin,
          groupSize: batchSize > 0 ? batchSize : RowBatch.maximumCount)
      }
    }
    return objects
  }

  /// Takes the store's present rows for objects without unsaved changes.
  private func refreshRefetched(_ objects: [NSManagedObject]) throws {
    for object in objects where !object.flags.contains(.fault) {
      refresh(object, mergeChanges: true)
      try object.fire()
    }
  }

  /// Reads the destinations of a relationship path for many objects at once.
  private func prefetch(
    _ keyPath: String, of objects: [NSManagedObject], _ layout: EntityLayout
  ) throws {
    var owners = objects
    var layout = layout
    for key in keyPath.split(separator: ".") {
      guard let slot = layout.slot(named: String(key)), let relationship = slot.relationship else {
        throw CoreDataError.badRequest(
          "cannot prefetch \(keyPath): \(layout.name) has no relationship \(key)")
      }
      owners =
        slot.kind == .toOne
        ? try prefetchToOne(slot, of: owners) : try prefetchToMany(slot, of: owners)
      layout = relationship.destination
    }
  }

  private func prefetchToOne(
    _ slot: PropertySlot, of owners: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    var destinations = ChangeList()
    for owner in owners {
      if let object = try owner.toOneObject(slot.index) { destinations.insert(object) }
    }
    try readRows(of: Array(destinations))
    return Array(destinations)
  }

  private func prefetchToMany(
    _ slot: PropertySlot, of owners: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    guard let destination = slot.relationship?.destination else { return [] }
    let unread = owners.filter { $0.key > 0 && !$0.unreadContent(slot.index).isRead }
    for (origin, group) in Dictionary(grouping: unread, by: { ObjectIdentifier($0.origin) }) {
      guard let store = group[0].origin.store, ObjectIdentifier(store.engine.origin) == origin
      else { continue }
      var members: [Int64: [(key: Int64, layout: EntityLayout)]] = [:]
      for layout in Set(group.map { ObjectIdentifier($0.layout) }) {
        let owners = group.filter { ObjectIdentifier($0.layout) == layout }
        try store.engine.members(
          of: slot.index, layout: owners[0].layout, owners: owners.map(\.key)
        ) { members[$0, default: []].append(($1, $2)) }
      }
      let all = members.values.flatMap { $0 }
      _ = try withExtendedLifetime(
        faults(all, of: destination, origin: store.engine.origin)
      ) { objects in
        try readRows(of: objects)
        for owner in group {
          try owner.fire()
          let own = (members[owner.key] ?? []).map {
            object($0.layout, key: $0.key, origin: store.engine.origin, .none)
          }
          owner.unreadContent(slot.index).read(own)
        }
      }
    }
    return try owners.flatMap { try $0.toManyObjects(slot.index) }
  }

  /// Reads the rows of faults, many at a time.
  func readRows(of objects: [NSManagedObject]) throws {
    let faults = objects.filter { !$0.snapshot.isPresent && $0.key > 0 }
    let byRoot = Dictionary(grouping: faults) {
      [ObjectIdentifier($0.origin), ObjectIdentifier($0.layout.root)]
    }
    for group in byRoot.values {
      guard let store = group[0].origin.store else { continue }
      var byKey: [Int64: NSManagedObject] = [:]
      for object in group { byKey[object.key] = object }
      try store.engine.rows(group.map(\.key), of: group[0].layout.root) { batch in
        for row in 0..<batch.count { byKey[batch.key(row)]?.snapshot = .row(batch, Int32(row)) }
      }
    }
  }
}
