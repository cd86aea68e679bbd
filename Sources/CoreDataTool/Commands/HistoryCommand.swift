import ArgumentParser
import CoreData
import StoreInspection

/// `coredata history`: shows the changes recorded in a store's persistent history.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Shows the persistent history of a store: each change with its author and time.",
    discussion: """
      One change per row, oldest first. An update lists the properties that it changed, a deletion the \
      values that the model preserves. A store has a history from the first time it is opened with \
      NSPersistentHistoryTrackingKey; this tool's own writes are recorded in it. Times are in UTC.
      """
  )

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var readOnly: ReadOnlyOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only changes after this transaction.", valueName: "number"))
  var after: Int64 = 0

  @Option(parsing: .unconditional, help: "Maximum number of transactions.")
  var limit: Int?

  @Option(help: "table, json (one object per line) or csv.")
  var format: OutputFormat = .table

  private static let columns = [
    "transaction", "time", "author", "context", "process", "change", "row", "details",
  ]
  private static let pageSize = 500

  @OptionGroup var formulas: FormulaArguments

  func run() throws {
    if let limit, limit < 0 { throw Diagnostic(.usage, "--limit \(limit) is negative") }
    try arguments.reading(isImmutable: readOnly.immutable) { opened in
      opened.noteModel()
      try reportingStoreErrors {
        guard
          // Without this check, a store without a history would look like one whose history is empty.
          opened.coordinator.currentPersistentHistoryToken(fromStores: nil) != nil
        else {
          throw Diagnostic(.data, "\(opened.path.onOneLine) has no persistent history")
        }
        try opened.perform { try printHistory(in: $0) }
      }
    }
  }

  /// Prints one page at a time, because a history may be long.
  private func printHistory(in context: NSManagedObjectContext) throws {
    var writer = format.writer(
      width: Console.current.width(), quotesFormulas: formulas.quoteFormulas,
      output: { Console.current.output($0) })
    writer.begin(columns: Self.columns, sectioned: false)
    var left = limit ?? Int.max
    var place: NSPersistentHistoryToken?
    while left > 0 {
      try Console.current.requireOutput()
      let page = min(left, Self.pageSize)
      let fetch = NSPersistentHistoryTransaction.fetchRequest
      fetch?.fetchLimit = page
      // Later pages begin at the token of a transaction, whose number already exceeds `after`.
      if place == nil, after > 0 {
        fetch?.predicate = NSPredicate(format: "transactionNumber > %lld", after)
      }
      let request =
        place.map { NSPersistentHistoryChangeRequest.fetchHistory(after: $0) }
        ?? .fetchHistory(after: .distantPast)
      request.fetchRequest = fetch
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
      for transaction in transactions {
        for change in transaction.changes ?? [] { writer.row(values(of: change, transaction)) }
      }
      left -= transactions.count
      place = transactions.last?.token
      // A page that is not full is the last one.
      if transactions.count < page { break }
    }
    writer.end()
  }

  private func values(
    of change: NSPersistentHistoryChange, _ transaction: NSPersistentHistoryTransaction
  ) -> [CellValue] {
    [
      .integer(transaction.transactionNumber), .date(transaction.timestamp),
      text(transaction.author), text(transaction.contextName), text(transaction.processID),
      .text("\(change.changeType)"), .row(change.changedObjectID), text(details(of: change)),
    ]
  }

  private func text(_ text: String?) -> CellValue {
    text.flatMap { $0.isEmpty ? nil : .text($0) } ?? .null
  }

  private func details(of change: NSPersistentHistoryChange) -> String? {
    if let properties = change.updatedProperties {
      return properties.map(\.name).sorted().joined(separator: ", ")
    }
    let attributes = change.changedObjectID.entity.attributesByName
    let values = (change.tombstone ?? [:]).compactMap { key, value -> (String, String)? in
      guard let name = key as? String, let attribute = attributes[name] else { return nil }
      return (name, CellValue(value, of: attribute).formatted)
    }
    return values.sorted { $0.0 < $1.0 }.map { "\($0) \($1)" }.joined(separator: ", ")
  }
}
