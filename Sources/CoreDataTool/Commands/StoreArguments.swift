import ArgumentParser
import CoreData
import StoreInspection

/// What every command on a store takes.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Option(
    help: """
      A model to read the store with: .xcdatamodeld, .xcdatamodel, .momd or .mom. Without it the \
      copy that the store carries.
      """, completion: .file())
  var model: String?

  /// Opens the store for reading.
  func openForReading(isImmutable: Bool = false) throws -> OpenedStore {
    try OpenedStore.open(store, model: model, readOnly: true, isImmutable: isImmutable)
  }
}

/// What the commands that change a store take besides.
struct WriteArguments: ParsableArguments {
  @Flag(
    help: """
      Write even if the store belongs to a photo library or another process has it open.
      """)
  var write = false

  /// Throws where the store at a path is better left alone.
  func requireUnprotected(_ path: String) throws {
    if write { return }
    let reasons = StoreProtection.reasonsAgainstWriting(to: path)
    guard reasons.isEmpty else { throw Diagnostic.protected(path, reasons: reasons) }
  }

  /// Opens a store for writing, unless it is better left alone.
  func open(_ store: StoreArguments) throws -> OpenedStore {
    try requireUnprotected(store.store)
    let opened = try OpenedStore.open(store.store, model: store.model, readOnly: false)
    opened.noteModel()
    return opened
  }
}

/// Which rows the commands change that may change many.
struct RowArguments: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Which rows; without it all of them.", valueName: "predicate"))
  var condition: String?

  @Option(
    help: ArgumentHelp("Only these rows, by the IDs that the tool prints: p4,p7.", valueName: "ids")
  )
  var id: String?

  /// The rows of an entity; what the condition probably does not mean is printed.
  func selection(
    of entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws -> RowSelection {
    let rows = try RowSelection(entity: entity, where: condition, ids: id, in: context)
    rows.noteHints()
    return rows
  }
}
