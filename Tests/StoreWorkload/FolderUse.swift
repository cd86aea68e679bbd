import CoreData
import FixtureSupport

/// Copies, replaces, migrates, repairs and destroys a store, and changes the values in its external files.
struct FolderUse {
  let url: URL
  let model: NSManagedObjectModel?

  /// - Returns: The codes of the errors that occurred.
  func run(_ random: inout SeededGenerator) throws -> [Int] {
    var codes: [Int] = []
    func attempt(_ what: String, _ body: () throws -> Void) throws {
      do { try body() } catch let lost as Lost {
        throw lost
      } catch {
        let error = error as NSError
        try Lost.unless(error.domain == NSCocoaErrorDomain, "\(what): \(error)")
        codes.append(error.code)
      }
    }
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: model ?? NSManagedObjectModel())
    let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
    try attempt("copying") {
      try coordinator.replacePersistentStore(
        at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    }
    try attempt("values") { try useValues() }
    try attempt("replacing") {
      try coordinator.replacePersistentStore(
        at: url, withPersistentStoreFrom: copy, ofType: NSSQLiteStoreType)
    }
    try attempt("migrating") { try migrate() }
    try attempt("repairing") {
      _ = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
    }
    if Bool.random(using: &random) {
      try attempt("destroying") {
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
      }
    }
    return codes
  }

  /// Changes some values, removes others, and deletes rows with values.
  private func useValues() throws {
    guard let model else { return }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSPersistentStoreTimeoutOption: 1, NSPersistentHistoryTrackingKey: true as NSNumber,
      ])
    defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let items = try context.all("Item").filter { $0.value(forKey: "payload") != nil }
      for (place, item) in items.enumerated() {
        switch place % 3 {
        case 0: item.setValue(Data(count: 150_000), forKey: "payload")
        case 1: item.setValue(nil, forKey: "payload")
        default: context.delete(item)
        }
      }
      try context.save()
    }
  }

  private func migrate() throws {
    guard let model, let new = model.copy() as? NSManagedObjectModel else { return }
    let note = NSAttributeDescription()
    (note.name, note.attributeType) = ("fuzzNote", .stringAttributeType)
    new.entitiesByName["Item"]?.properties.append(note)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: new)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true, NSPersistentStoreTimeoutOption: 1,
        NSPersistentHistoryTrackingKey: true as NSNumber,
      ])
    try coordinator.remove(store)
  }
}
