import CoreData

/// Writes the steps of a ledger to a store, and reads the ledger from it.
enum Ledger {
  /// Performs a step: one save, or one batch request.
  static func perform(_ number: Int, in context: NSManagedObjectContext) throws {
    switch NaiveLedger.Step(number) {
    case .entry: try performEntry(number, in: context)
    case .insertLines:
      let rows = (0..<NaiveLedger.linesOfBatch).map {
        ["number": number, "text": "line \($0)"] as [String: Any]
      }
      try context.execute(NSBatchInsertRequest(entityName: "Line", objects: rows))
    case .deleteLines(let limit):
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Line")
      request.predicate = try NSPredicate(validating: "number < %@", arguments: [limit])
      try context.execute(NSBatchDeleteRequest(fetchRequest: request))
    }
  }

  private static func performEntry(_ number: Int, in context: NSManagedObjectContext) throws {
    let counter =
      try context.all("Counter", "name == 'steps'").first
      ?? context.insert("Counter", ["name": "steps"])
    counter.setValue(number, forKey: "value")
    let entry = context.insert(
      "Entry",
      [
        "number": number, "note": "new", "made": Date(timeIntervalSinceReferenceDate: 1),
        "list": [number, number + 1] as NSArray,
      ])
    let items = NaiveLedger.items(number).map { item in
      context.insert(
        item.isSpecial ? "SpecialItem" : "Item",
        ["place": item.place, "payload": Data(repeating: item.byte, count: item.size)])
    }
    entry.setValue(NSOrderedSet(array: items), forKey: "items")
    entry.setValue(items.first, forKey: "favourite")
    let tags = try NaiveLedger.tags(number).map { name in
      try context.all("Tag", "name == %@", [name]).first ?? context.insert("Tag", ["name": name])
    }
    entry.setValue(NSSet(array: tags), forKey: "tags")
    if let last = try context.all("Entry", "number == %@", [number - 1]).first {
      last.setValue("before \(number)", forKey: "note")
      let members = last.mutableOrderedSetValue(forKey: "items")
      // Reading a relationship cannot throw. If reading it failed, the step would not make the change that
      // `NaiveLedger` expects.
      guard members.count > 0 else {
        let path = context.persistentStoreCoordinator?.persistentStores.first?.url?.path ?? ""
        throw NSError(
          domain: NSCocoaErrorDomain, code: NSPersistentStoreOperationError,
          userInfo: [NSLocalizedDescriptionKey: "the members were not read from \(path)"])
      }
      members.moveObjects(at: IndexSet(integer: 0), to: members.count - 1)
    }
    for old in try context.all("Entry", "number <= %@", [number - NaiveLedger.window]) {
      context.delete(old)
    }
    try context.save()
  }

  /// Reads the contents of the store.
  static func content(_ context: NSManagedObjectContext) throws -> NaiveLedger {
    var entries: [Int: NaiveLedger.Entry] = [:]
    for entry in try context.all("Entry") {
      guard let number = entry.value(forKey: "number") as? Int else {
        throw Lost("an entry without a number")
      }
      try Lost.unless(entries[number] == nil, "entry \(number) exists twice")
      let items = (entry.value(forKey: "items") as? NSOrderedSet)?.array ?? []
      let tags = (entry.value(forKey: "tags") as? Set<NSManagedObject>) ?? []
      let list = entry.value(forKey: "list") as? [Int]
      try Lost.unless(list == [number, number + 1], "the list of entry \(number) is incomplete")
      entries[number] = NaiveLedger.Entry(
        note: entry.value(forKey: "note") as? String ?? "",
        items: try items.compactMap { $0 as? NSManagedObject }.map { try item($0, of: number) },
        tags: tags.compactMap { $0.value(forKey: "name") as? String }.sorted())
    }
    let counters = try context.all("Counter", "name == 'steps'")
    try Lost.unless(counters.count <= 1, "\(counters.count) counters")
    var lines: [Int: Int] = [:]
    for line in try context.all("Line") {
      if let number = line.value(forKey: "number") as? Int { lines[number, default: 0] += 1 }
    }
    let members = entries.values.reduce(0) { $0 + $1.items.count }
    let items = try context.all("Item")
    try Lost.unless(items.count == members, "\(items.count - members) items without an entry")
    return NaiveLedger(
      entries: entries, counter: counters.first?.value(forKey: "value") as? Int ?? 0, lines: lines)
  }

  private static func item(
    _ object: NSManagedObject, of number: Int
  ) throws -> NaiveLedger.Item {
    let place = object.value(forKey: "place") as? Int ?? -1
    let data = object.value(forKey: "payload") as? Data ?? Data()
    let byte = data.first ?? 0
    // Iterate over the raw bytes: iterating over `Data` would take a tenth of the time of `scripts/soak faults`.
    let isUniform = data.withUnsafeBytes { $0.allSatisfy { $0 == byte } }
    try Lost.unless(
      isUniform, "the payload of item \(place) of entry \(number) is mixed")
    try Lost.unless(
      (object.entity.name == "SpecialItem") == (place % 2 == 1),
      "item \(place) of entry \(number) is of entity \(object.entity.name ?? "")")
    return NaiveLedger.Item(place: place, size: data.count, byte: byte)
  }
}
