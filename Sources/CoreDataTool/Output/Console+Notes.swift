import CoreData
import StoreInspection

extension OpenedStore {
  /// Runs a block with the context, on its queue.
  func perform<Result>(_ body: (NSManagedObjectContext) throws -> Result) rethrows -> Result {
    let console = Console.current
    return try context.performAndWait {
      // The queue may run the block on another thread, where task-local values are not available.
      try Console.$current.withValue(console) { try body(context) }
    }
  }

  /// Closes the file, and removes the files that SQLite created beside it for reading.
  func close() { close { Console.current.note($0) } }

  /// Prints which model is used, and the warnings about it, to standard error.
  func noteModel() {
    Console.current.note("model: \(source.text.onOneLine)\n")
    noteWarnings()
  }

  /// Prints warnings about the metadata and the model in the store, to standard error.
  func noteWarnings() {
    for warning in warnings {
      Console.current.note("warning: \(warning.withoutFullStop.onOneLine)\n")
    }
  }
}

extension RowSelection {
  /// Prints hints about parts of the condition that probably do not mean what the user intends.
  func noteHints() {
    for hint in hints { Console.current.note("hint: \(hint.message.onOneLine)\n") }
  }
}
