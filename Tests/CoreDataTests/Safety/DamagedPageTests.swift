import Testing

@testable import CoreData

/// A fetch that reaches a page with foreign contents must fail. It must never return fewer rows.
///
/// Source: "Database File Format" (sqlite.org/fileformat2.html), section 1.6. The first byte of a table's page is 5 if
/// the page refers to other pages, and 13 if it contains rows. An interior page has the number of its last child page
/// after 8 bytes.
@Suite("Damaged pages of a table")
struct DamagedPageTests {
  private static let journals = ["WAL", "DELETE"]

  /// A store in a file whose last row of players is on an overwritten page.
  private struct Damaged {
    let folder: TemporaryFolder
    let url: URL
    let bytes: Data
    /// The IDs of a player on an intact page, and of one on the damaged page.
    let whole: URL
    let lost: URL

    func open() throws -> OpenStore { try OpenStore(url, SampleStack.makeModel()) }

    func id(_ uri: URL, in store: OpenStore) throws -> NSManagedObjectID {
      try #require(store.coordinator.managedObjectID(forURIRepresentation: uri))
    }

    func expectError(
      _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
      let error = failure(sourceLocation: sourceLocation, body)
      #expect(error?.domain == NSCocoaErrorDomain, "\(what)", sourceLocation: sourceLocation)
      #expect(
        error?.code == NSFileReadCorruptFileError, "\(what): \(String(describing: error))",
        sourceLocation: sourceLocation)
      #expect(
        error?.localizedDescription.contains("the store \(url.path) is damaged") == true,
        "\(what): \(String(describing: error))", sourceLocation: sourceLocation)
    }
  }

  /// Saves 200 players on several pages, all but the last of them in one team, and overwrites the last page.
  private func damagedStore(_ journal: String) throws -> Damaged {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try OpenStore(
      url, SampleStack.makeModel(),
      options: journal == "WAL" ? [:] : [NSSQLitePragmasOption: ["journal_mode": journal]])
    let context = store.context
    let uris = try context.performAndWait { () throws -> [URL] in
      func insert(_ number: Int, _ team: NSManagedObject) -> NSManagedObject {
        let name = "\(number) " + String(repeating: "x", count: 100)
        return context.insert("Player", ["name": name, "number": number, "team": team])
      }
      let reds = context.insert("Team", ["name": "Reds"])
      let first = insert(1, reds)
      try context.save()
      for number in 2..<200 { _ = insert(number, reds) }
      try context.save()
      // This player is saved separately, so it has the last key.
      let last = insert(200, context.insert("Team", ["name": "Blues"]))
      try context.save()
      return [first, last].map { $0.objectID.uriRepresentation() }
    }
    try store.close()
    let root = try PlainDatabase(url).values(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'ZPLAYER'")[0][0].integer
    var bytes = try Data(contentsOf: url)
    let inner = (Int(try #require(root)) - 1) * 4096
    try #require(bytes[inner] == 5)
    let leaf = (bytes[inner + 8..<inner + 12].reduce(0) { $0 << 8 | Int($1) } - 1) * 4096
    try #require(bytes[leaf] == 13)
    bytes.replaceSubrange(leaf..<leaf + 4096, with: Data(repeating: 0xee, count: 4096))
    try bytes.write(to: url)
    return Damaged(folder: folder, url: url, bytes: bytes, whole: uris[0], lost: uris[1])
  }

  @Test("Every fetch that reaches the page throws, and no other does", arguments: journals)
  func fetch(_ journal: String) throws {
    let damaged = try damagedStore(journal)
    let store = try damaged.open()
    let context = store.context
    try context.performAndWait {
      damaged.expectError("all") { _ = try context.all("Player") }
      damaged.expectError("sorted") { _ = try context.all("Player", sort: ["name"]) }
      damaged.expectError("one of them") { _ = try context.all("Player", "name BEGINSWITH '200'") }
      damaged.expectError("through a relationship") {
        _ = try context.all("Team", "ANY players.number == 200")
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "name CONTAINS 'y'")
      damaged.expectError("count") { _ = try context.count(for: request) }
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Player")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.propertiesToFetch = ["name"]
      damaged.expectError("dictionaries") { _ = try context.fetch(dictionaries) }
      let teams = try context.column("Team", "name")
      #expect(teams == ["Blues", "Reds"])
    }
    try store.close()
    #expect(try Data(contentsOf: damaged.url) == damaged.bytes)
  }

  // Apple's Core Data raises an exception when a value is read. Here the value is nil, and the log
  // has the error.
  @Test("Firing a fault on the page fails, and the object stays a fault and is not deleted")
  func fault() throws {
    let damaged = try damagedStore("WAL")
    let store = try damaged.open()
    let context = store.context
    try context.performAndWait {
      let lost = context.object(with: try damaged.id(damaged.lost, in: store))
      damaged.expectError("existingObject") { _ = try context.existingObject(with: lost.objectID) }
      damaged.expectError("validatedValue") { _ = try lost.validatedValue(forKey: "name") }
      damaged.expectError("setValidatedValue") { try lost.setValidatedValue("x", forKey: "name") }
      #expect(lost.value(forKey: "name") == nil)
      lost.setValue("x", forKey: "name")
      #expect(lost.isFault && !lost.isDeleted && !context.hasChanges)
      let whole = try context.existingObject(with: damaged.id(damaged.whole, in: store))
      let name = whole.value(forKey: "name") as? String
      #expect(name?.hasPrefix("1 x") == true)
    }
    try store.close()
    #expect(try Data(contentsOf: damaged.url) == damaged.bytes)
  }

  @Test("Prefetching members on the page throws, and the relationship is nil rather than empty")
  func relationship() throws {
    let damaged = try damagedStore("WAL")
    let store = try damaged.open()
    let context = store.context
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
      request.predicate = NSPredicate(format: "name == 'Blues'")
      let blues = try #require(try context.fetch(request).first)
      // Reading a relationship cannot throw.
      #expect(blues.value(forKey: "players") == nil)
      #expect(!blues.isDeleted && !context.hasChanges)
      request.relationshipKeyPathsForPrefetching = ["players"]
      damaged.expectError("prefetching") { _ = try context.fetch(request) }
    }
    try store.close()
    #expect(try Data(contentsOf: damaged.url) == damaged.bytes)
  }

  @Test(
    "A save and batch requests that reach the page throw and change nothing", arguments: journals)
  func save(_ journal: String) throws {
    let damaged = try damagedStore(journal)
    let store = try damaged.open()
    let context = store.context
    context.performAndWait {
      // The search for used keys reaches the last page.
      context.insert("Player", ["name": "new"])
      damaged.expectError("save") { try context.save() }
      #expect(context.insertedObjects.count == 1)
      context.rollback()
      damaged.expectError("insertion") { try context.batchInsert("Player", [["name": "new"]]) }
      damaged.expectError("update") { try context.batchUpdate("Player", nil, ["age": 3]) }
      damaged.expectError("deletion") { try context.batchDelete("Player", "number > 1") }
    }
    try store.close()
    #expect(try Data(contentsOf: damaged.url) == damaged.bytes)
    // Rows on other pages can be changed.
    let again = try damaged.open()
    try again.context.performAndWait {
      let whole = try again.context.existingObject(with: damaged.id(damaged.whole, in: again))
      whole.setValue("changed", forKey: "name")
      again.context.insert("Tag", ["label": "new"])
      try again.context.save()
    }
    try again.close()
    let plain = try PlainDatabase(damaged.url)
    #expect(try plain.values("SELECT ZNAME FROM ZPLAYER WHERE Z_PK = 1") == [[.text("changed")]])
    #expect(try plain.values("SELECT ZLABEL FROM ZTAG") == [[.text("new")]])
  }
}
