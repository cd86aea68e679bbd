import CoreData

/// Takes steps until it is killed, and says each that is done.
enum CrashLoop {
  static func run(_ arguments: Arguments) throws {
    let url = URL(fileURLWithPath: try arguments.text("store"))
    var options = WorkloadStore.options(journal: arguments.text("journal", "wal"))
    // Few pages, so that some are killed while the log is moved into the file.
    if options.isEmpty { options = [NSSQLitePragmasOption: ["wal_autocheckpoint": 60]] }
    let store = try WorkloadStore(url, options)
    Report.line("open")
    var number = try arguments.number("from", 0)
    while true {
      number += 1
      // A new context now and then, so that objects are read, too.
      let context = number % 7 == 0 ? store.newContext() : store.context
      try context.performAndWait {
        try Ledger.take(number, in: context)
        if context !== store.context { store.context.performAndWait { store.context.reset() } }
      }
      Report.line("\(number)")
    }
  }
}
