import ArgumentParser
import CoreData
import StoreInspection

/// `coredata migrate`: a store of one model becomes one of another.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Brings a store to another model.",
    discussion: """
      What the differences of the two models say is done in place, in one transaction; "coredata model \
      diff" tells beforehand what that is. A mapping model that is made for the two models, given by \
      --mapping or found beside the model, comes before that, and the store is copied object by object; \
      policies are classes of programs and cannot be run here. Either way the store is as it was until all \
      is done; Ctrl-C leaves it as it is, too. With --step-by-step each version is such a migration, in the \
      order of their names ("Model 2" before "Model 10"): one that fails leaves the store with the version \
      before it, which --backup undoes. That is also what is done where mapping models are there for such \
      steps and none for the way in one, unless --no-step-by-step says otherwise.

      Rows and values that the new model has no place for are removed only after a yes at the terminal, or \
      with --yes. An attribute that was renamed keeps its values where its renaming identifier is the old name.

      Stores in SQLite, XML and binary files are migrated. Which model a store is of is told by the copy \
      in it, by the versions of the model to get to, or by --from.

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
      The model to get to: .xcdatamodeld, .xcdatamodel, .momd, .mom, .json, or a store that is of it.
      """,
    completion: .file())
  var model: String

  @Option(help: "The version of it, if not the current one.")
  var version: String?

  @Option(
    name: .customLong("from"),
    help: "The model that the store is of, where neither it nor the model to get to has a copy.",
    completion: .file())
  var oldModel: String?

  @Option(
    help: """
      A mapping model: .xcmappingmodel or .cdm. May be given several times: each step takes the one that \
      is made for its two models.
      """,
    completion: .file())
  var mapping: [String] = []

  @Option(
    help: """
      The configuration of the model that the store is of, where several have its entities or it has \
      another name now.
      """)
  var configuration: String?

  @Flag(
    inversion: .prefixedNo,
    help: """
      Go through all versions between the store's and that one. Usual where mapping models are there for \
      some of the steps and none for all of them in one.
      """)
  var stepByStep: Bool?

  @Flag(help: "Migrate a copy, tell what came of it, and leave the store as it is.")
  var dryRun = false

  @Flag(help: "Keep a copy of the store as it was, beside it.")
  var backup = false

  @Flag(help: "Do not ask before rows or values are removed that the new model has no place for.")
  var yes = false

  @Flag(help: "Write no progress.")
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
    bar?.end()
    do {
      printSummary(try result.get())
    } catch let error as Interrupted {
      Console.current.note("interrupted; \(error.state)\n")
      throw ExitCode(130)
    }
  }

  /// What is to be done with the store.
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

  /// Works out what is to be done, and says what is remarkable about it.
  private func plan(showing bar: ProgressBar?) throws -> Plan {
    let url = URL(fileURLWithPath: store)
    let files = try ModelFiles(at: model)
    let target = try files.load(version: version).model
    let mappings = try StepMappings(paths: mapping, beside: files.folders)
    var migration = ProgressiveMigration(through: [target])
    let given = try oldModels()
    migration.knownModels = files.readableVersions + given
    migration.configuration = configuration
    migration.mappingModel = mappings.mappingModel
    migration.progress = bar.map { bar in { bar.show($0) } }
    let options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: NSNumber(value: 10)]
    // A file that is no store is told as no SQLite store.
    let type = NSPersistentStoreCoordinator.storeType(ofFileAt: url) ?? .sqlite
    func route(_ migration: ProgressiveMigration) throws -> [NSManagedObjectModel] {
      try reportingStoreErrors { try migration.path(from: url, type: type, options: options) }
    }
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
      Console.current.note("the store is of this model already\n")
      return plan
    }
    if let oldModel, !given.contains(where: source.hasHashes) {
      throw Diagnostic(.usage, "--from: '\(oldModel)' is not the model that the store is of")
    }
    try mappings.requireUsed(in: path)
    for file in try reportingStoreErrors({ try mappings.found(for: path) }) {
      Console.current.note("mapping model: \(file.path.onOneLine)\n")
    }
    if stepByStep == true, !ready.models.contains(where: source.hasHashes) {
      let place = files.lastVersion(with: source).map { "the later version \($0)" }
      Console.current.note(
        "the store is of \(place ?? "none of the versions"): it goes to the model in one step\n")
    }
    // What stands in the way is told before anything is made.
    try reportingStoreErrors {
      let steps = try ready.steps(through: path)
      try ready.requireFeasible(steps, of: url) { try ready.rows(url, type, options, source) }
      for step in steps where step.mapping == nil {
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

  /// Whether mapping models are made for steps through versions, while nobody wrote one for the way in one step: what is
  /// inferred for that would know nothing of what their author says.
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
        "there are mapping models for steps between the versions, which are gone through one by one"
          + " (--no-step-by-step: in one step, without them)\n")
      return true
    }
  }

  /// The versions of the model that was named as the store's.
  private func oldModels() throws -> [NSManagedObjectModel] {
    guard let oldModel else { return [] }
    let files = try ModelFiles(at: oldModel)
    return [try files.load(version: nil).model] + files.readableVersions
  }

  /// Migrates, or tries to.
  private func carryOut(_ plan: Plan) throws -> [ProgressiveMigration.RowCount] {
    if backup, plan.isNeeded, !dryRun {
      let copy = try Self.backUp(plan.url, plan.type)
      Console.current.note("copy of the store as it is: \(copy.path.onOneLine)\n")
      if plan.type == .sqlite, let missing = try Diagnostic.missingFiles(of: copy) {
        Console.current.note("\(missing.message)\n")
      }
    }
    return dryRun
      ? try plan.migration.rehearse(at: plan.url, type: plan.type, options: plan.options)
      : try plan.migration.run(at: plan.url, type: plan.type, options: plan.options)
  }

  /// Runs `body`, which Ctrl-C ends; a second one ends the process.
  private func cancellable<Result>(
    _ isChain: Bool, _ body: () throws -> Result
  ) throws -> Result {
    let progress = Progress(totalUnitCount: 1)
    let signals = EndingSignals {
      if progress.isCancelled { _exit(130) }
      progress.cancel()
    }
    defer { withExtendedLifetime(signals) {} }
    progress.becomeCurrent(withPendingUnitCount: 1)
    defer { progress.resignCurrent() }
    do {
      return try body()
    } catch {
      guard Self.saysCancelled(error) else { throw Diagnostic(error) }
      let state = isChain && !dryRun ? "steps that were done stay" : "the store is as it was"
      throw Interrupted(state: state)
    }
  }

  private struct Interrupted: Error { let state: String }

  /// Whether an error, or what led to it, is that the migration was cancelled.
  private static func saysCancelled(_ error: any Error) -> Bool {
    let causes = sequence(first: error as NSError) { $0.userInfo[NSUnderlyingErrorKey] as? NSError }
    return causes.contains {
      $0.domain == NSCocoaErrorDomain && $0.code == CocoaError.userCancelled.rawValue
    }
  }

  /// Asks before rows or values go that the store has; what a mapping model leaves out is its author's decision.
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
      change, what, narrowing: "Keep them with a renaming identifier or a mapping model, or say")
  }

  /// The models to go through: all versions up to the target; that alone where one cannot be read and nobody asked for
  /// them.
  private func chain(
    _ files: ModelFiles, _ target: NSManagedObjectModel
  ) throws -> [NSManagedObjectModel] {
    guard !files.versions.isEmpty || stepByStep == nil else {
      throw Diagnostic(.usage, "--step-by-step: '\(model)' has no versions")
    }
    var models: [NSManagedObjectModel] = []
    for name in files.versions {
      // Versions may have the same hashes, and other renaming identifiers.
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
      return folder.appendingPathComponent(
        "\(name) before migration\(number).\(url.pathExtension)")
    }
    var number = 1
    // Files of values that another copy left without its store are not this one's.
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
      "\(dryRun ? "would have" : "has") \(CountText.rows(after))"
        + "\(dryRun ? "; the store is as it was" : "")\n")
  }
}

extension NSManagedObjectModel {
  /// Whether another model has the same version hashes.
  fileprivate func hasHashes(_ other: NSManagedObjectModel) -> Bool {
    entityVersionHashesByName == other.entityVersionHashesByName
  }
}
