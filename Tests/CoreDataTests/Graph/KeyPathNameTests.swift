import CoreData
import Testing

/// A class like those that applications define.
final class Author: NSManagedObject {
  var name: String? {
    get { value(forKey: "name") as? String }
    set { setValue(newValue, forKey: "name") }
  }
  var pen: String { value(forKey: "pen") as? String ?? "" }
  var age: Int16 {
    get { value(forKey: "age") as? Int16 ?? 0 }
    set { setValue(newValue, forKey: "age") }
  }
  var size: Double { value(forKey: "size") as? Double ?? 0 }
  var isAlive: Bool {
    get { value(forKey: "isAlive") as? Bool ?? false }
    set { setValue(newValue, forKey: "isAlive") }
  }
  var born: Date? {
    get { value(forKey: "born") as? Date }
    set { setValue(newValue, forKey: "born") }
  }
  var id: UUID? { value(forKey: "id") as? UUID }
  var home: URL? { value(forKey: "home") as? URL }
  var price: NSDecimalNumber? { value(forKey: "price") as? NSDecimalNumber }
  var picture: Data? { value(forKey: "picture") as? Data }
  /// Only `anotherVersion` uses this property: resolved names are cached, and it needs one that is not.
  var country: String? { value(forKey: "country") as? String }
  var secret: [String]? { value(forKey: "secret") as? [String] }
  var books: Set<Novel> {
    get { value(forKey: "books") as? Set<Novel> ?? [] }
    set { setValue(newValue as NSSet, forKey: "books") }
  }
  var shelf: NSOrderedSet? { value(forKey: "shelf") as? NSOrderedSet }
  var changeableBooks: NSMutableSet { requiredManagedValue(ManagedKey("books")) }
  var changeableShelf: NSMutableOrderedSet? { managedValue(ManagedKey("shelf")) }
  var rank: Int64 { managedValue(ManagedKey("rank")) }
  var motto: String { requiredManagedValue(ManagedKey("motto")) }
  var editor: Author? {
    get { value(forKey: "editor") as? Author }
    set { setValue(newValue, forKey: "editor") }
  }

  // These are not properties of the model.
  var isAdult: Bool { age >= 18 }
  var isRanked: Bool { rank > 0 && !motto.isEmpty }
  var shouted: String? { name?.uppercased() }
  var fullName: String { (name ?? "") + pen }
  var isDead: Bool { !isAlive }
  var youngBooks: Set<Novel> { books.filter { $0.isNew } }
  var nothing: Int { 3 }
  var wrong: String? { value(forKey: "wrong") as? String }
  var editorOrSelf: Author { editor ?? self }
  var bossName: String? { editor?.name ?? name }
}

final class Novel: NSManagedObject {
  var title: String? {
    get { value(forKey: "title") as? String }
    set { setValue(newValue, forKey: "title") }
  }
  var isNew: Bool { value(forKey: "isNew") as? Bool ?? false }
  var author: Author? {
    get { value(forKey: "author") as? Author }
    set { setValue(newValue, forKey: "author") }
  }

  override func value(forUndefinedKey key: String) -> Any? { nil }
}

@Suite("Key paths of managed objects")
struct KeyPathNameTests {
  private static let stack: SampleStack? = try? makeStack()

  private static func makeStack() throws -> SampleStack {
    let author = NSEntityDescription()
    author.name = "Author"
    author.managedObjectClassName = "CoreDataTests.Author"
    let novel = NSEntityDescription()
    novel.name = "Novel"
    novel.managedObjectClassName = "CoreDataTests.Novel"
    let books = SampleStack.relationship("books", to: novel, toMany: true)
    let writer = SampleStack.relationship("author", to: author)
    books.inverseRelationship = writer
    writer.inverseRelationship = books
    let shelf = SampleStack.relationship("shelf", to: novel, toMany: true, isOrdered: true)
    let attributes: [(String, NSAttributeType)] = [
      ("name", .stringAttributeType), ("pen", .stringAttributeType),
      ("country", .stringAttributeType),
      ("age", .integer16AttributeType), ("size", .doubleAttributeType),
      ("isAlive", .booleanAttributeType), ("born", .dateAttributeType),
      ("id", .UUIDAttributeType), ("home", .URIAttributeType),
      ("price", .decimalAttributeType), ("picture", .binaryDataAttributeType),
      ("secret", .transformableAttributeType), ("rank", .integer64AttributeType),
      ("motto", .stringAttributeType),
    ]
    author.properties =
      attributes.map { SampleStack.attribute($0.0, $0.1) }
      + [books, shelf, SampleStack.relationship("editor", to: author)]
    novel.properties = [
      SampleStack.attribute("title", .stringAttributeType),
      SampleStack.attribute("isNew", .booleanAttributeType), writer,
    ]
    let model = NSManagedObjectModel()
    model.entities = [author, novel]
    return try SampleStack(model: model)
  }

  private let stack: SampleStack

  init() throws { stack = try #require(Self.stack) }

  private func key<Value>(_ keyPath: KeyPath<Author, Value>) -> String? {
    NSSortDescriptor(keyPath: keyPath, ascending: true).key
  }

  @Test("have the names of their properties")
  func names() {
    #expect(key(\.name) == "name")
    #expect(key(\.pen) == "pen")
    #expect(key(\.age) == "age")
    #expect(key(\.size) == "size")
    #expect(key(\.isAlive) == "isAlive")
    #expect(key(\.born) == "born")
    #expect(key(\.id) == "id")
    #expect(key(\.home) == "home")
    #expect(key(\.price) == "price")
    #expect(key(\.picture) == "picture")
    #expect(key(\.secret) == "secret")
    #expect(key(\.books) == "books")
    #expect(key(\.shelf) == "shelf")
    #expect(key(\.changeableBooks) == "books")
    #expect(key(\.changeableShelf) == "shelf")
    #expect(key(\.editor) == "editor")
    #expect(key(\.editor?.name) == "editor.name")
    #expect(key(\.editor?.editor?.books) == "editor.editor.books")
    #expect(NSSortDescriptor(keyPath: \Novel.author?.age, ascending: true).key == "author.age")
    // Source: Apple's page "NSExpression", init(forKeyPath:) of a key path.
    #expect(
      NSExpression(forKeyPath: \Author.editor?.name) == NSExpression(forKeyPath: "editor.name"))
    // The standard library's property of this name is always nil on Linux.
    #expect((\Author.editor?.name as AnyKeyPath)._kvcKeyPathString == "editor.name")
    #expect((\String.count as AnyKeyPath)._kvcKeyPathString == nil)
    // Source: the tests of PredicateKit expect this name of an identity key path.
    #expect((\Double.self as AnyKeyPath)._kvcKeyPathString == "self")
    #expect((\Author.self as AnyKeyPath)._kvcKeyPathString == "self")
  }

  @Test("have names even if a model created later has the class without the property")
  func anotherVersion() throws {
    let author = NSEntityDescription()
    author.name = "Author"
    author.managedObjectClassName = "CoreDataTests.Author"
    author.properties = [SampleStack.attribute("name", .stringAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [author]
    let older = try SampleStack(model: model)
    #expect((\Author.name as AnyKeyPath)._kvcKeyPathString == "name")
    #expect((\Author.country as AnyKeyPath)._kvcKeyPathString == "country")
    #expect((\Author.editor?.country as AnyKeyPath)._kvcKeyPathString == "editor.country")
    #expect((\Author.isAdult as AnyKeyPath)._kvcKeyPathString == nil)
    // Typed accessors would stop the program for an object of the older version.
    #expect((\Author.changeableShelf as AnyKeyPath)._kvcKeyPathString == "shelf")
    #expect((\Author.changeableBooks as AnyKeyPath)._kvcKeyPathString == "books")
    #expect((\Author.editor?.changeableBooks as AnyKeyPath)._kvcKeyPathString == "editor.books")
    #expect((\Author.rank as AnyKeyPath)._kvcKeyPathString == "rank")
    #expect((\Author.motto as AnyKeyPath)._kvcKeyPathString == "motto")
    #expect((\Author.isRanked as AnyKeyPath)._kvcKeyPathString == nil)
    withExtendedLifetime((older, stack)) {}
  }

  @Test("have names before a model has the class")
  func withoutModel() {
    func key(_ keyPath: PartialKeyPath<Modelless>) -> String? { keyPath._kvcKeyPathString }
    #expect(key(\.title) == "title")
    #expect(key(\.nickname) == "nickname")
    #expect(key(\.age) == "age")
    #expect(key(\.isActive) == "isActive")
    #expect(key(\.born) == "born")
    #expect(key(\.friend) == "friend")
    #expect(key(\.friend?.title) == "friend.title")
    #expect(key(\.best.best.age) == "best.best.age")
    #expect(key(\.friends) == "friends")
    #expect(key(\.words) == "words")
    #expect(key(\.loud) == nil)
    #expect(key(\.isOld) == nil)
    #expect(key(\.title.count) == nil)
    #expect(key(\.words[0].isEmpty) == nil)
    #expect(key(\.both) == nil)
    #expect(NSSortDescriptor(keyPath: \Modelless.age, ascending: true).key == "age")
  }

  @Test("have no name if the property is computed")
  func computed() {
    #expect(key(\.isAdult) == nil)
    #expect(key(\.shouted) == nil)
    #expect(key(\.fullName) == nil)
    #expect(key(\.isDead) == nil)
    #expect(key(\.youngBooks) == nil)
    #expect(key(\.nothing) == nil)
    #expect(key(\.wrong) == nil)
    #expect(key(\.objectID.isTemporaryID) == nil)
    #expect(NSSortDescriptor(keyPath: \NSManagedObject.isFault, ascending: true).key == nil)
  }

  @Test("work in Swift's sort descriptors")
  func swiftDescriptors() throws {
    #expect(
      NSSortDescriptor(SortDescriptor(\Author.name))
        == NSSortDescriptor(
          key: "name", ascending: true, selector: Selector("localizedStandardCompare:")))
    #expect(NSSortDescriptor(SortDescriptor(\Author.age, order: .reverse)).key == "age")
    let byEditor = NSSortDescriptor(keyPath: \Author.name, ascending: true) { _, _ in .orderedSame }
    #expect(byEditor.key == "name" && byEditor.selector == nil)
  }

  @Test("work in #Predicate, %K and sort descriptors, in the store and in memory")
  func fetching() throws {
    try stack.context.performAndWait {
      let context = stack.context
      let ann = Author(context: context)
      ann.name = "Ann"
      ann.age = 40
      ann.isAlive = true
      let bob = Author(context: context)
      bob.name = "Bob"
      bob.age = 3
      bob.editor = ann
      let novel = Novel(context: context)
      novel.title = "It"
      novel.author = ann
      defer { context.rollback() }

      func names(_ predicate: NSPredicate?) throws -> [String?] {
        let request = NSFetchRequest<Author>(entityName: "Author")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Author.age, ascending: true)]
        return try context.fetch(request).map(\.name)
      }
      let predicates: [(Predicate<Author>, [String?])] = [
        (#Predicate { $0.age > 30 }, ["Ann"]),
        (#Predicate { $0.isAlive }, ["Ann"]),
        (#Predicate { $0.books.contains { $0.title == "It" } }, ["Ann"]),
        (#Predicate { $0.books.isEmpty }, ["Bob"]),
        (#Predicate { $0.pen.starts(with: "B") || $0.age == 40 }, ["Ann"]),
      ]
      let inMemory: [(Predicate<Author>, [String?])] = [
        (#Predicate { $0.editor?.name == "Ann" }, ["Bob"]),
        (#Predicate { ($0.name ?? "").starts(with: "B") || $0.age == 40 }, ["Bob", "Ann"]),
      ]
      for saved in [false, true] {
        if saved { try context.save() }
        for (predicate, expected) in predicates {
          let found = try names(NSPredicate(validating: predicate))
          #expect(found == expected, "\(predicate), saved: \(saved)")
        }
        for (predicate, expected) in predicates + inMemory {
          let converted = try NSPredicate(validating: predicate)
          #expect(
            [bob, ann].filter { converted.evaluate(with: $0) }.map(\.name) == expected,
            "\(converted)")
        }
        #expect(try names(NSPredicate(format: "%K == 3", argumentArray: [\Author.age])) == ["Bob"])
      }
      // Apple's form, without `try`:
      // https://developer.apple.com/documentation/foundation/nspredicate/init(_:)
      let request = NSFetchRequest<Author>(entityName: "Author")
      request.predicate = NSPredicate(#Predicate<Author> { $0.age == 3 })
      #expect(try context.fetch(request) == [bob])
      for object in [ann, bob, novel] { context.delete(object) }
      try context.save()
      let error = #expect(throws: InvalidPredicateError.self) {
        try NSPredicate(validating: #Predicate<Author> { $0.isAdult })
      }
      #expect(error?.message.contains("not a path of stored properties") == true)
    }
  }

  /// In the locale "ä" precedes "z" and "b" precedes "Z"; by code point it is the other way round.
  @Test("compare strings by the user's locale in #Predicate, in the store and in memory")
  func localizedComparison() throws {
    try stack.context.performAndWait {
      let context = stack.context
      let authors = ["a", "ä", "b", "z", "Z"].map { pen -> Author in
        let author = Author(context: context)
        author.setValue(pen, forKey: "pen")
        return author
      }
      defer { context.rollback() }
      let ascending = ComparisonResult.orderedAscending
      let same = ComparisonResult.orderedSame
      let predicates: [(Predicate<Author>, Set<String>)] = [
        (#Predicate { $0.pen.localizedCompare("b") == ascending }, ["a", "ä"]),
        (#Predicate { $0.pen.localizedCompare("a\u{308}") == same }, ["ä"]),
        (#Predicate { $0.pen.localizedCompare("b") != ascending }, ["b", "z", "Z"]),
      ]
      for saved in [false, true] {
        if saved { try context.save() }
        for (predicate, expected) in predicates {
          let converted = try NSPredicate(validating: predicate)
          let request = NSFetchRequest<Author>(entityName: "Author")
          request.predicate = converted
          let found = try context.fetch(request).map(\.pen)
          #expect(Set(found) == expected, "\(converted), saved: \(saved)")
          let evaluated = authors.filter { converted.evaluate(with: $0) }.map(\.pen)
          #expect(Set(evaluated) == expected, "\(converted), saved: \(saved)")
          let swift = try authors.filter { try predicate.evaluate($0) }.map(\.pen)
          #expect(Set(swift) == expected, "\(converted), saved: \(saved)")
        }
      }
      for author in authors { context.delete(author) }
      try context.save()
    }
  }
}

/// A class that no model of the tests uses.
private final class Modelless: NSManagedObject {
  private enum Keys {
    static let title = ManagedKey("title")
    static let nickname = ManagedKey("nickname")
    static let age = ManagedKey("age")
    static let isActive = ManagedKey("isActive")
    static let born = ManagedKey("born")
    static let friend = ManagedKey("friend")
    static let best = ManagedKey("best")
    static let friends = ManagedKey("friends")
    static let words = ManagedKey("words")
  }

  var title: String { requiredManagedValue(Keys.title) }
  var nickname: String? { managedValue(Keys.nickname) }
  var age: Int16 { managedValue(Keys.age) }
  var isActive: Bool { managedValue(Keys.isActive) }
  var born: Date? { managedValue(Keys.born) }
  var friend: Modelless? { managedValue(Keys.friend) }
  var best: Modelless { requiredManagedValue(Keys.best) }
  var friends: Set<Modelless> { requiredManagedValue(Keys.friends) }
  var words: [String] { requiredManagedValue(Keys.words) }
  var loud: String { title.uppercased() }
  var isOld: Bool { age > 60 }
  var both: String { title + (nickname ?? "") }
}
