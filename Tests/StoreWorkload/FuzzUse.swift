import CoreData
import FixtureSupport

/// Everything that a program does with a store it received.
final class FuzzUse {
  private let url: URL
  private let model: NSManagedObjectModel?
  /// The codes of the errors that occurred.
  private var codes: [Int] = []

  init(url: URL, model: NSManagedObjectModel?) {
    self.url = url
    self.model = model
  }

  /// - Returns: The codes of the errors that occurred.
  func run(_ random: inout SeededGenerator) throws -> [Int] {
    var own: NSManagedObjectModel?
    let url = url
    let given = model
    try attempt("metadata") {
      _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: url)
    }
    try attempt("model") { own = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url) }
    try attempt("inferring") {
      let model = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
      if own == nil { own = model }
    }
    let repairs = Bool.random(using: &random)
    try attempt("verifying") {
      _ = try NSPersistentStoreCoordinator.verifyPersistentStore(
        at: url, model: given, repairing: repairs)
    }
    let tracksHistory = Bool.random(using: &random)
    guard let model = given ?? own else { return codes }
    for isReadOnly in [true, false] {
      try open(model, isReadOnly: isReadOnly, tracksHistory: tracksHistory)
    }
    return codes
  }

  /// Calls a body that may throw errors of Core Data, and no others.
  private func attempt(_ what: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let lost as Lost {
      throw lost
    } catch {
      let error = error as NSError
      try Lost.unless(error.domain == NSCocoaErrorDomain, "\(what): \(error)")
      codes.append(error.code)
    }
  }

  private func open(
    _ model: NSManagedObjectModel, isReadOnly: Bool, tracksHistory: Bool
  ) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = url
    try attempt("opening") {
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [
          NSReadOnlyPersistentStoreOption: isReadOnly, NSPersistentStoreTimeoutOption: 1,
          NSIgnorePersistentStoreVersioningOption: true,
          NSPersistentHistoryTrackingKey: tracksHistory as NSNumber,
        ])
    }
    if coordinator.persistentStores.isEmpty { return }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    defer {
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
    try context.performAndWait {
      for entity in model.entities {
        // The objects are released after the first pass, so the second pass makes them again.
        for _ in 0..<2 {
          try attempt("reading") {
            for object in try context.all(entity.name ?? "").prefix(50) {
              try read(object, in: context)
            }
          }
        }
        try attempt("reading in other ways") { try readInOtherWays(entity, in: context) }
        if isReadOnly { continue }
        try attempt("changing") {
          if let first = try context.all(entity.name ?? "").first {
            try change(first, in: context)
          }
        }
      }
      if isReadOnly {
        try attempt("history") { try readHistory(in: context) }
        return
      }
      try attempt("saving") {
        do {
          try context.save()
        } catch {
          context.rollback()
          throw error
        }
      }
      for entity in model.entities {
        for (name, request) in batches(entity) {
          try attempt(name) { try context.execute(request) }
        }
      }
      try attempt("history") { try readHistory(in: context) }
      try attempt("deleting history") {
        try context.execute(
          NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
      }
      context.reset()
    }
  }

  /// Reads everything in an object, and finds it again by its ID and URI.
  private func read(_ object: NSManagedObject, in context: NSManagedObjectContext) throws {
    for property in object.entity.properties {
      switch object.value(forKey: property.name) {
      case let set as NSSet: _ = set.count
      case let set as NSOrderedSet: _ = set.count
      case let other as NSManagedObject: _ = other.objectID.uriRepresentation()
      default: break
      }
    }
    let id = object.objectID
    // A reference may have made the object with a wrong entity. Reading its row then replaces it.
    if object.managedObjectContext == nil { return }
    try Lost.unless(
      id.isTemporaryID || context.object(with: id) === object, "another object has the ID \(id)")
    let uri = id.uriRepresentation()
    let found = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
    try Lost.unless(found == nil || found == id, "\(uri) leads to another object")
  }

  private func readInOtherWays(
    _ entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws {
    let name = entity.name ?? ""
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: name)
    ids.resultType = .managedObjectIDResultType
    for id in try context.fetch(ids).prefix(20) { _ = context.object(with: id).isFault }
    let batched = NSFetchRequest<NSManagedObject>(entityName: name)
    batched.fetchBatchSize = 3
    batched.relationshipKeyPathsForPrefetching = entity.relationshipsByName.keys.sorted()
    for object in try context.fetch(batched).prefix(20) { try read(object, in: context) }
    let controller = NSFetchedResultsController(
      fetchRequest: sorted(name, by: entity), managedObjectContext: context,
      sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    for object in (controller.fetchedObjects ?? []).prefix(20) { _ = object.objectID }
  }

  private func sorted(
    _ name: String, by entity: NSEntityDescription
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    let key = entity.attributesByName.values.filter { !$0.isTransient }.map(\.name).min()
    request.sortDescriptors = [NSSortDescriptor(key: key ?? "self", ascending: true)]
    return request
  }

  private func change(_ object: NSManagedObject, in context: NSManagedObjectContext) throws {
    for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
    where attribute.attributeType == .stringAttributeType {
      try object.setValidatedValue("changed", forKey: name)
    }
    if !object.entity.isAbstract {
      _ = NSEntityDescription.insertNewObject(
        forEntityName: object.entity.name ?? "", into: context)
    }
    if let other = object.entity.relationshipsByName.keys.sorted().first {
      _ = object.value(forKey: other)
    }
  }

  /// Returns an insertion, an update and a deletion of an entity's rows.
  private func batches(_ entity: NSEntityDescription) -> [(String, NSPersistentStoreRequest)] {
    let name = entity.name ?? ""
    let texts = entity.attributesByName.values
      .filter { $0.attributeType == .stringAttributeType && !$0.isTransient }.map(\.name).sorted()
    let insertion = NSBatchInsertRequest(
      entityName: name,
      objects: (0..<3).map { number in
        Dictionary(uniqueKeysWithValues: texts.map { ($0, "row \(number)" as Any) })
      })
    insertion.resultType = .objectIDs
    let update = NSBatchUpdateRequest(entityName: name)
    update.propertiesToUpdate = Dictionary(
      uniqueKeysWithValues: texts.prefix(1).map { ($0 as AnyHashable, "updated" as Any) })
    update.resultType = .updatedObjectIDsResultType
    let some = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
    some.fetchLimit = 5
    let deletion = NSBatchDeleteRequest(fetchRequest: some)
    deletion.resultType = .resultTypeObjectIDs
    let changes: [(String, NSPersistentStoreRequest)] =
      texts.isEmpty ? [] : [("batch update", update)]
    let inserts: [(String, NSPersistentStoreRequest)] =
      entity.isAbstract ? [] : [("batch insert", insertion)]
    return inserts + changes + [("batch delete", deletion)]
  }

  private func readHistory(in context: NSManagedObjectContext) throws {
    let result = try context.execute(
      NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
    let transactions =
      (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
    for transaction in transactions {
      for change in transaction.changes ?? [] {
        _ = change.changedObjectID.uriRepresentation()
        _ = change.updatedProperties?.count
        _ = change.tombstone?.count
      }
      _ = transaction.objectIDNotification()
    }
  }
}
