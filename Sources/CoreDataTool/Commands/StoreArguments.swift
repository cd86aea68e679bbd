import ArgumentParser
import CoreData
import StoreInspection

/// The arguments of every command on a store.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Option(
    help: """
      Model to read the store with: .xcdatamodeld, .xcdatamodel, .momd, .mom or .json. The default is the \
      copy that the store contains.
      """, completion: .file())
  var model: String?

  /// Opens the store for reading, runs a block that prints what it reads, and closes the store. Then, even if the block
  /// throws, moves saves from the write-ahead log into the store's file, if the reading may have kept other processes
  /// from doing so; see ``LeftLog``.
  ///
  /// - Throws: ``OutputLoss`` if the output could not be written, and the errors of opening and of the block.
  func reading(isImmutable: Bool = false, _ body: (OpenedStore) throws -> Void) throws {
    let console = Console.current
    // Otherwise, a closed pipe would end the process before the store is closed.
    console.surviveOutputLoss { _ in }
    let outcome = Result {
      try LeftLog.moving(of: store, model: model, unless: isImmutable) {
        let opened = try OpenedStore.open(
          store, model: model, readOnly: true, isImmutable: isImmutable)
        defer { opened.close() }
        try body(opened)
      }
    }
    console.flush()
    // Report the loss of the output rather than the block's error, which may be a consequence.
    try console.requireOutput()
    try outcome.get()
  }
}

/// The additional options of the commands that change a store.
struct WriteArguments: ParsableArguments {
  @Flag(
    help: """
      Write even if the store belongs to a photo library or another process has it open.
      """)
  var write = false

  /// Throws if the store at a path should not be written.
  func requireUnprotected(_ path: String) throws {
    if write { return }
    let reasons = StoreProtection.reasonsAgainstWriting(to: path)
    guard reasons.isEmpty else { throw Diagnostic.protected(path, reasons: reasons) }
  }

  /// Opens a store for writing. Throws if it should not be written.
  func open(_ store: StoreArguments) throws -> OpenedStore {
    try requireUnprotected(store.store)
    let opened = try OpenedStore.open(store.store, model: store.model, readOnly: false)
    opened.noteModel()
    return opened
  }
}

/// The options that select rows, for the commands that may change many rows.
struct RowArguments: ParsableArguments {
  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp(
      "Condition that selects the rows; the default is all rows.", valueName: "predicate"))
  var condition: String?

  @Option(
    help: ArgumentHelp(
      "Only these rows, by their IDs in the tool's output: p4,p7.", valueName: "ids")
  )
  var id: String?

  /// Returns the selected rows of an entity, and prints hints if the condition probably does not mean what the user
  /// intended.
  func selection(
    of entity: NSEntityDescription, in context: NSManagedObjectContext
  ) throws -> RowSelection {
    let rows = try RowSelection(entity: entity, where: condition, ids: id, in: context)
    rows.noteHints()
    return rows
  }
}
