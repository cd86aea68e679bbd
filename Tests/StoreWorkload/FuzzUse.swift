import CoreData
import FixtureSupport

/// All that a program does with a store that it was given.
struct FuzzUse {
  let url: URL
  let model: NSManagedObjectModel?

  /// - Returns: the codes of the errors there were.
  func run(_ random: inout SeededGenerator) throws -> [Int] {
    var codes: [Int] = []
    func attempt(_ what: String, _ body: () throws -> Void) throws {
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
    var own: NSManagedObjectModel?
    try attempt("metadata") {
      _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: url)
    }
    try attempt("model") { own = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url) }
    try attempt("inferring") {
      let model = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
      if own == nil { own = model }
    }
    try attempt("verifying") {
      _ = try NSPersistentStoreCoordinator.verifyPersistentStore(
        at: url, model: model, repairing: Bool.random(using: &random))
    }
    guard let model = model ?? own else { return codes }
    try attempt("reading") { try read(model, isReadOnly: true) }
    try attempt("writing") { try read(model, isReadOnly: false) }
    return codes
  }

  private func read(_ model: NSManagedObjectModel, isReadOnly: Bool) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSReadOnlyPersistentStoreOption: isReadOnly, NSPersistentStoreTimeoutOption: 1,
        NSIgnorePersistentStoreVersioningOption: true,
      ])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    defer {
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
    try context.performAndWait {
      for entity in model.entities {
        let objects = try context.all(entity.name ?? "")
        for object in objects.prefix(50) { look(object) }
        if !isReadOnly, let first = objects.first { try change(first, in: context) }
      }
      if isReadOnly { return }
      do {
        try context.save()
      } catch {
        context.rollback()
        throw error
      }
    }
  }

  private func look(_ object: NSManagedObject) {
    for property in object.entity.properties {
      switch object.value(forKey: property.name) {
      case let set as NSSet: _ = set.count
      case let set as NSOrderedSet: _ = set.count
      default: break
      }
    }
  }

  private func change(_ object: NSManagedObject, in context: NSManagedObjectContext) throws {
    for (name, attribute) in object.entity.attributesByName
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
}
