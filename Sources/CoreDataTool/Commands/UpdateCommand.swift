import ArgumentParser
import CoreData
import StoreInspection

/// `coredata update`: changes rows.
struct UpdateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Changes values of the rows of an entity.",
    discussion: """
      Either all selected rows change, in one transaction, or none does. If more than one row would change, \
      the command asks for confirmation, unless --yes is given. Values have the same form as for insert.

      Each row is validated as a whole before it is saved, so all of them have to fit into memory. With \
      --batch the store changes the rows itself: only the given values are validated, relationships cannot \
      be set, and a million rows need no more memory than one.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var writing: WriteArguments

  @Argument(help: "The entity.")
  var entity: String

  @Argument(help: ArgumentHelp("Values for the rows.", valueName: "key=value"))
  var values: [String]

  @OptionGroup var rows: RowArguments

  @Flag(help: "Change more than one row without asking.")
  var yes = false

  @Flag(help: "Let the store change the rows itself; meant for large numbers of rows.")
  var batch = false

  func run() throws {
    let assignments = try Assignment.parse(values)
    let opened = try writing.open(arguments)
    let entity = try opened.entity(named: entity)
    try opened.perform { context in
      let query = try rows.selection(of: entity, in: context)
      let values = try reportingStoreErrors {
        try assignments.map {
          try PropertyValue(
            $0, of: entity, in: context, attributesOnly: batch ? "--batch" : nil)
        }
      }
      let count =
        try batch ? change(query, values, in: context) : save(query, values, in: context)
      Console.current.output(
        "updated \(CountText.rows(count)) of \(entity.name ?? "")".onOneLine + "\n")
    }
  }

  /// Changes the objects and saves.
  private func save(
    _ query: RowSelection, _ values: [PropertyValue], in context: NSManagedObjectContext
  ) throws -> Int {
    let objects = try query.fetching { try context.fetch(query.request()) }
    try confirm(objects.count, query)
    try reportingStoreErrors {
      for object in objects {
        for value in values { try value.set(on: object) }
      }
      if context.hasChanges { try context.save() }
    }
    return objects.count
  }

  /// Lets the store change the rows.
  private func change(
    _ query: RowSelection, _ values: [PropertyValue], in context: NSManagedObjectContext
  ) throws -> Int {
    let request = NSBatchUpdateRequest(entity: query.entity)
    request.predicate = query.predicate
    request.resultType = .updatedObjectsCountResultType
    var changes: [AnyHashable: Any] = [:]
    try reportingStoreErrors {
      for value in values {
        try PropertyValue.validate(value.value, forKey: value.key, of: query.entity)
        // An expression may be the constant nil, which a dictionary cannot contain as a value.
        changes[value.key] = NSExpression(forConstantValue: value.value)
      }
    }
    request.propertiesToUpdate = changes
    // Require confirmation only after the validation, so that invalid values are reported without a question.
    try confirm(try query.fetching { try context.count(for: query.request()) }, query)
    return try reportingStoreErrors {
      let result = try context.execute(request) as? NSBatchUpdateResult
      return result?.result as? Int ?? 0
    }
  }

  private func confirm(_ count: Int, _ query: RowSelection) throws {
    try Confirmation.require(
      "update", rows: count, of: query.entity.name ?? "", isConfirmed: yes)
  }
}
