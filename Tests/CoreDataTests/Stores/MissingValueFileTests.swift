import CoreData
import Testing

/// Values in a row that cannot be read because their files are missing. They read as nil ("What
/// cannot be promised" in the article on safety), and setting nil is still a change.
@Suite(
  "Values whose files are missing",
  .only([.sqlite], "Apple: only SQLite stores keep binary data outside the store"))
struct MissingValueFileTests {
  /// A store with one player whose portrait's file is missing.
  private struct Damaged {
    let stack: SampleStack
    let url: URL

    init() throws {
      let model = SampleStack.makeModel()
      let portrait = SampleStack.attribute("portrait", .binaryDataAttributeType)
      portrait.allowsExternalBinaryDataStorage = true
      model.entitiesByName["Player"]?.properties.append(portrait)
      let stack = try SampleStack(model: model)
      let url = try #require(stack.coordinator.persistentStores.first?.url)
      (self.stack, self.url) = (stack, url)
      let context = stack.context
      try context.performAndWait {
        context.insert("Player", ["name": "Ann", "portrait": Data(repeating: 7, count: 200_000)])
        try context.save()
        context.reset()
      }
      let files = url.deletingLastPathComponent()
        .appendingPathComponent(".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
        .appendingPathComponent("_EXTERNAL_DATA")
      let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
      #expect(names.count == 1)
      for name in names {
        try FileManager.default.removeItem(at: files.appendingPathComponent(name))
      }
    }

    /// Returns whether the value is NULL in the row, read with plain SQL.
    func isNull() throws -> Bool {
      try PlainDatabase(url).values("SELECT ZPORTRAIT IS NULL FROM ZPLAYER") == [[.integer(1)]]
    }
  }

  @Test func `Setting nil is saved, even after another change to the same object`() throws {
    let damaged = try Damaged()
    let context = damaged.stack.context
    try context.performAndWait {
      let player = try #require(try context.all("Player").first)
      #expect(player.value(forKey: "portrait") == nil)
      player.setValue("Bea", forKey: "name")
      try context.save()
      #expect(try !damaged.isNull())
      #expect(!player.hasChanges)
      player.setValue(nil, forKey: "portrait")
      #expect(player.hasPersistentChangedValues)
      #expect(player.changedValues().keys.sorted() == ["portrait"])
      try context.save()
      #expect(try damaged.isNull())
      // Setting nil again is not a change.
      player.setValue(nil, forKey: "portrait")
      #expect(!player.hasPersistentChangedValues)
    }
  }

  @Test(arguments: [false, true])
  func `Nil set in a child context is saved`(_ isChangedAbove: Bool) throws {
    let damaged = try Damaged()
    let context = damaged.stack.context
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    if isChangedAbove {
      try context.performAndWait {
        try #require(try context.all("Player").first).setValue("Bea", forKey: "name")
      }
    }
    try child.performAndWait {
      let player = try #require(try child.all("Player").first)
      player.setValue(30, forKey: "age")
      try child.save()
      player.setValue(nil, forKey: "portrait")
      #expect(player.hasPersistentChangedValues)
      try child.save()
    }
    try context.performAndWait { try context.save() }
    #expect(try damaged.isNull())
  }

  @Test func `Undo restores the row, and redo sets nil again`() throws {
    let damaged = try Damaged()
    let context = damaged.stack.context
    try context.performAndWait {
      context.undoManager = UndoManager()
      let player = try #require(try context.all("Player").first)
      player.setValue(nil, forKey: "portrait")
      context.processPendingChanges()
      context.undo()
      #expect(!player.hasPersistentChangedValues)
      player.setValue("Bea", forKey: "name")
      try context.save()
      #expect(try !damaged.isNull())
      player.setValue(nil, forKey: "portrait")
      context.processPendingChanges()
      context.undo()
      context.redo()
      try context.save()
      #expect(try damaged.isNull())
    }
  }

  @Test func `A store with an unreadable value cannot be moved to another store type`() throws {
    let damaged = try Damaged()
    let coordinator = damaged.stack.coordinator
    let store = try #require(coordinator.persistentStores.first)
    let target = damaged.url.deletingLastPathComponent().appendingPathComponent("other.xml")
    let error = #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(store, to: target, type: .xml)
    }
    #expect(error?.localizedDescription.contains("Player.portrait") == true)
    #expect(!FileManager.default.fileExists(atPath: target.path))
    #expect(coordinator.persistentStores == [store])
    let context = damaged.stack.context
    try context.performAndWait {
      try #require(try context.all("Player").first).setValue(nil, forKey: "portrait")
      try context.save()
      context.reset()
    }
    try coordinator.migratePersistentStore(store, to: target, type: .xml)
    let names = try context.performAndWait {
      try context.all("Player").map { $0.value(forKey: "name") as? String }
    }
    #expect(names == ["Ann"])
  }
}
