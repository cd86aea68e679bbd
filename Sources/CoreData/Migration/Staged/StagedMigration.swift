/// One run of a staged migration.
struct StagedMigration {
  let manager: NSStagedMigrationManager
  let migration: StoreMigration

  /// Migrates the store to the model that it is opened with.
  func run() throws {
    var model = try migration.sourceModel(among: explicitModels)
    try requireForward(from: model)
    if try owed == model.versionChecksum {
      let stage = manager.stages.compactMap { $0 as? NSCustomMigrationStage }
        .last { $0.nextModel.versionChecksum == model.versionChecksum }
      if let stage { try labelled(stage) { try finish(stage, model) } }
    }
    for stage in manager.stages.dropFirst(firstStage(after: model)) {
      if model.versionChecksum == migration.model.model.versionChecksum { break }
      try labelled(stage) {
        switch stage {
        case let stage as NSCustomMigrationStage:
          let current = try stage.currentModel.resolve()
          try migrate(&model, to: current)
          try handle(stage.willMigrateHandler, stage, current)
          if stage.didMigrateHandler != nil { try owe(stage.nextModel.versionChecksum) }
          try migrate(&model, to: try stage.nextModel.resolve(), isPrepared: true)
          try finish(stage, model)
        case let stage as NSLightweightMigrationStage:
          // A store is never taken back to a model before its own, nor past the one to get to.
          let known = stage.versionChecksums.lastIndex(of: model.versionChecksum)
          for checksum in stage.versionChecksums[(known.map { $0 + 1 } ?? 0)...]
          where model.versionChecksum != migration.model.model.versionChecksum {
            // A model that nobody has is one that can be passed over: the next one is reached without it.
            guard let next = self.model(checksum) else { continue }
            try migrate(&model, to: next)
          }
        default: break
        }
      }
    }
    try migrate(&model, to: migration.model.model)
  }

  /// Makes errors of this library say in which stage they were. What a handler throws, and errors of other
  /// domains, stay as they are; the log has their stage.
  private func labelled(_ stage: NSMigrationStage, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let failure as HandlerFailure {
      note(failure.error, in: stage)
      throw failure.error
    } catch {
      let label = stage.label
      if label.isEmpty { throw error }
      let native = error as NSError
      guard native.domain == NSCocoaErrorDomain else {
        note(error, in: stage)
        throw error
      }
      throw CoreDataError.make(
        native.code, "\(label): \(native.localizedDescription)", native.userInfo, cause: error)
    }
  }

  private func note(_ error: any Error, in stage: NSMigrationStage) {
    Log.storeNotice(
      "the migration stage \"\(stage.label)\" of \(migration.url.path) failed: \(error)")
  }

  /// What a handler of the program threw.
  private struct HandlerFailure: Error {
    let error: any Error
  }

  // MARK: What is owed

  // A store's metadata say which stage's handler has still to end. It is written before that stage migrates; where the
  // process ends in between, or the handler fails, the store is of the model after it and nothing else would tell.

  private var owed: String? {
    get throws { try migration.metadata[StoreMetadata.owedStageKey] as? String }
  }

  private func owe(_ checksum: String?) throws {
    var metadata = try migration.metadata
    metadata[StoreMetadata.owedStageKey] = checksum ?? NSNull()
    try NSPersistentStoreCoordinator.setMetadata(
      metadata, forPersistentStoreOfType: migration.type, at: migration.url,
      options: migration.options(keepingHistory: true))
  }

  /// Whether a store that is of the model it is opened with has a handler that did not end, which one of the stages has.
  static func isOwed(
    _ type: String, _ url: URL, _ options: [AnyHashable: Any]?, _ model: NSManagedObjectModel
  ) -> Bool {
    guard
      let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey]
        as? NSStagedMigrationManager,
      !StoreOptions(options).isReadOnly,
      manager.stages.contains(where: { stage in
        guard let stage = stage as? NSCustomMigrationStage else { return false }
        return stage.didMigrateHandler != nil
          && stage.nextModel.versionChecksum == model.versionChecksum
      }),
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type, at: url, options: options)
    else { return false }
    return metadata[StoreMetadata.owedStageKey] as? String == model.versionChecksum
  }

  /// What a stage does after its migration.
  private func finish(_ stage: NSCustomMigrationStage, _ model: NSManagedObjectModel) throws {
    guard stage.didMigrateHandler != nil else { return }
    try handle(stage.didMigrateHandler, stage, model)
    try owe(nil)
  }

  /// - Throws: `NSStagedMigrationModelReferenceNotFoundError` where no stage names the store's model, or the one to get to:
  ///   nobody could say which stages it has behind it; `NSStagedMigrationBackwardMigrationError` where it is of a
  ///   later model than the one to get to.
  private func requireForward(from model: NSManagedObjectModel) throws {
    let order = manager.stages.flatMap { stage -> [String] in
      switch stage {
      case let stage as NSCustomMigrationStage:
        [stage.currentModel.versionChecksum, stage.nextModel.versionChecksum]
      case let stage as NSLightweightMigrationStage: stage.versionChecksums
      default: []
      }
    }
    guard let place = order.firstIndex(of: model.versionChecksum) else {
      throw CoreDataError.make(
        NSStagedMigrationModelReferenceNotFoundError,
        "no stage names the model of the store \(migration.url.path), which has the checksum"
          + " \(model.versionChecksum)", at: migration.url.path)
    }
    guard let target = order.lastIndex(of: migration.model.model.versionChecksum) else {
      // The stages might lead past it, and what they remove would be lost.
      throw CoreDataError.make(
        NSStagedMigrationModelReferenceNotFoundError,
        "no stage names the model that the store \(migration.url.path) is opened with, which has the checksum"
          + " \(migration.model.model.versionChecksum)", at: migration.url.path)
    }
    guard target < place else { return }
    throw CoreDataError.make(
      NSStagedMigrationBackwardMigrationError,
      "the store \(migration.url.path) is of a later model than the one it is opened with",
      at: migration.url.path)
  }

  /// The models that stages name and that are there; one that is not is missed by its own stage.
  private var explicitModels: [NSManagedObjectModel] {
    manager.stages.compactMap { $0 as? NSCustomMigrationStage }
      .flatMap { [$0.currentModel, $0.nextModel] }.compactMap { try? $0.resolve() }
  }

  /// The stage that goes on from a model.
  private func firstStage(after model: NSManagedObjectModel) -> Int {
    let checksum = model.versionChecksum
    for (place, stage) in manager.stages.enumerated().reversed() {
      switch stage {
      case let stage as NSCustomMigrationStage:
        if stage.nextModel.versionChecksum == checksum { return place + 1 }
        if stage.currentModel.versionChecksum == checksum { return place }
      case let stage as NSLightweightMigrationStage:
        if stage.versionChecksums.last == checksum { return place + 1 }
        if stage.versionChecksums.contains(checksum) { return place }
      default: break
      }
    }
    return 0
  }

  /// The model of a checksum: one that a stage names, the one to get to, or one of the program's.
  private func model(_ checksum: String) -> NSManagedObjectModel? {
    if let given = explicitModels.first(where: { $0.versionChecksum == checksum }) { return given }
    if migration.model.model.versionChecksum == checksum { return migration.model.model }
    return NSManagedObjectModel.allVersions(in: nil).first { $0.versionChecksum == checksum }
  }

  private func migrate(
    _ model: inout NSManagedObjectModel, to next: NSManagedObjectModel, isPrepared: Bool = false
  ) throws {
    if model.versionChecksum != next.versionChecksum {
      let layouts = ModelLayout.of(next)
      if let fault = layouts.fault { throw fault }
      try migration.to(layouts).migrate(from: model, isPrepared: isPrepared)
    }
    model = next
  }

  /// Has a handler work on the store.
  private func handle(
    _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
    _ stage: NSCustomMigrationStage, _ model: NSManagedObjectModel
  ) throws {
    guard let handler else { return }
    let container = NSPersistentContainer(
      name: migration.url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
    let coordinator = container.persistentStoreCoordinator
    let store = try coordinator.addPersistentStore(
      ofType: migration.type, configurationName: migration.configuration, at: migration.url,
      options: migration.options(keepingHistory: true))
    manager.use(container)
    defer { manager.use(nil) }
    do {
      try handler(manager, stage)
    } catch {
      // What the handler threw says more than a store that cannot be closed after it.
      do { try coordinator.remove(store) } catch {
        Log.storeError("a store of a migration was not closed: \(error.localizedDescription)")
      }
      throw HandlerFailure(error: error)
    }
    try coordinator.remove(store)
  }
}
