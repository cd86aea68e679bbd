/// One run of a staged migration.
struct StagedMigration {
  let manager: NSStagedMigrationManager
  let migration: StoreMigration

  /// Migrates the store to the model that it is opened with.
  func run() throws {
    var model = try migration.sourceModel(among: explicitModels)
    try requireForward(from: model)
    // True if the last run ended after a stage had migrated the store but before the stage's handler completed.
    if try unfinishedStage == model.versionChecksum {
      let stage = manager.stages.compactMap { $0 as? NSCustomMigrationStage }
        .last { $0.nextModel.versionChecksum == model.versionChecksum }
      if let stage { try labelingErrors(of: stage) { try finish(stage, model) } }
    }
    for stage in manager.stages.dropFirst(firstStage(after: model)) {
      if model.versionChecksum == migration.model.model.versionChecksum { break }
      try labelingErrors(of: stage) {
        switch stage {
        case let stage as NSCustomMigrationStage:
          let current = try stage.currentModel.resolve()
          try migrate(&model, to: current)
          // The stage begins at the target model and leads to a later one. It must not run, because data that it
          // removes would be lost.
          if model.versionChecksum == migration.model.model.versionChecksum,
            stage.nextModel.versionChecksum != model.versionChecksum
          {
            return
          }
          try handle(stage.willMigrateHandler, stage, current)
          if stage.didMigrateHandler != nil {
            try setUnfinishedStage(stage.nextModel.versionChecksum)
          }
          try migrate(&model, to: try stage.nextModel.resolve(), isPrepared: true)
          try finish(stage, model)
        case let stage as NSLightweightMigrationStage:
          // The store is never migrated to an earlier model than its own, or to a later one than the target.
          let known = stage.versionChecksums.lastIndex(of: model.versionChecksum)
          for checksum in stage.versionChecksums[(known.map { $0 + 1 } ?? 0)...]
          where model.versionChecksum != migration.model.model.versionChecksum {
            // A missing model is skipped, because the next one can be reached without it.
            guard let next = self.model(checksum) else { continue }
            try migrate(&model, to: next)
          }
        default: break
        }
      }
    }
    // The stages may end before the target.
    try migrate(&model, to: migration.model.model)
  }

  /// Adds the label of the stage to the library's errors. Errors that handlers throw, and errors of other domains,
  /// stay unchanged, and their stage is logged.
  private func labelingErrors(
    of stage: NSMigrationStage, _ body: () throws -> Void
  ) throws {
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

  /// An error that a handler of the program threw.
  private struct HandlerFailure: Error {
    let error: any Error
  }

  // MARK: Unfinished stages

  // The store's metadata records the stage whose handler has not completed. It is written before the stage migrates the
  // store: if the process ends in between, or the handler fails, the store already has the next model, and nothing else
  // would show that the handler must run.

  private var unfinishedStage: String? {
    get throws { try migration.metadata[StoreMetadata.unfinishedStageKey] as? String }
  }

  private func setUnfinishedStage(_ checksum: String?) throws {
    var metadata = try migration.metadata
    // `NSNull` removes the value. If the key were missing, the old value would be kept, because programs that do not
    // know the key omit it.
    metadata[StoreMetadata.unfinishedStageKey] = checksum ?? NSNull()
    try NSPersistentStoreCoordinator.setMetadata(
      metadata, forPersistentStoreOfType: migration.type, at: migration.url,
      options: migration.options(keepingHistory: true))
  }

  /// Returns whether the store has the model that it is opened with, and the handler of one of the stages did not
  /// complete.
  static func hasUnfinishedStage(
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
    return metadata[StoreMetadata.unfinishedStageKey] as? String == model.versionChecksum
  }

  /// Calls the handler of a stage after its migration, and records that it completed.
  private func finish(_ stage: NSCustomMigrationStage, _ model: NSManagedObjectModel) throws {
    guard stage.didMigrateHandler != nil else { return }
    try handle(stage.didMigrateHandler, stage, model)
    try setUnfinishedStage(nil)
  }

  /// - Throws: `NSManagedObjectModelReferenceNotFoundError` if no stage refers to the store's model or
  ///   the target model; `NSStagedMigrationBackwardMigrationError` if the store has a later model than
  ///   the target.
  private func requireForward(from model: NSManagedObjectModel) throws {
    let order = manager.stages.flatMap { stage -> [String] in
      switch stage {
      case let stage as NSCustomMigrationStage:
        [stage.currentModel.versionChecksum, stage.nextModel.versionChecksum]
      case let stage as NSLightweightMigrationStage: stage.versionChecksums
      default: []
      }
    }
    // Without the store's model, the stages to skip are unknown.
    guard let place = order.firstIndex(of: model.versionChecksum) else {
      throw CoreDataError.make(
        NSManagedObjectModelReferenceNotFoundError,
        "no stage refers to the model of the store \(migration.url.path) with the checksum"
          + " \(model.versionChecksum)", at: migration.url.path)
    }
    guard let target = order.lastIndex(of: migration.model.model.versionChecksum) else {
      // The stages might lead beyond the target, and what they remove would be lost.
      throw CoreDataError.make(
        NSManagedObjectModelReferenceNotFoundError,
        "no stage refers to the model that the store \(migration.url.path) is opened with; its checksum is"
          + " \(migration.model.model.versionChecksum)", at: migration.url.path)
    }
    guard target < place else { return }
    throw CoreDataError.make(
      NSStagedMigrationBackwardMigrationError,
      "the store \(migration.url.path) has a later model than the one that it is opened with",
      at: migration.url.path)
  }

  /// The models that custom stages refer to, without missing ones. A stage whose model is missing throws an error when
  /// it runs.
  private var explicitModels: [NSManagedObjectModel] {
    manager.stages.compactMap { $0 as? NSCustomMigrationStage }
      .flatMap { [$0.currentModel, $0.nextModel] }.compactMap { try? $0.resolve() }
  }

  /// Returns the index of the stage that continues from a model.
  private func firstStage(after model: NSManagedObjectModel) -> Int {
    let checksum = model.versionChecksum
    // The stages are searched from the end, because one stage usually ends with the model with
    // which the next one begins.
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

  /// Returns the model with a checksum: one that a stage refers to, the target, or one of the program's model files;
  /// nil if there is none.
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
      if let error = layouts.error { throw error }
      try migration.to(layouts).migrate(from: model, isPrepared: isPrepared)
    }
    model = next
  }

  /// Opens the store and calls a handler.
  private func handle(
    _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
    _ stage: NSCustomMigrationStage, _ model: NSManagedObjectModel
  ) throws {
    guard let handler else { return }
    let container = NSPersistentContainer(
      name: migration.url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
    let coordinator = container.persistentStoreCoordinator
    // The options include history tracking, because a store with history can be written only with that option.
    let store = try coordinator.addPersistentStore(
      ofType: migration.type, configurationName: migration.configuration, at: migration.url,
      options: migration.options(keepingHistory: true))
    manager.use(container)
    defer { manager.use(nil) }
    do {
      try handler(manager, stage)
    } catch {
      // Closing the store may fail as well, but the error of the handler is more useful.
      do { try coordinator.remove(store) } catch {
        Log.storeError(
          "a store that a migration opened could not be closed: \(error.localizedDescription)")
      }
      throw HandlerFailure(error: error)
    }
    try coordinator.remove(store)
  }
}
