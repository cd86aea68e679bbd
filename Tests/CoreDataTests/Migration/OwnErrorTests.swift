import CoreData
import Testing

/// An error that the program's code throws while the library calls it reaches the caller unchanged.
@Suite("Errors of the program's own domain are thrown unchanged")
struct OwnErrorTests {
  static let own = NSError(domain: "Shop", code: 7, userInfo: ["reason": "closed"])

  enum Failure: Error, Equatable { case closed(Int) }

  private func expectOwn(_ body: () throws -> Void) {
    let error = #expect(throws: NSError.self, performing: body)
    #expect(error?.domain == "Shop")
    #expect(error?.code == 7)
    #expect(error?.userInfo["reason"] as? String == "closed")
  }

  private func versions() -> [NSManagedObjectModel] {
    ["one", "two"].map { version in
      let model = SampleStack.makeModel()
      model.entitiesByName["Player"]?.versionHashModifier = version
      return model
    }
  }

  private func stage(_ models: [NSManagedObjectModel], label: String) -> NSCustomMigrationStage {
    let references = models.map {
      NSManagedObjectModelReference(model: $0, versionChecksum: $0.versionChecksum)
    }
    let stage = NSCustomMigrationStage(
      migratingFrom: references[0], to: references[1])
    stage.label = label
    return stage
  }

  private func migrate(
    _ label: String, _ prepare: (NSCustomMigrationStage) -> Void
  ) throws {
    let models = versions()
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let old = try TestedStore.sqlite.open(models[0], at: url)
    try old.context.performAndWait {
      old.context.insert("Player", ["name": "Ann"])
      try old.context.save()
    }
    try old.context.persistentStoreCoordinator?.remove(old.store)
    let stage = stage(models, label: label)
    prepare(stage)
    _ = try TestedStore.sqlite.open(
      models[1], at: url,
      options: [
        NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage]),
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
      ])
  }

  @Test(
    "A staged migration throws its handler's error, whether or not the stage has a label",
    arguments: ["", "to two"])
  func stages(_ label: String) {
    expectOwn { try migrate(label) { $0.willMigrateHandler = { _, _ in throw Self.own } } }
    expectOwn { try migrate(label) { $0.didMigrateHandler = { _, _ in throw Self.own } } }
    #expect(throws: Failure.closed(3)) {
      try migrate(label) { $0.didMigrateHandler = { _, _ in throw Failure.closed(3) } }
    }
    // A handler's error is thrown unchanged even if it belongs to the Cocoa domain.
    let cocoa = NSError(domain: NSCocoaErrorDomain, code: 4, userInfo: ["reason": "gone"])
    let error = #expect(throws: NSError.self) {
      try migrate(label) { $0.willMigrateHandler = { _, _ in throw cocoa } }
    }
    #expect(error?.code == 4)
    #expect(error?.userInfo["reason"] as? String == "gone")
    #expect(error?.userInfo[NSUnderlyingErrorKey] == nil)
  }

  final class ThrowingFunction: NSMigrationManager, @unchecked Sendable {
    override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
      throw OwnErrorTests.own
    }
  }

  private func run(
    _ make: (NSManagedObjectModel, NSManagedObjectModel) -> NSMigrationManager = {
      NSMigrationManager(sourceModel: $0, destinationModel: $1)
    },
    _ change: (NSEntityMapping) -> Void
  ) throws {
    let models = versions()
    let folder = try TemporaryFolder()
    let url = folder.file("old.sqlite")
    let old = try TestedStore.sqlite.open(models[0], at: url)
    try old.context.performAndWait {
      old.context.insert("Player", ["name": "Ann"])
      try old.context.save()
    }
    try old.context.persistentStoreCoordinator?.remove(old.store)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: models[0], destinationModel: models[1])
    let player = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Player" })
    change(player)
    try make(models[0], models[1]).migrateStore(
      from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
      toDestinationURL: folder.file("new.sqlite"), destinationType: NSSQLiteStoreType,
      destinationOptions: nil)
  }

  @Test("A migration throws the error of its policy, and of a function in a mapping's expression")
  func policies() {
    expectOwn {
      try run {
        $0.mappingType = .customEntityMappingType
        $0.entityMigrationPolicyClassName = NSStringFromClass(OwnErrorPolicy.self)
      }
    }
    expectOwn {
      try run({ ThrowingFunction(sourceModel: $0, destinationModel: $1) }) { mapping in
        mapping.mappingType = .customEntityMappingType
        let name = mapping.attributeMappings?.first { $0.name == "name" }
        name?.valueExpression = NSExpression(format: "FUNCTION($manager, 'own:', 1)")
      }
    }
  }

  @Test("Cancelling an idle manager makes only its next migration throw the error")
  func cancellation() throws {
    for round in 0..<20 {
      let models = versions()
      let folder = try TemporaryFolder()
      let url = folder.file("old.sqlite")
      let old = try TestedStore.sqlite.open(models[0], at: url)
      try old.context.persistentStoreCoordinator?.remove(old.store)
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: models[0], destinationModel: models[1])
      let manager = NSMigrationManager(sourceModel: models[0], destinationModel: models[1])
      func run(_ name: String) throws {
        try manager.migrateStore(
          from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
          toDestinationURL: folder.file(name), destinationType: NSSQLiteStoreType,
          destinationOptions: nil)
      }
      if round % 2 == 0 {
        manager.cancelMigrationWithError(Self.own)
      } else {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          manager.cancelMigrationWithError(Self.own)
          done.signal()
        }
        done.wait()
      }
      expectOwn { try run("first.sqlite") }
      #expect(!FileManager.default.fileExists(atPath: folder.file("first.sqlite").path))
      try run("second.sqlite")
      manager.cancelMigrationWithError(Self.own)
      manager.reset()
      try run("third.sqlite")
    }
  }

  @Test("Cancelling the progress of an idle manager cancels only its next migration")
  func progress() throws {
    let models = versions()
    let folder = try TemporaryFolder()
    let url = folder.file("old.sqlite")
    let old = try TestedStore.sqlite.open(models[0], at: url)
    try old.context.persistentStoreCoordinator?.remove(old.store)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: models[0], destinationModel: models[1])
    let manager = NSMigrationManager(sourceModel: models[0], destinationModel: models[1])
    func run(_ name: String) throws {
      try manager.migrateStore(
        from: url, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
        toDestinationURL: folder.file(name), destinationType: NSSQLiteStoreType,
        destinationOptions: nil)
    }
    manager.reportedProgress.cancel()
    let error = #expect(throws: NSError.self) { try run("first.sqlite") }
    #expect(error?.code == NSMigrationCancelledError)
    try run("second.sqlite")
    #expect(!manager.reportedProgress.isCancelled)
  }

  // MARK: Saving

  final class ThrowingMerge: NSMergePolicy, @unchecked Sendable {
    override func resolve(mergeConflicts list: [Any]) throws { throw OwnErrorTests.own }
  }

  @Test("A save throws the error of a validation, and of a merge policy", .onEveryStore)
  func saving() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(OwnErrorTag.self)
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let tag = context.insert("Tag", ["label": "x"])
      expectOwn { try context.save() }
      context.delete(tag)
      let team = context.insert("Team", ["name": "Red"])
      try context.save()
      context.mergePolicy = ThrowingMerge(merge: .errorMergePolicyType)
      team.setValue("Blue", forKey: "name")
      try stack.reading { other in
        try other.existingObject(with: team.objectID).setValue("Green", forKey: "name")
        try other.save()
      }
      expectOwn { try context.save() }
    }
  }
}

final class OwnErrorPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws { throw OwnErrorTests.own }
}

final class OwnErrorTag: NSManagedObject {
  override func validateForInsert() throws { throw OwnErrorTests.own }
}
