import ArgumentParser
import CoreData

/// `coredata update`: changes rows.
struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Changes values of the rows of an entity.",
    discussion: """
      All rows that the condition names change in one transaction, or none does. More than one \
      row needs a yes at the terminal, or --yes. Values are written as for insert.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var writing: WriteArguments

  @Argument(help: "The entity.")
  var entity: String

  @Argument(help: ArgumentHelp("Values for the rows.", valueName: "key=value"))
  var values: [String]

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Which rows; without it all of them.", valueName: "predicate"))
  var condition: String?

  @Flag(help: "Change more than one row without asking.")
  var yes = false

  func run() throws {
    let assignments = try Assignment.parse(values)
    let opened = try writing.open(arguments)
    let entity = try opened.entity(named: entity)
    let query = try RowQuery(entity: entity, where: condition)
    try opened.perform { context in
      let values = try reportingStoreErrors {
        try assignments.map { try PropertyValue($0, of: entity, in: context) }
      }
      let objects = try query.fetching { try context.fetch(query.request()) }
      try Confirmation.require(
        "update", rows: objects.count, of: entity.name ?? "", isGiven: yes)
      try reportingStoreErrors {
        for object in objects {
          for value in values { try value.set(on: object) }
        }
        if context.hasChanges { try context.save() }
      }
      Console.current.output("updated \(CountText.rows(objects.count)) of \(entity.name ?? "")\n")
    }
  }
}
