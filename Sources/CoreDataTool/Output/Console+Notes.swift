import CoreData
import StoreInspection

extension OpenedStore {
  /// Runs a block with the context, on its queue.
  func perform<Result>(_ body: (NSManagedObjectContext) throws -> Result) rethrows -> Result {
    let console = Console.current
    return try context.performAndWait {
      // The queue may run the block on another thread, where task-local values are not known.
      try Console.$current.withValue(console) { try body(context) }
    }
  }

  /// Closes the file, and takes away what SQLite made beside it for reading.
  func close() { close { Console.current.note($0) } }

  /// Tells which model is used, beside the output.
  func noteModel() {
    Console.current.note("model: \(source.text.onOneLine)\n")
    noteWarnings()
  }

  /// Says what is wrong with what the store says of itself, beside the output.
  func noteWarnings() {
    for warning in warnings {
      Console.current.note("warning: \(warning.withoutFullStop.onOneLine)\n")
    }
  }
}

extension RowSelection {
  /// Prints what the condition probably does not mean.
  func noteHints() {
    for hint in hints { Console.current.note("hint: \(hint.message.onOneLine)\n") }
  }
}
