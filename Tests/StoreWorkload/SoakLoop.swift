import CoreData

/// Saves repeatedly: each time a new row, a counter of this process, and a counter that all processes
/// share. With `--history 1` it also reads the history of all processes.
enum SoakLoop {
  static func run(_ arguments: Arguments) throws {
    let name = try arguments.text("name")
    let saves = try arguments.number("saves", 10)
    var options = WorkloadStore.options(journal: arguments.text("journal", "wal"))
    if let pages = try? arguments.text("checkpoints") {
      options = [NSSQLitePragmasOption: ["wal_autocheckpoint": pages]]
    }
    let keepsHistory = try arguments.number("history", 0) == 1
    if keepsHistory { options[NSPersistentHistoryTrackingKey] = true as NSNumber }
    let store = try WorkloadStore(URL(fileURLWithPath: try arguments.text("store")), options)
    let context = store.context
    var follower = HistoryFollower(of: store)
    try context.performAndWait {
      context.transactionAuthor = name
      let shared = try context.all("Counter", "name == 'shared'").first
      let own = context.insert("Counter", ["name": name, "value": 0])
      for number in 1...saves {
        let line = context.insert("Line", ["number": number, "text": name])
        own.setValue(number, forKey: "value")
        try add(to: shared, in: context)
        if keepsHistory, number % 20 == 0 {
          try follower.follow()
          try Lost.unless(
            follower.counts[name] == number,
            "\(name) read \(follower.counts) transactions after \(number) saves of its own")
        }
        // Turns the saved line into a fault again.
        if number % 100 == 0 { context.refresh(line, mergeChanges: false) }
      }
    }
    try store.close()
  }

  /// Adds one to the shared counter and saves.
  ///
  /// No addition of another process may be overwritten: if a save throws because of a conflict,
  /// reads the counter again and repeats the addition.
  private static func add(
    to shared: NSManagedObject?, in context: NSManagedObjectContext
  ) throws {
    while true {
      if let shared {
        shared.setValue((shared.value(forKey: "value") as? Int ?? 0) + 1, forKey: "value")
      }
      do {
        return try context.save()
      } catch let error as NSError where error.code == NSManagedObjectMergeError {
        if let shared { context.refresh(shared, mergeChanges: false) }
      }
    }
  }
}
