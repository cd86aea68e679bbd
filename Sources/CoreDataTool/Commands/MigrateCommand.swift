import ArgumentParser
import CoreData
import StoreInspection

/// `coredata migrate`: migrates a store to another model.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrates a store to another model.",
    discussion: """
      A lightweight migration is done in place, in one transaction; "coredata model diff" shows beforehand \
      what it would do. If there is a mapping model for the two models, given by --mapping or found beside \
      the model, it is used instead, and the store is copied object by object. Migration policies are \
      classes of the program and cannot run here. The store is unchanged until the migration is complete, or \
      with --step-by-step, until the first step is complete, even if Ctrl-C interrupts it.

      With --step-by-step, the store is migrated from version to version, in the order of their names \
      ("Model 2" before "Model 10"). If a step fails, the store stays at the version before that step; use \
      --backup to be able to go back to the original. Step by step is the default if there are mapping models \
      for some of the steps but none for a direct migration; --no-step-by-step turns it off.

      Rows and values that have no place in the new model are removed only after confirmation at the \
      terminal, or with --yes. A renamed attribute keeps its values if its renaming identifier is the old name.

      SQLite, XML and binary stores are supported. The store's current model is the copy that the store \
      contains, a version of the destination model, or the model given by --from.

        coredata migrate Contacts.sqlite --to Model.xcdatamodeld
        coredata migrate Contacts.sqlite --to Model.momd --version "Model 3" --dry-run
        coredata migrate Contacts.sqlite --to Model.momd --step-by-step --mapping V2toV3.cdm
      """
  )

  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Option(
    name: .customLong("to"),
    help: """
      The destination model: .xcdatamodeld, .xcdatamodel, .momd, .mom, .json, or a store of that model.
      """,
    completion: .file())
  var model: String

  @Option(help: "Version of the destination model, if not the current one.")
  var version: String?

  @Option(
    name: .customLong("from"),
    help: "The store's current model, if neither the store nor the destination model contains it.",
    completion: .file())
  var oldModel: String?

  @Option(
    help: """
      A mapping model: .xcmappingmodel or .cdm. May be repeated: each step uses the mapping model that was \
      made for its two models.
      """,
    completion: .file())
  var mapping: [String] = []

  @Option(
    help: """
      Configuration of the model that the store belongs to, if several configurations contain its entities \
      or the configuration was renamed.
      """)
  var configuration: String?

  @Flag(
    inversion: .prefixedNo,
    help: """
      Migrate through all versions between the store's and the destination. Default if there are mapping \
      models for some of the steps but none for a direct migration.
      """)
  var stepByStep: Bool?

  @Flag(help: "Migrate a copy, report the result, and leave the store unchanged.")
  var dryRun = false

  @Flag(help: "Keep a copy of the original store beside it.")
  var backup = false

  @Flag(help: "Remove rows and values that have no place in the new model without asking.")
  var yes = false

  @Flag(help: "Do not show progress.")
  var quiet = false

  @OptionGroup var links: LinkArguments
  @OptionGroup var writing: WriteArguments

  func run() throws {
    try OpenedStore.requireFile(store)
    if !dryRun { _ = try links.place(store) }
    if !dryRun { try writing.requireUnprotected(store) }
    let bar = quiet ? nil : ProgressBar()
    let plan = try plan(showing: bar)
    if !dryRun { try confirmLosses(in: plan) }
    let result = Result { try cancellable(plan.path.count > 2) { try carryOut(plan) } }
    // Remove the progress bar before the summary or an error is printed.
    bar?.end()
    do {
      printSummary(try result.get())
    } catch let error as Interrupted {
      Console.current.note("interrupted; \(error.state)\n")
      // The exit code that shells report for a process ended by SIGINT.
      throw ExitCode(130)
    }
  }

  /// The steps of the migration and their parameters.
  private struct Plan {
    let url: URL
    let type: NSPersistentStore.StoreType
    let options: [AnyHashable: Any]
    let migration: ProgressiveMigration
    /// The models of the steps, the store's first.
    let path: [NSManagedObjectModel]
    let target: NSManagedObjectModel

    var isNeeded: Bool {
      path.count > 2
        || path.first?.entityVersionHashesByName != target.entityVersionHashesByName
    }
  }

  /// Plans the migration, and prints notes about what is unusual in it.
  private func plan(showing bar: ProgressBar?) throws -> Plan {
    let url = URL(fileURLWithPath: store)
    let files = try ModelFiles(at: model)
    let target = try files.load(version: version).model
    let mappings = try StepMappings(paths: mapping, beside: files.folders)
    var migration = ProgressiveMigration(through: [target])
    let given = try oldModels()
    // The store's own copy of its model may lack renaming identifiers that were added to the version later.
    migration.knownModels = files.readableVersions + given
    migration.configuration = configuration
    migration.mappingModel = mappings.mappingModel
    migration.progress = bar.map { bar in { bar.show($0) } }
    // The default of 240 seconds is too long for a person who waits at the terminal.
    let options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: NSNumber(value: 10)]
    // Open a file that is not a store as SQLite, because the resulting error says that it is not a store.
    let type = NSPersistentStoreCoordinator.storeType(ofFileAt: url) ?? .sqlite
    func route(_ migration: ProgressiveMigration) throws -> [NSManagedObjectModel] {
      try reportingStoreErrors { try migration.path(from: url, type: type, options: options) }
    }
    // Always compute the direct path, because the default depends on its mapping models.
    var (ready, path) = (migration, try route(migration))
    if stepByStep != false {
      migration.models = try chain(files, target)
      let steps = try route(migration)
      if try stepByStep ?? isMapped(steps, instead: path, by: mappings) {
        (ready, path) = (migration, steps)
      }
    }
    let plan = Plan(
      url: url, type: type, options: options, migration: ready, path: path, target: target)
    guard let source = path.first, plan.isNeeded else {
      Console.current.note("the store already has this model\n")
      return plan
    }
    if let oldModel, !given.contains(where: source.hasHashes) {
      throw Diagnostic(.usage, "--from: '\(oldModel)' is not the store's model")
    }
    try mappings.requireUsed(in: path)
    for file in try reportingStoreErrors({ try mappings.found(for: path) }) {
      Console.current.note("mapping model: \(file.path.onOneLine)\n")
    }
    if stepByStep == true, !ready.models.contains(where: source.hasHashes) {
      let place = files.lastVersion(with: source).map { "the later version \($0)" }
      Console.current.note(
        "the store's model is \(place ?? "none of the versions"): it is migrated in one step\n")
    }
    // Report obstacles before anything is written.
    try reportingStoreErrors {
      let steps = try ready.steps(through: path)
      try ready.requireFeasible(steps, of: url) { try ready.rows(url, type, options, source) }
      for step in steps where step.mapping == nil {
        // Throws an error if the step needs a mapping model and there is none.
        _ = try NSMappingModel.inferredMappingModel(
          forSourceModel: step.source, destinationModel: step.destination)
        let comparison = ModelComparison(from: step.source, to: step.destination)
        for line in ComparisonText.losses(of: comparison) {
          Console.current.note(line.onOneLine + "\n")
        }
      }
    }
    return plan
  }

  /// Returns whether there are mapping models for steps through versions but none for a direct migration. An inferred
  /// mapping for a direct migration would ignore what the authors of those mapping models specified.
  private func isMapped(
    _ steps: [NSManagedObjectModel], instead direct: [NSManagedObjectModel],
    by mappings: StepMappings
  ) throws -> Bool {
    guard steps.count > 2, direct.count == 2 else { return false }
    return try reportingStoreErrors {
      guard try mappings.mappingModel(direct[0], direct[1]) == nil,
        try zip(steps, steps.dropFirst()).contains(where: {
          try mappings.mappingModel($0, $1) != nil
        })
      else { return false }
      Console.current.note(
        "migrating version by version, because there are mapping models for the steps"
          + " (--no-step-by-step migrates in one step, without them)\n")
      return true
    }
  }

  /// Returns the versions of the model given by `--from`.
  private func oldModels() throws -> [NSManagedObjectModel] {
    guard let oldModel else { return [] }
    let files = try ModelFiles(at: oldModel)
    return [try files.load(version: nil).model] + files.readableVersions
  }

  /// Performs the migration, or rehearses it for `--dry-run`.
  private func carryOut(_ plan: Plan) throws -> [ProgressiveMigration.RowCount] {
    if backup, plan.isNeeded, !dryRun {
      let copy = try Self.backUp(plan.url, plan.type)
      Console.current.note("copy of the original store: \(copy.path.onOneLine)\n")
      if plan.type == .sqlite, let missing = try Diagnostic.missingFiles(of: copy) {
        Console.current.note("\(missing.message)\n")
      }
    }
    guard dryRun else {
      return try plan.migration.run(at: plan.url, type: plan.type, options: plan.options)
    }
    return try LeftLog.moving(of: store, model: nil) {
      try plan.migration.rehearse(at: plan.url, type: plan.type, options: plan.options)
    }
  }

  /// Runs `body`; Ctrl-C cancels it, and a second Ctrl-C exits the process.
  private func cancellable<Result>(
    _ isChain: Bool, _ body: () throws -> Result
  ) throws -> Result {
    let progress = Progress(totalUnitCount: 1)
    let signals = EndingSignals {
      if progress.isCancelled { _exit(130) }
      progress.cancel()
    }
    // When this object is released, signals end the process again.
    defer { withExtendedLifetime(signals) {} }
    progress.becomeCurrent(withPendingUnitCount: 1)
    defer { progress.resignCurrent() }
    do {
      return try body()
    } catch {
      guard Self.saysCancelled(error) else { throw Diagnostic(error) }
      let state = isChain && !dryRun ? "completed steps are kept" : "the store is unchanged"
      throw Interrupted(state: state)
    }
  }

  private struct Interrupted: Error { let state: String }

  /// Returns whether an error, or one of its underlying errors, says that the migration was cancelled.
  private static func saysCancelled(_ error: any Error) -> Bool {
    let causes = sequence(first: error as NSError) { $0.userInfo[NSUnderlyingErrorKey] as? NSError }
    return causes.contains {
      $0.domain == NSCocoaErrorDomain && $0.code == CocoaError.userCancelled.rawValue
    }
  }

  /// Asks for confirmation if the migration would remove rows or values. What a mapping model leaves out is its
  /// author's decision, and needs no confirmation.
  private func confirmLosses(in plan: Plan) throws {
    guard let source = plan.path.first, plan.isNeeded, !yes else { return }
    let losses = try reportingStoreErrors {
      try plan.migration.withReadOnlyStore(plan.url, plan.type, plan.options, source) {
        context, stored in
        var losses = MigrationLosses(of: source, in: context, stored)
        for (old, new) in zip(plan.path, plan.path.dropFirst()) {
          try losses.add(
            ModelComparison(from: old, to: new),
            isMapped: try plan.migration.mappingModel(old, new) != nil)
        }
        return losses.losses
      }
    }
    if losses.isEmpty { return }
    for advice in losses.compactMap(\.advice) { Console.current.note(advice.onOneLine + "\n") }
    let (change, what) = MigrationLosses.phrase(losses)
    try Confirmation.require(
      change, what, narrowing: "Keep them with a renaming identifier or a mapping model, or use")
  }

  /// Returns the models to migrate through: all versions up to the target; only the target if a version cannot be read
  /// and `--step-by-step` was not given.
  private func chain(
    _ files: ModelFiles, _ target: NSManagedObjectModel
  ) throws -> [NSManagedObjectModel] {
    guard !files.versions.isEmpty || stepByStep == nil else {
      throw Diagnostic(.usage, "--step-by-step: '\(model)' has no versions")
    }
    var models: [NSManagedObjectModel] = []
    for name in files.versions {
      // Compare names, because versions may have the same hashes and differ in their renaming identifiers.
      if name == version ?? files.currentVersion { break }
      do {
        models.append(try files.load(version: name).model)
      } catch {
        if stepByStep == true { throw error }
        return [target]
      }
    }
    return models + [target]
  }

  private static func backUp(_ url: URL, _ type: NSPersistentStore.StoreType) throws -> URL {
    let name = url.deletingPathExtension().lastPathComponent
    let folder = url.deletingLastPathComponent()
    func place(_ number: Int) -> URL {
      let number = number == 1 ? "" : " \(number)"
      let copy = folder.appendingPathComponent("\(name) before migration\(number)")
      return url.pathExtension.isEmpty ? copy : copy.appendingPathExtension(url.pathExtension)
    }
    var number = 1
    // A folder of external data that belongs to a deleted copy must not become part of this one.
    func isInUse(_ copy: URL) -> Bool {
      let values = ".\(copy.deletingPathExtension().lastPathComponent)_SUPPORT"
      return [copy, folder.appendingPathComponent(values)].contains {
        FileKind(path: $0.path, followingLinks: false) != nil
      }
    }
    while isInUse(place(number)) { number += 1 }
    let copy = place(number)
    try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
      .replacePersistentStore(at: copy, withPersistentStoreFrom: url, ofType: type.rawValue)
    return copy
  }

  private func printSummary(_ rows: [ProgressiveMigration.RowCount]) {
    let changed = rows.map { row -> [String] in
      let note =
        switch (row.before, row.after) {
        case (nil, _): "new"
        case (let before?, nil): before == 0 ? "removed" : "removed, had \(CountText.rows(before))"
        case (let before?, let after?): before == after ? "" : "was \(before)"
        }
      return [row.entity.onOneLine, "\(row.after ?? 0)", note]
    }
    for line in TextColumns.aligned(changed) { Console.current.output(line + "\n") }
    let after = rows.compactMap(\.after).reduce(0, +)
    Console.current.output(
      dryRun
        ? "Dry run: \(CountText.rows(after)); store unchanged\n"
        : "The store now has \(CountText.rows(after)).\n")
  }
}

extension NSManagedObjectModel {
  /// Returns whether another model has the same version hashes.
  fileprivate func hasHashes(_ other: NSManagedObjectModel) -> Bool {
    entityVersionHashesByName == other.entityVersionHashesByName
  }
}
