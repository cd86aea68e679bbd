import ArgumentParser
import CoreData
import StoreInspection

/// `coredata insert`: adds a row.
struct InsertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "insert",
    abstract: "Adds a row to an entity.",
    discussion: """
      Properties that are not listed get the model's default. Dates are in UTC unless they include a time \
      zone; nil means no value; data is base64 or @FILE, a regular file of at most 1,000,000,000 bytes; a \
      relationship accepts rows by objectID: team=p3, jobs=p1,p2. The command rejects a value that violates a \
      rule of the model (exit code 64).
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var writing: WriteArguments

  @Argument(help: "The entity.")
  var entity: String

  @Argument(help: ArgumentHelp("Values for the row.", valueName: "key=value"))
  var values: [String] = []

  func run() throws {
    let assignments = try Assignment.parse(values)
    let opened = try writing.open(arguments)
    let entity = try opened.entity(named: entity)
    guard !entity.isAbstract else {
      let names = entity.subentities.compactMap(\.name).sorted().joined(separator: ", ")
      throw Diagnostic(
        .usage, "\(entity.name ?? "") is abstract and cannot have rows of its own",
        details: names.isEmpty ? [] : ["Its subentities are: \(names)"])
    }
    try reportingStoreErrors {
      try opened.perform { context in
        let values = try assignments.map { try PropertyValue($0, of: entity, in: context) }
        let object = NSEntityDescription.insertNewObject(
          forEntityName: entity.name ?? "", into: context)
        for value in values { try value.set(on: object) }
        try context.save()
        // Read the ID after the save, because only then is it permanent.
        let id = object.objectID
        Console.current.output("inserted \(id.entityName)/p\(id.primaryKey)".onOneLine + "\n")
      }
    }
  }
}
