import Testing

@testable import CoreData

/// Values that Core Data does not write make no objects of other classes, exhaust no memory and overflow no counter.
@Suite("Hostile values")
struct HostileValueTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = try UntrustedStore.make(in: folder)
  }

  @Test("Oversized metadata and models are not read into memory")
  func sizes() throws {
    try PlainDatabase(url).execute("UPDATE Z_METADATA SET Z_PLIST = zeroblob(70000000)")
    #expect(
      try UntrustedStore.refusal(at: url)?.localizedDescription.contains("has 70000000 bytes")
        == true)
    try PlainDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = zeroblob(70000000)")
    let error = #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url)
    }
    #expect(error?.code == NSFileReadCorruptFileError)
  }

  @Test(
    "A key counter at the upper end of the number range fails the save, and one at the lower end is ignored",
    arguments: [
      "9223372036854775807", "9223372036854775806", "-9223372036854775808",
    ])
  func keys(_ counter: String) throws {
    try PlainDatabase(url).execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter)")
    let stack = try SampleStack(url: url)
    try stack.context.performAndWait {
      for _ in 0..<3 { stack.context.insert("Player") }
      // A counter that is lower than the existing keys is ignored.
      if counter.hasPrefix("-") { return try stack.context.save() }
      let error = #expect(throws: NSError.self) { try stack.context.save() }
      #expect(error?.code == NSFileReadCorruptFileError)
      #expect(error?.localizedDescription.contains("no keys left for Player") == true)
    }
  }

  @Test(
    "History counters at the end of the number range fail the save",
    arguments: [16_001, 16_002, 16_003], [Int64.max, Int64.max - 1])
  func historyNumbers(_ entity: Int, _ counter: Int64) throws {
    let url = folder.file("history.sqlite")
    try HistoryStack(url).close()
    try PlainDatabase(url).execute(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter) WHERE Z_ENT = \(entity)")
    let stack = try HistoryStack(url)
    stack.context.insert("Player")
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSFileReadCorruptFileError)
  }

  @Test("A batch deletion nullifies the reference of a row with a wrong entity number")
  func wrongEntity() throws {
    let store = try MigratedStore(history: true)
    let text =
      "Owner: name string; subs ->> Sub.owner\nBase: a string\nSub < Base: b string; owner -> Owner.subs"
    try store.with(text) { context in
      let owner = context.insert("Owner", ["name": "Ann"])
      context.insert("Sub", ["a": "x", "owner": owner])
    }
    try PlainDatabase(store.url).execute(
      "UPDATE ZBASE SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Base')")
    try store.with(text) { context in
      try context.execute(
        NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Owner")))
      let count = try context.all("Base").count
      #expect(count == 1)
    }
    #expect(
      try PlainDatabase(store.url).values("SELECT ZOWNER IS NULL FROM ZBASE")[0][0].integer == 1)
  }

  @Test("Order numbers at either end of the number range are renumbered")
  func places() throws {
    #expect(OrderNumbers.assign([.max, nil]) == [2048, 3072])
    #expect(OrderNumbers.assign([nil, .min]) == [2048, 3072])
    #expect(OrderNumbers.assign([.min, nil, .max]) == [2048, 3072, 4096])
  }

  @Test("An archive with a class that is not allowed is returned as bytes")
  func archive() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("value", .transformableAttributeType))
    let other = folder.file("archive.sqlite")
    let stack = try SampleStack(url: other, model: model)
    try stack.context.performAndWait {
      stack.context.insert("Team", ["name": "Reds", "value": ["a", "b"] as NSArray])
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    let plain = try PlainDatabase(other)
    var data = try #require(try plain.values("SELECT ZVALUE FROM ZTEAM")[0][0].blob)
    // The names have the same length, so that the archive remains valid.
    while let place = data.range(of: Data("NSArray".utf8)) {
      data.replaceSubrange(place, with: Data("Process".utf8))
    }
    let text = data.map { String(format: "%02x", $0) }.joined()
    try plain.execute("UPDATE ZTEAM SET ZVALUE = x'\(text)'")
    let again = try SampleStack(url: other, model: model)
    try again.context.performAndWait {
      let team = try #require(try again.context.all("Team").first)
      // The bytes are returned unchanged, and no object was made from them.
      #expect(team.value(forKey: "value") as? Data == data)
      #expect(team["name"] == "Reds")
    }
  }
}
