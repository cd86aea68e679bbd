import ArgumentParser
import CoreData
import ObjectModel
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
      is done. With --step-by-step each version is such a migration: one that fails leaves the store with \
      the version before it, which --backup undoes.

        coredata migrate Contacts.sqlite --to Model.xcdatamodeld
        coredata migrate Contacts.sqlite --to Model.momd --version "Model 3" --dry-run
        coredata migrate Contacts.sqlite --to Model.momd --step-by-step --mapping V2toV3.cdm
      """
  )

  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Option(
    name: .customLong("to"),
    help: "The model to get to: .xcdatamodeld, .xcdatamodel, .momd or .mom.",
    completion: .file())
  var model: String

  @Option(help: "The version of it, if not the current one.")
  var version: String?

  @Option(
    help: """
      A mapping model: .xcmappingmodel or .cdm. May be given several times: each step takes the one that \
      is made for its two models.
      """,
    completion: .file())
  var mapping: [String] = []

  @Flag(help: "Go through all versions between the store's and that one.")
  var stepByStep = false

  @Flag(help: "Migrate a copy, tell what came of it, and leave the store as it is.")
  var dryRun = false

  @Flag(help: "Keep a copy of the store as it was, beside it.")
  var backup = false

  @Flag(help: "Do not ask before rows go whose entity the new model does not have.")
  var yes = false

  @Flag(help: "Write no progress.")
  var quiet = false

  @OptionGroup var writing: WriteArguments

  func run() throws {
    try OpenedStore.requireFile(store)
    if !dryRun { try writing.requireUnprotected(store) }
    let url = URL(fileURLWithPath: store)
    let files = try ModelFiles(at: model)
    let target = try files.load(version: version)
    var migration = ProgressiveMigration(through: try chain(files, target.model))
    // A single version of another name may be unreadable, and nobody asked for it.
    migration.knownModels = files.versions.compactMap { try? files.load(version: $0).model }
    let mappings = try StepMappings(
      paths: mapping, beside: URL(fileURLWithPath: files.folder))
    migration.mappingModel = mappings.mappingModel
    let options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: NSNumber(value: 10)]
    let path = try reportingStoreErrors { try migration.path(from: url, options: options) }
    try mappings.requireUsed(in: path)
    for file in mappings.found(for: path) {
      Console.current.note("mapping model: \(file.path.onOneLine)\n")
    }
    let isNeeded =
      path.count > 2
      || path.first?.entityVersionHashesByName != target.model.entityVersionHashesByName
    if !isNeeded { Console.current.note("the store is of this model already\n") }
    let bar = quiet ? nil : ProgressBar()
    migration.progress = bar.map { bar in { bar.show($0) } }
    if !dryRun, let source = path.first { try confirmRemovals(from: source, to: target, migration) }
    if backup, isNeeded, !dryRun {
      let copy = try Self.backUp(url)
      Console.current.note("copy of the store as it is: \(copy.path.onOneLine)\n")
    }
    let rows: [ProgressiveMigration.RowCount]
    do {
      defer { bar?.end() }
      rows = try reportingStoreErrors {
        dryRun
          ? try migration.rehearse(at: url, options: options)
          : try migration.run(at: url, options: options)
      }
    }
    printSummary(rows)
  }

  /// Asks before rows go because their entity does; what a mapping model leaves out is its matter.
  private func confirmRemovals(
    from source: NSManagedObjectModel, to target: LoadedModel, _ migration: ProgressiveMigration
  ) throws {
    let removed = ModelComparison(from: source, to: target.model).entities
      .filter { $0.new == nil }.compactMap(\.old?.name)
    guard !removed.isEmpty, try migration.mappingModel(source, target.model) == nil else { return }
    let opened = try OpenedStore.open(store, model: nil, readOnly: true)
    defer { opened.close() }
    let rows = try opened.perform { context in
      try removed.filter { opened.model.entitiesByName[$0] != nil }.reduce(0) { sum, name in
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        return sum + (try context.count(for: request))
      }
    }
    try Confirmation.require(
      "remove", rows: rows, of: removed.joined(separator: ", "), isGiven: yes)
  }

  /// The models to go through: the target alone, or all versions up to it.
  private func chain(
    _ files: ModelFiles, _ target: NSManagedObjectModel
  ) throws -> [NSManagedObjectModel] {
    guard stepByStep else { return [target] }
    guard !files.versions.isEmpty else {
      throw Diagnostic(.usage, "--step-by-step: '\(model)' has no versions")
    }
    var models: [NSManagedObjectModel] = []
    for name in files.versions {
      let next = try files.load(version: name).model
      models.append(next)
      if next.entityVersionHashesByName == target.entityVersionHashesByName { break }
    }
    return models
  }

  private static func backUp(_ url: URL) throws -> URL {
    let name = url.deletingPathExtension().lastPathComponent
    let folder = url.deletingLastPathComponent()
    var copy = folder.appendingPathComponent("\(name) before migration.\(url.pathExtension)")
    var number = 1
    // Files of values that another copy left without its store are not this one's.
    func isTaken(_ copy: URL) -> Bool {
      let values = ".\(copy.deletingPathExtension().lastPathComponent)_SUPPORT"
      return [copy, folder.appendingPathComponent(values)].contains {
        FileManager.default.fileExists(atPath: $0.path)
      }
    }
    while isTaken(copy) {
      number += 1
      copy = folder.appendingPathComponent(
        "\(name) before migration \(number).\(url.pathExtension)")
    }
    let target = copy
    try reportingStoreErrors {
      try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        .replacePersistentStore(
          at: target, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
      // Who may not read the store may not read its copy.
      let facts = try FileManager.default.attributesOfItem(atPath: url.path)
      if let permissions = facts[.posixPermissions] {
        try FileManager.default.setAttributes(
          [.posixPermissions: permissions], ofItemAtPath: target.path)
      }
    }
    return target
  }

  private func printSummary(_ rows: [ProgressiveMigration.RowCount]) {
    let changed = rows.map { row -> [String] in
      let note =
        switch (row.before, row.after) {
        case (nil, _): "new"
        case (let before?, nil): before == 0 ? "removed" : "removed, had \(CountText.rows(before))"
        case (_, nil): "removed"
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
