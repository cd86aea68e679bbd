import CoreData
import Foundation

/// Two versions of a small model and the mapping between them, made in code.
///
/// Version 1: `Shelf` (name, ordered `books`), `Book` (title, pages, `shelf`), and its subentity `Comic`
/// (isColored). Version 2: `Shelf` (label, ordered `books`), `Book` (title, pages, required `code`,
/// required `language` with a default, `shelf`), and its subentity `Comic` (isColored).
enum LibraryModels {
  static func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true, defaultValue: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    attribute.defaultValue = defaultValue
    return attribute
  }

  static func entity(
    _ name: String, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  private static func model(
    shelf: [NSPropertyDescription], book: [NSPropertyDescription], isShelfRequired: Bool = false
  ) -> NSManagedObjectModel {
    let (books, home) = (NSRelationshipDescription(), NSRelationshipDescription())
    books.name = "books"
    books.isOrdered = true
    books.minCount = 0
    books.maxCount = 0
    books.isOptional = true
    home.name = "shelf"
    home.maxCount = 1
    home.isOptional = !isShelfRequired
    let (shelf, book) = (entity("Shelf", shelf + [books]), entity("Book", book + [home]))
    books.destinationEntity = book
    home.destinationEntity = shelf
    books.inverseRelationship = home
    home.inverseRelationship = books
    let comic = entity("Comic", [attribute("isColored", .booleanAttributeType)])
    book.subentities = [comic]
    let model = NSManagedObjectModel()
    model.entities = [shelf, book, comic]
    return model
  }

  static func one() -> NSManagedObjectModel {
    model(
      shelf: [attribute("name", .stringAttributeType)],
      book: [
        attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
      ])
  }

  static func two(isShelfRequired: Bool = false) -> NSManagedObjectModel {
    model(
      shelf: [attribute("label", .stringAttributeType)],
      book: [
        attribute("title", .stringAttributeType), attribute("pages", .integer64AttributeType),
        attribute("code", .stringAttributeType, isOptional: false),
        attribute("language", .stringAttributeType, isOptional: false, defaultValue: "en"),
      ], isShelfRequired: isShelfRequired)
  }

  static func property(_ name: String, _ format: String? = nil) -> NSPropertyMapping {
    let mapping = NSPropertyMapping()
    mapping.name = name
    mapping.valueExpression = format.map { NSExpression(format: $0) }
    return mapping
  }

  static func entityMapping(
    _ name: String, _ source: String?, _ destination: String?,
    attributes: [NSPropertyMapping], relationships: [NSPropertyMapping],
    predicate: String = "TRUEPREDICATE"
  ) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = name
    mapping.mappingType = .transformEntityMappingType
    mapping.sourceEntityName = source
    mapping.destinationEntityName = destination
    mapping.attributeMappings = attributes
    mapping.relationshipMappings = relationships
    if let source {
      mapping.sourceExpression = NSExpression(
        format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', %@,"
          + " %@), $manager.sourceContext, NO)", source, predicate)
    }
    return mapping
  }

  static func mapping() -> NSMappingModel {
    let book = [
      property("title", "$source.title"), property("pages", "$source.pages"),
      property("code", "uppercase($source.title)"), property("language", "nil"),
    ]
    let shelf = property(
      "shelf",
      "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:',"
        + " 'ShelfToShelf', $source.shelf)")
    let model = NSMappingModel()
    model.entityMappings = [
      entityMapping(
        "ShelfToShelf", "Shelf", "Shelf", attributes: [property("label", "$source.name")],
        relationships: [
          property(
            "books",
            "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:',"
              + " 'books', $source.books)")
        ]),
      entityMapping("BookToBook", "Book", "Book", attributes: book, relationships: [shelf]),
      entityMapping(
        "ComicToComic", "Comic", "Comic",
        attributes: book + [property("isColored", "$source.isColored")], relationships: [shelf]),
    ]
    return model
  }

  /// Inserts shelves with books in a particular order. Every third book is a comic.
  static func fill(_ context: NSManagedObjectContext, shelves: Int, booksEach: Int) throws {
    for number in 0..<shelves {
      let shelf = NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
      shelf.setValue("shelf \(number)", forKey: "name")
      var books: [NSManagedObject] = []
      for place in 0..<booksEach {
        let isComic = place % 3 == 2
        let book = NSEntityDescription.insertNewObject(
          forEntityName: isComic ? "Comic" : "Book", into: context)
        book.setValue("book \(number).\(place)", forKey: "title")
        book.setValue(place, forKey: "pages")
        if isComic { book.setValue(true, forKey: "isColored") }
        books.append(book)
      }
      // An order that differs from the order of the keys.
      books = books.enumerated().sorted { ($0.offset * 7 % 10) < ($1.offset * 7 % 10) }.map(
        \.element)
      shelf.setValue(NSOrderedSet(array: books), forKey: "books")
    }
    try context.save()
  }
}

/// A store of version 1 in a folder, and the URL to which it is migrated.
struct LibraryMigration {
  let kind: TestedStore
  let folder: TemporaryFolder
  let source: URL
  let destination: URL

  init(
    _ kind: TestedStore = .sqlite, _ folder: TemporaryFolder, shelves: Int = 3, booksEach: Int = 10,
    to other: TestedStore? = nil
  ) throws {
    self.kind = kind
    self.folder = folder
    source = kind.url(in: folder, "old")
    destination = (other ?? kind).url(in: folder, "new")
    let (store, context) = try kind.open(LibraryModels.one(), at: source)
    try context.performAndWait {
      store.metadata = (store.metadata ?? [:]).merging(["author": "Ann"]) { $1 }
      try LibraryModels.fill(context, shelves: shelves, booksEach: booksEach)
    }
    try store.persistentStoreCoordinator?.remove(store)
  }

  func run(
    _ mapping: NSMappingModel = LibraryModels.mapping(),
    manager: NSMigrationManager = NSMigrationManager(
      sourceModel: LibraryModels.one(), destinationModel: LibraryModels.two()),
    to other: TestedStore? = nil
  ) throws {
    try manager.migrateStore(
      from: source, sourceType: kind.type, options: nil, with: mapping,
      toDestinationURL: destination, destinationType: (other ?? kind).type,
      destinationOptions: nil)
  }

  /// The files of the folder with their contents, without the shared memory of open stores.
  func files() throws -> [String: Data?] {
    try folder.state().filter { !$0.key.hasSuffix("-shm") }.mapValues(\.bytes)
  }
}
