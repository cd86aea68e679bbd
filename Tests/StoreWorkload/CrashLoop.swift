import CoreData

/// Performs steps until it is killed, and reports each completed step.
enum CrashLoop {
  static func run(_ arguments: Arguments) throws {
    let url = URL(fileURLWithPath: try arguments.text("store"))
    var options = WorkloadStore.options(journal: arguments.text("journal", "wal"))
    // Frequent checkpoints, so that some processes are killed during one.
    if options.isEmpty { options = [NSSQLitePragmasOption: ["wal_autocheckpoint": 60]] }
    let store = try WorkloadStore(url, options)
    Report.line("open")
    var number = try arguments.number("from", 0)
    while true {
      number += 1
      // Uses a new context from time to time, so that objects are also read.
      let context = number % 7 == 0 ? store.newContext() : store.context
      try context.performAndWait {
        try Ledger.perform(number, in: context)
        if context !== store.context { store.context.performAndWait { store.context.reset() } }
      }
      Report.line("\(number)")
    }
  }
}
