import Foundation
import Testing

@testable import CoreData

/// Rows and references with the number of an entity that their table, or their relationship, cannot contain.
@Suite struct EntityNumberTests {
  private let folder: TemporaryFolder
  private let url: URL

  /// Saves a player with a locker, and a tag.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait { try Self.fill(stack.context) }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  private static func fill(_ context: NSManagedObjectContext) throws {
    let locker = context.insert("Locker", ["number": 1])
    context.insert("Player", ["name": "Ann", "locker": locker])
    context.insert("Tag", ["label": "a"])
    try context.save()
  }

  /// Returns the SQL for the number of an entity.
  private static func number(_ entity: String) -> String {
    "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)')"
  }

  /// Requires that the locker's owner is a player that can be removed.
  private func checkOwner(in context: NSManagedObjectContext) throws {
    let locker = try #require(try context.all("Locker").first)
    let owner = try #require(locker["owner"] as NSManagedObject?)
    #expect(owner.entity.name == "Player")
    #expect(owner["name"] == "Ann")
    locker["owner"] = nil as NSManagedObject?
    #expect(owner["locker"] as NSManagedObject? == nil)
    try context.save()
  }

  @Test(arguments: ["Tag", "Team", "Locker"])
  func `A reference with the number of another hierarchy's entity leads to the declared entity`(
    _ entity: String
  ) throws {
    try PlainDatabase(url).execute("UPDATE ZLOCKER SET Z2_OWNER = \(Self.number(entity))")
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings
    #expect(found.map(\.kind) == [.entityColumn])
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait { try checkOwner(in: stack.context) }
  }

  @Test func `A row with the number of another hierarchy's entity is read as the requested entity`()
    throws
  {
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_ENT = \(Self.number("Tag"))")
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings
    #expect(found.contains { $0.kind == .entityNumber && $0.entity == "Player" })
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      let context = stack.context
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.fetchBatchSize = 10
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      #expect(controller.object(at: IndexPath(row: 0, section: 0)).entity.name == "Player")
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
      ids.resultType = .managedObjectIDResultType
      #expect(try context.fetch(ids).map(\.entity.name) == ["Player"])
      try checkOwner(in: context)
    }
  }

  @Test func `An object in use of another entity is not the destination of a relationship`() throws
  {
    // Base and Sub share a table. The relationship leads to Sub, and the row is one of Other.
    let text =
      "Owner: name string; sub -> Sub.owner\nBase: a string\nOther < Base: c string\n"
      + "Sub < Base: b string; owner -> Owner.sub"
    let store = try MigratedStore()
    try store.with(text) { context in
      context.insert("Owner", ["name": "Ann", "sub": context.insert("Sub", ["a": "x"])])
    }
    try PlainDatabase(store.url).execute("UPDATE ZBASE SET Z_ENT = \(Self.number("Other"))")
    // An object with unsaved changes stays, with its changes.
    try store.with(text) { context in
      let other = try #require(try context.all("Base").first)
      other["c"] = "edited"
      let owner = try #require(try context.all("Owner").first)
      #expect((owner["sub"] as NSManagedObject?)?.entity.name == "Sub")
      #expect(other.managedObjectContext === context && context.updatedObjects == [other])
      try context.save()
    }
    try store.with(text) { (context) throws in
      #expect(try context.all("Base").map { $0["c"] } == ["edited"])
    }
    try store.with(text) { context in
      let others = try context.all("Base")
      #expect(others.map(\.entity.name) == ["Other"])
      let owner = try #require(try context.all("Owner").first)
      let sub = owner["sub"] as NSManagedObject?
      #expect(sub?.entity.name == "Sub")
      owner["sub"] = nil as NSManagedObject?
      #expect(sub?["owner"] as NSManagedObject? == nil)
    }
  }

  @Test(arguments: ["99", "Tag"])
  func `A batch request changes and deletes a row with another entity's number`(_ wrong: String)
    throws
  {
    let number = Int(wrong).map(String.init) ?? Self.number(wrong)
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_ENT = \(number)")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      let update = NSBatchUpdateRequest(entityName: "Player")
      update.propertiesToUpdate = ["age": 7]
      update.resultType = .updatedObjectIDsResultType
      let updated = try stack.context.execute(update) as? NSBatchUpdateResult
      #expect((updated?.result as? [NSManagedObjectID])?.map(\.entity.name) == ["Player"])
      let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Player"))
      deletion.resultType = .resultTypeObjectIDs
      let deleted = try stack.context.execute(deletion) as? NSBatchDeleteResult
      #expect((deleted?.result as? [NSManagedObjectID])?.map(\.entity.name) == ["Player"])
      #expect(try stack.context.all("Player").isEmpty)
    }
    let left = try PlainDatabase(url).values("SELECT COUNT(*) FROM ZPLAYER")
    #expect(left == [[.integer(0)]])
  }

  @Test func `A uniqueness conflict with a row of another entity's number is one of the entity`()
    throws
  {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.uniquenessConstraints = [["name"]]
    let other = folder.file("unique.sqlite")
    let stack = try SampleStack(url: other, model: model)
    try stack.context.performAndWait {
      stack.context.insert("Team", ["name": "Reds"])
      try stack.context.save()
    }
    try PlainDatabase(other).execute("UPDATE ZTEAM SET Z_ENT = \(Self.number("Tag"))")
    stack.reading { context in
      context.insert("Team", ["name": "Reds"])
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(error?.constraintConflicts.first?.databaseObject?.entity.name == "Team")
    }
  }

  @Test func `A reference of an atomic store to an object of another entity is omitted`() throws {
    try onEveryStore([.xml, .binary]) { kind, folder in
      let file = kind.url(in: folder)
      let (store, context) = try kind.open(SampleStack.makeModel(), at: file)
      let tag = try context.performAndWait {
        try Self.fill(context)
        return try #require(try context.all("Tag").first).objectID.key
      }
      try context.persistentStoreCoordinator?.remove(store)
      let data = try Data(contentsOf: file)
      try (kind == .xml ? Self.text(data, ownerOfLocker: tag) : Self.list(data, ownerOfLocker: tag))
        .write(to: file)
      let opened = try kind.open(SampleStack.makeModel(), at: file)
      try opened.context.performAndWait {
        let locker = try #require(try opened.context.all("Locker").first)
        #expect((locker["owner"] as NSManagedObject?)?.entity.name != "Tag", "\(kind)")
        locker["owner"] = nil as NSManagedObject?
        try opened.context.save()
      }
    }
  }

  /// Returns an XML store in which the only reference to a player has another key.
  private static func text(_ data: Data, ownerOfLocker key: Int64) throws -> Data {
    let parts = String(decoding: data, as: UTF8.self)
      .components(separatedBy: "destination=\"PLAYER\" idrefs=\"")
    #expect(parts.count == 2)
    let rest = try #require(parts.last).drop { $0 != "\"" }
    return Data("\(parts[0])destination=\"PLAYER\" idrefs=\"z\(key)\(rest)".utf8)
  }

  /// Returns a binary store in which the locker's owner has another key.
  private static func list(_ data: Data, ownerOfLocker key: Int64) throws -> Data {
    let root = try #require(
      try PropertyListSerialization.propertyList(
        from: data, options: [], format: nil) as? [String: Any])
    var (file, entities) = (root, root["Entities"] as? [String: [String: Any]] ?? [:])
    var columns = entities["Locker"]?["Columns"] as? [String: Any] ?? [:]
    #expect(columns["owner"] != nil)
    columns["owner"] = ["Rows": [0], "Values": [key]] as [String: Any]
    entities["Locker"]?["Columns"] = columns
    file["Entities"] = entities
    return try PropertyListSerialization.data(fromPropertyList: file, format: .binary, options: 0)
  }
}
