import CoreData
import FixtureSupport
import Testing

/// Checks by SQLite's own query plan whether it uses the indexes that models declare.
@Suite("Fetches use declared indexes")
struct IndexUseTests {
  /// Returns a model of `Author` and `Book`, with the subentity `Comic`.
  private static func model() -> NSManagedObjectModel {
    let author = NSEntityDescription()
    author.name = "Author"
    let book = NSEntityDescription()
    book.name = "Book"
    let comic = NSEntityDescription()
    comic.name = "Comic"
    let books = SampleStack.relationship("books", to: book, toMany: true)
    let authorOfBook = SampleStack.relationship("author", to: author)
    books.inverseRelationship = authorOfBook
    authorOfBook.inverseRelationship = books
    author.properties = [SampleStack.attribute("name", .stringAttributeType), books]
    book.properties = [
      SampleStack.attribute("title", .stringAttributeType),
      SampleStack.attribute("year", .integer16AttributeType),
      SampleStack.attribute("price", .doubleAttributeType),
      SampleStack.attribute("shelf", .stringAttributeType),
      SampleStack.attribute("place", .integer32AttributeType),
      SampleStack.attribute("lent", .dateAttributeType),
      SampleStack.attribute("isbn", .UUIDAttributeType),
      SampleStack.attribute("note", .stringAttributeType), authorOfBook,
    ]
    comic.properties = [SampleStack.attribute("artist", .stringAttributeType)]
    book.subentities = [comic]
    book.indexes = [
      index("byTitle", ["title"], book), index("byYear", ["year"], book),
      index("byPlace", ["shelf", "place"], book), index("byLent", ["lent"], book),
      index("byISBN", ["isbn"], book),
    ]
    author.indexes = [index("byName", ["name"], author)]
    let model = NSManagedObjectModel()
    model.entities = [author, book, comic]
    return model
  }

  private static func index(
    _ name: String, _ properties: [String], _ entity: NSEntityDescription
  ) -> NSFetchIndexDescription {
    NSFetchIndexDescription(
      name: name,
      elements: properties.compactMap { property in
        entity.propertiesByName[property].map {
          NSFetchIndexElementDescription(property: $0, collationType: .binary)
        }
      })
  }

  private func explained(
    _ entity: String, _ format: String?, _ arguments: [Any] = [], sort: [String] = [],
    limit: Int = 0
  ) throws -> FetchExplanation {
    let stack = try SampleStack(model: Self.model())
    return try stack.context.performAndWait {
      try explained(entity, format, arguments, sort: sort, limit: limit, in: stack.context)
    }
  }

  private func explained(
    _ entity: String, _ format: String?, _ arguments: [Any] = [], sort: [String] = [],
    limit: Int = 0, in context: NSManagedObjectContext
  ) throws -> FetchExplanation {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = try format.map { try NSPredicate(validating: $0, arguments: arguments) }
    request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
    request.fetchLimit = limit
    let explanations = try context.explain(request)
    #expect(explanations.count == 1)
    return try #require(explanations.first)
  }

  @Test(
    "for comparisons of an attribute with constants",
    arguments: [
      ("title == \"Emma\"", "Z_Book_byTitle"), ("\"Emma\" == title", "Z_Book_byTitle"),
      ("title IN {\"Emma\", \"Persuasion\"}", "Z_Book_byTitle"),
      ("title == \"Emma\" AND note CONTAINS \"x\"", "Z_Book_byTitle"),
      ("title BETWEEN {\"A\", \"C\"}", "Z_Book_byTitle"),
      ("year == 1815", "Z_Book_byYear"),
      ("year >= 1815 AND year < 1820", "Z_Book_byYear"),
      ("year BETWEEN {1810, 1820}", "Z_Book_byYear"), ("year IN {1811, 1813}", "Z_Book_byYear"),
      ("year == nil", "Z_Book_byYear"),
      ("shelf == \"B\" AND place > 3", "Z_Book_byPlace"),
      ("shelf == \"B\" AND place == 3", "Z_Book_byPlace"), ("shelf == \"B\"", "Z_Book_byPlace"),
    ])
  func comparisons(_ format: String, _ index: String) throws {
    let explanation = try explained("Book", format)
    #expect(explanation.indexes == [index], "\(explanation.plan)")
    #expect(explanation.scans == [], "\(explanation.plan)")
  }

  @Test(
    "for comparisons with one bound",
    arguments: [
      ("title > \"M\"", "Z_Book_byTitle"), ("year > 1815", "Z_Book_byYear"),
      ("lent < \"2024-05-01\"", "Z_Book_byLent"),
    ])
  func oneBound(_ format: String, _ index: String) throws {
    let explanation = try explained("Book", format)
    #expect(explanation.indexes == [index], "\(explanation.plan)")
    #expect(explanation.scans == [], "\(explanation.plan)")
  }

  @Test(
    "for a count with a limit, and the plan does not treat its subquery as a table that is read whole"
  )
  func countingSubquery() throws {
    let context = try SampleStack(model: Self.model()).context
    try context.performAndWait {
      let request = NSFetchRequest<NSNumber>(entityName: "Book")
      request.predicate = NSPredicate(format: "title == \"Emma\"")
      request.resultType = .countResultType
      request.fetchLimit = 3
      let explanation = try #require(try context.explain(request).first)
      #expect(explanation.sql.contains("FROM (") && explanation.scans == [], "\(explanation)")
      #expect(explanation.indexes == ["Z_Book_byTitle"])
    }
  }

  @Test("for BEGINSWITH without options")
  func beginsWith() throws {
    let explanation = try explained("Book", "title BEGINSWITH \"Em\"")
    #expect(explanation.indexes == ["Z_Book_byTitle"])
    #expect(explanation.scans == [])
  }

  @Test("for UUIDs and dates as arguments")
  func arguments() throws {
    #expect(try explained("Book", "isbn == %@", [UUID()]).indexes == ["Z_Book_byISBN"])
    #expect(try explained("Book", "lent == %@", [Date()]).indexes == ["Z_Book_byLent"])
  }

  @Test("for long lists of constants, which are passed as one parameter")
  func longLists() throws {
    let explanation = try explained("Book", "year IN %@", [Array(0..<500)])
    #expect(explanation.parameters.count == 1)
    #expect(explanation.indexes == ["Z_Book_byYear"])
    #expect(explanation.scans == [])
  }

  @Test("for the operands of OR, each with its own index")
  func alternatives() throws {
    let explanation = try explained("Book", "title == \"Emma\" OR year == 1815")
    #expect(explanation.indexes == ["Z_Book_byTitle", "Z_Book_byYear"])
    #expect(explanation.scans == [])
  }

  @Test("for to-one relationships, objects and object IDs")
  func objects() throws {
    try SampleStack.withContext(model: Self.model()) { context in
      let author = context.insert("Author", ["name": "Austen"])
      try context.save()
      func indexes(_ entity: String, _ format: String, _ argument: Any) throws -> [String] {
        try explained(entity, format, [argument], in: context).indexes
      }
      for argument in [author, author.objectID] as [Any] {
        #expect(try indexes("Book", "author == %@", argument) == ["ZBOOK_ZAUTHOR_INDEX"])
        #expect(try indexes("Book", "author IN %@", [argument]) == ["ZBOOK_ZAUTHOR_INDEX"])
        #expect(try indexes("Author", "SELF == %@", argument) == ["INTEGER PRIMARY KEY"])
        #expect(try indexes("Author", "SELF IN %@", [argument]) == ["INTEGER PRIMARY KEY"])
        #expect(try indexes("Author", "objectID == %@", argument) == ["INTEGER PRIMARY KEY"])
      }
    }
  }

  @Test("for key paths: joined rows by their keys, members by the key of their owner")
  func keyPaths() throws {
    let toOne = try explained("Book", "year == 1815 AND author.name == \"Austen\"")
    #expect(toOne.scans == [])
    #expect(toOne.indexes.contains("Z_Book_byYear"))
    let toMany = try explained("Author", "name == \"Austen\" AND ANY books.year > 1815")
    #expect(toMany.scans == [])
    #expect(toMany.indexes.first == "Z_Author_byName")
    let count = try explained("Author", "name == \"Austen\" AND books.@count > 2")
    #expect(count.scans == [])
  }

  @Test("for the order of a request with a limit, without sorting all rows")
  func order() throws {
    for sort in [["title"], ["shelf", "place"]] {
      let explanation = try explained("Book", nil, sort: sort, limit: 10)
      let index = sort == ["title"] ? "Z_Book_byTitle" : "Z_Book_byPlace"
      #expect(
        explanation.steps.map(\.access) == [.scan(table: "t0", index: index)],
        "\(explanation.plan)")
    }
    let sorted = try explained("Book", nil, sort: ["price"], limit: 10)
    #expect(sorted.steps.contains { $0.text.hasPrefix("USE TEMP B-TREE") })
  }

  @Test("and read every row for conditions that no index supports")
  func scans() throws {
    for format in ["title CONTAINS \"mm\"", "title ==[c] \"emma\"", "price > 3", "year + 1 == 5"] {
      let explanation = try explained("Book", format)
      #expect(explanation.indexes == [], "\(format)")
      #expect(explanation.scans == ["t0"], "\(format)")
    }
  }

  @Test("even for a subentity, whose rows share the table of its superentity")
  func subentities() throws {
    for (format, index) in [
      ("title == \"Maus\"", "Z_Book_byTitle"), ("title BEGINSWITH \"M\"", "Z_Book_byTitle"),
      ("year > 1980", "Z_Book_byYear"), ("year BETWEEN {1980, 1991}", "Z_Book_byYear"),
      ("year IN {1980, 1991}", "Z_Book_byYear"),
    ] {
      let explanation = try explained("Comic", format)
      #expect(explanation.indexes == [index], "\(explanation.plan)")
      #expect(explanation.scans == [])
    }
  }

  @Test("and need no sort for a limit without an order")
  func fewRows() throws {
    let explanation = try explained("Book", "year > 1815", limit: 10)
    #expect(!explanation.steps.contains { $0.text.hasPrefix("USE TEMP B-TREE") })
  }
}

/// Indexes in stores that Apple's Core Data wrote.
@Suite("Fetches use the indexes of Apple's stores")
struct FixtureIndexUseTests {
  @Test(
    "for equality with the first attribute of each declared index",
    .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: [
      "SyncMetadata_V3.sqlite", "SampleModel2_V1.sqlite", "Bookmarks_V3.sqlite",
      "Test-10.15.7/Photos.sqlite",
    ])
  func equality(_ name: String) throws {
    let folder = try TemporaryFolder()
    let fixture = try #require(StoreFixture.named(name))
    let url = try fixture.copy(into: folder)
    let model = try #require(try fixture.models(url).first).model
    let database = try PlainDatabase(url)
    let columns = try leadingColumns(database)
    let store = try OpenStore(url, model, options: [NSReadOnlyPersistentStoreOption: true])
    var tried = 0
    try store.context.performAndWait {
      for entity in model.entities {
        for attribute in entity.attributesByName.values where !attribute.isTransient {
          guard let value = Self.value(attribute.attributeType),
            let root = Self.root(entity).name,
            columns.contains("Z\(root.uppercased()).Z\(attribute.name.uppercased())")
          else { continue }
          let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
          request.predicate = try NSPredicate(
            validating: "%K == %@", arguments: [attribute.name, value])
          let explanation = try #require(try store.context.explain(request).first)
          // SQLite may use any index on the attribute, or one on the entity and the attribute.
          let column = "Z\(attribute.name.uppercased())"
          let usesIndex = explanation.plan.contains {
            $0.text.contains("(\(column)=?") || $0.text.contains("AND \(column)=?")
          }
          #expect(usesIndex, "\(entity.name ?? "").\(attribute.name): \(explanation.plan)")
          #expect(explanation.scans == [])
          tried += 1
        }
      }
    }
    #expect(tried > 0)
    try store.close()
  }

  private static func root(_ entity: NSEntityDescription) -> NSEntityDescription {
    entity.superentity.map(root) ?? entity
  }

  /// Returns a value that is rare according to the statistics of the store, or nil if the test has none for the type.
  private static func value(_ type: NSAttributeType) -> Any? {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: 12345
    case .stringAttributeType: "no such text"
    case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 12.5)
    case .UUIDAttributeType: UUID()
    default: nil
    }
  }

  /// Returns the first columns of indexes on whole tables, as "table.column".
  private func leadingColumns(_ database: PlainDatabase) throws -> Set<String> {
    let rows = try database.rows(
      """
      SELECT m.tbl_name || '.' || c.name AS place FROM sqlite_master m
      JOIN pragma_index_xinfo(m.name) c ON c.seqno = 0
      WHERE m.type = 'index' AND m.sql NOT LIKE '% WHERE %' AND c.name IS NOT NULL
      """)
    return Set(rows.compactMap { $0["place"]?.text })
  }
}
