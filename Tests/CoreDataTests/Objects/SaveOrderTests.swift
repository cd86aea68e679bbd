import CoreData
import Testing

/// Records its calls, and what is visible during them, in its context's chronicle.
final class Chronicler: NSManagedObject {
  private func note(_ text: String) {
    (managedObjectContext?.userInfo["chronicle"] as? Chronicle)?.add(text)
  }

  override func prepareForDeletion() {
    guard entity.name == "Team" else { return note("prepareForDeletion") }
    note("prepareForDeletion with \((value(forKey: "trophies") as? NSOrderedSet)?.count ?? 0)")
  }
  override func willSave() { note("willSave") }
  override func didSave() { note("didSave changed \(hasChanges)") }
  override func validateForInsert() throws {
    note("validateForInsert")
    try super.validateForInsert()
  }
  override func validateForUpdate() throws {
    note("validateForUpdate")
    try super.validateForUpdate()
  }
  override func validateForDelete() throws {
    note("validateForDelete")
    try super.validateForDelete()
  }
}

/// The recorded events, in order. Equal events in a row are recorded once.
final class Chronicle: @unchecked Sendable {
  private(set) var lines: [String] = []
  private var tokens: [any NSObjectProtocol] = []

  init(_ context: NSManagedObjectContext) {
    context.userInfo["chronicle"] = self
    let names: [(Notification.Name, String)] = [
      (.NSManagedObjectContextObjectsDidChange, "ObjectsDidChange"),
      (.NSManagedObjectContextWillSave, "WillSave"), (.NSManagedObjectContextDidSave, "DidSave"),
    ]
    tokens = names.map { name, text in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
        [weak self] _ in self?.add(text)
      }
    }
  }

  func stop() { for token in tokens { NotificationCenter.default.removeObserver(token) } }

  func add(_ line: String) { if lines.last != line { lines.append(line) } }
}

/// Clears a required value, or fills it in, during the save.
final class LateTag: NSManagedObject {
  override func willSave() {
    if value(forKey: "label") as? String == "emptied" { setPrimitiveValue(nil, forKey: "label") }
  }
  override func validateForInsert() throws {
    if value(forKey: "label") == nil { setValue("made up", forKey: "label") }
    try super.validateForInsert()
  }
}

/// Sources: public descriptions of the order of a save (where they agree), Apple's pages for
/// `willSave`, `validateForInsert` and `prepareForDeletion`, FreeCoreData's tests.
@Suite("The order of a save", .onEveryStore)
struct SaveOrderTests {
  private func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    for name in ["Team", "Trophy", "Player"] {
      model.entitiesByName[name]?.managedObjectClassName = "CoreDataTests.Chronicler"
    }
    return model
  }

  @Test(
    "A save runs delete rules, WillSave, willSave, validation, didSave and DidSave in order")
  func order() throws {
    try SampleStack.withContext(model: model()) { context in
      let red = context.insert("Team", ["name": "Red"])
      for title in ["a", "b"] { context.insert("Trophy", ["title": title, "winner": red]) }
      try context.save()
      let chronicle = Chronicle(context)
      defer { chronicle.stop() }
      context.delete(red)
      // `prepareForDeletion` comes before the delete rules: the trophies still exist.
      #expect(red.isDeleted && chronicle.lines == ["prepareForDeletion with 2"])
      context.delete(red)
      try context.save()
      #expect(
        chronicle.lines == [
          "prepareForDeletion with 2", "prepareForDeletion", "ObjectsDidChange", "WillSave",
          "willSave", "validateForDelete", "didSave changed true", "DidSave",
        ])
      #expect(!red.hasChanges)
    }
  }

  @Test("A conflict is found after validation and resolved before didSave")
  func conflict() throws {
    final class Noting: NSMergePolicy, @unchecked Sendable {
      override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let info = list[0].sourceObject.managedObjectContext?.userInfo
        (info?["chronicle"] as? Chronicle)?.add("policy")
        try super.resolve(optimisticLockingConflicts: list)
      }
    }
    let writers = try TwoWriters(
      .contexts, StoreScope.current.kind, model: model(),
      policy: Noting(merge: .mergeByPropertyObjectTrumpMergePolicyType))
    let player = writers.here.insert("Player", ["name": "Ann"])
    try writers.here.save()
    try writers.twin(player)["name"] = "there"
    try writers.there.save()
    player["name"] = "here"
    writers.here.processPendingChanges()
    let chronicle = Chronicle(writers.here)
    defer { chronicle.stop() }
    try writers.here.save()
    #expect(
      chronicle.lines == [
        "WillSave", "willSave", "validateForUpdate", "policy", "ObjectsDidChange",
        "didSave changed true", "DidSave",
      ])
  }

  @Test("A second deletion calls prepareForDeletion again")
  func twice() throws {
    try SampleStack.withContext(model: Diarist.model()) { context in
      let object = try #require(context.insert("Diarist") as? Diarist)
      try context.save()
      _ = object.news
      context.delete(object)
      context.delete(object)
      #expect(object.news == ["prepareForDeletion", "prepareForDeletion"])
      context.processPendingChanges()
      #expect(context.deletedObjects == [object])
    }
  }

  @Test("Values that a validation method sets are saved, and what willSave clears is validated")
  func lateValues() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Tag"]?.managedObjectClassName = "CoreDataTests.LateTag"
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let tag = context.insert("Tag")
      try context.save()
      #expect(tag["label"] == "made up" && !tag.hasChanges && !context.hasChanges)
      #expect(try stack.reading { try $0.all("Tag").map { $0["label"] as String? } } == ["made up"])
      tag["label"] = "emptied"
      // According to public reports, Apple's Core Data stores a nil that `willSave` sets, even for a required
      // attribute.
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
      tag["label"] = "mended"
      try context.save()
    }
  }

  /// Source: public reports of code 132001 ("attempt to recursively call -save:").
  @Test("A save during a save throws and does not affect the outer one")
  func nested() throws {
    try SampleStack.withContext { context in
      nonisolated(unsafe) var errors: [NSError] = []
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: context, queue: nil
      ) { _ in
        do { try context.save() } catch { errors.append(error as NSError) }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      context.insert("Team", ["name": "Red"])
      try context.save()
      #expect(errors.map(\.code) == [132001])
      #expect(!context.hasChanges)
    }
  }
}
