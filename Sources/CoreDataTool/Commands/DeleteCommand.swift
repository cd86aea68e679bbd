import ArgumentParser
import CoreData
import StoreInspection

/// `coredata delete`: deletes rows.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes rows of an entity.",
    discussion: """
      Deleting applies the model's delete rules; rows that these rules delete count too. If more than one row \
      would be deleted, the command asks for confirmation, unless --yes is given.

      By default, the rows and all dependent rows are read and counted before anything is deleted. With --batch \
      the store deletes them itself, by the same rules: a million rows need little memory, but dependent rows are \
      counted only after they are deleted.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var writing: WriteArguments

  @Argument(help: "The entity.")
  var entity: String

  @OptionGroup var rows: RowArguments

  @Flag(help: "Delete more than one row without asking.")
  var yes = false

  @Flag(help: "Let the store delete the rows itself; meant for large numbers of rows.")
  var batch = false

  func run() throws {
    let opened = try writing.open(arguments)
    let entity = try opened.entity(named: entity)
    try opened.perform { context in
      let query = try rows.selection(of: entity, in: context)
      let (count, others) = try batch ? remove(query, in: context) : save(query, in: context)
      let also =
        others > 0
        ? " and \(CountText.counted(others, "dependent row"))" : ""
      Console.current.output(
        "deleted \(CountText.rows(count)) of \(entity.name ?? "")\(also)".onOneLine + "\n")
    }
  }

  /// Deletes the objects and saves.
  private func save(
    _ query: RowSelection, in context: NSManagedObjectContext
  ) throws -> (count: Int, others: Int) {
    let objects = try query.fetching { try context.fetch(query.request()) }
    for object in objects { context.delete(object) }
    // This applies the delete rules, so that dependent rows can be counted before the confirmation prompt.
    context.processPendingChanges()
    // The delete rules of some selected rows may delete other selected rows, which must not be counted twice.
    let others = context.deletedObjects.count - objects.count
    try Confirmation.require(
      "delete", rows: objects.count, of: query.entity.name ?? "", andOthers: others,
      isConfirmed: yes)
    try reportingStoreErrors { if context.hasChanges { try context.save() } }
    return (objects.count, others)
  }

  /// Lets the store delete the rows.
  private func remove(
    _ query: RowSelection, in context: NSManagedObjectContext
  ) throws -> (count: Int, others: Int) {
    let count = try query.fetching { try context.count(for: query.request()) }
    // The store counts dependent rows only when it deletes them, so the question mentions them without a number.
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
      // Another process may have deleted some of the rows since they were counted.
      return (min(count, all), max(0, all - count))
    }
  }

  /// Returns whether deleting rows of an entity may delete other rows.
  private static func cascades(_ entity: NSEntityDescription) -> Bool {
    // Rows of subentities are deleted too, by the rules of their own relationships.
    entity.relationshipsByName.values.contains { $0.deleteRule == .cascadeDeleteRule }
      || entity.subentities.contains(where: cascades)
  }
}
