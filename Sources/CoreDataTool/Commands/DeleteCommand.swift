import ArgumentParser
import CoreData

/// `coredata delete`: removes rows.
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deletes rows of an entity.",
    discussion: """
      The model's delete rules are carried out: rows that go with a deleted one count too. More \
      than one row needs a yes at the terminal, or --yes.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var writing: WriteArguments

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Which rows; without it all of them.", valueName: "predicate"))
  var condition: String?

  @Flag(help: "Delete more than one row without asking.")
  var yes = false

  func run() throws {
    let opened = try writing.open(arguments)
    let entity = try opened.entity(named: entity)
    let query = try RowQuery(entity: entity, where: condition)
    let name = entity.name ?? ""
    try opened.perform { context in
      let objects = try query.fetching { try context.fetch(query.request()) }
      for object in objects { context.delete(object) }
      context.processPendingChanges()
      // Some of the rows may go with others of them, so those are not counted twice.
      let others = context.deletedObjects.count - objects.count
      try Confirmation.require(
        "delete", rows: objects.count, of: name, andOthers: others, isGiven: yes)
      try reportingStoreErrors { if context.hasChanges { try context.save() } }
      let also =
        others > 0
        ? " and \(CountText.rows(others)) that went with \(objects.count == 1 ? "it" : "them")" : ""
      Console.current.output("deleted \(CountText.rows(objects.count)) of \(name)\(also)\n")
    }
  }
}
