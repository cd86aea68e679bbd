import ArgumentParser
import CoreData
import StoreInspection

/// `coredata delete`: removes rows.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes rows of an entity.",
    discussion: """
      The model's delete rules are carried out: rows that go with a deleted one count too. More \
      than one row needs a yes at the terminal, or --yes.

      The rows and all that go with them are read and counted before. With --batch the store \
      deletes them itself, by the same rules: a million rows need little memory, and what goes with \
      them is counted only when it is gone.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var writing: WriteArguments

  @Argument(help: "The entity.")
  var entity: String

  @OptionGroup var rows: RowArguments

  @Flag(help: "Delete more than one row without asking.")
  var yes = false

  @Flag(help: "Have the store delete the rows itself: for very many rows.")
  var batch = false

  func run() throws {
    let opened = try writing.open(arguments)
    let entity = try opened.entity(named: entity)
    try opened.perform { context in
      let query = try rows.selection(of: entity, in: context)
      let (count, others) = try batch ? remove(query, in: context) : save(query, in: context)
      let also =
        others > 0
        ? " and \(CountText.rows(others)) that went with \(count == 1 ? "it" : "them")" : ""
      Console.current.output(
        "deleted \(CountText.rows(count)) of \(entity.name ?? "")\(also)\n")
    }
  }

  /// Deletes objects and saves that.
  private func save(
    _ query: RowSelection, in context: NSManagedObjectContext
  ) throws -> (count: Int, others: Int) {
    let objects = try query.fetching { try context.fetch(query.request()) }
    for object in objects { context.delete(object) }
    context.processPendingChanges()
    // Some of the rows may go with others of them, so those are not counted twice.
    let others = context.deletedObjects.count - objects.count
    try Confirmation.require(
      "delete", rows: objects.count, of: query.entity.name ?? "", andOthers: others,
      isConfirmed: yes)
    try reportingStoreErrors { if context.hasChanges { try context.save() } }
    return (objects.count, others)
  }

  /// Has the store delete the rows.
  private func remove(
    _ query: RowSelection, in context: NSManagedObjectContext
  ) throws -> (count: Int, others: Int) {
    let count = try query.fetching { try context.count(for: query.request()) }
    try Confirmation.require(
      "delete", rows: count, of: query.entity.name ?? "",
      cascades: Self.cascades(query.entity), isConfirmed: yes)
    let fetch = NSFetchRequest<any NSFetchRequestResult>()
    fetch.entity = query.entity
    fetch.predicate = query.predicate
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeCount
    return try reportingStoreErrors {
      let result = try context.execute(request) as? NSBatchDeleteResult
      let all = result?.result as? Int ?? 0
      return (min(count, all), max(0, all - count))
    }
  }

  /// Whether other rows may go with rows of an entity.
  private static func cascades(_ entity: NSEntityDescription) -> Bool {
    entity.relationshipsByName.values.contains { $0.deleteRule == .cascadeDeleteRule }
      || entity.subentities.contains(where: cascades)
  }
}
