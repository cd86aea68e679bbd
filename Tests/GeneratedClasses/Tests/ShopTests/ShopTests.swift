import CoreData
import Foundation
import Shop
import Testing
import Values

@testable import Library

@MainActor @Suite struct ShopTests {
  private func context(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
    let container = NSPersistentContainer(name: "Test", managedObjectModel: model)
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    ]
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container.viewContext
  }

  private func shop() throws -> NSManagedObjectContext {
    let url = try #require(ShopModel.compiled)
    return try context(try #require(NSManagedObjectModel(contentsOf: url)))
  }

  private func library() throws -> NSManagedObjectContext {
    LibraryModel.registerPrivateClasses()
    let url = try #require(LibraryModel.compiled)
    return try context(try #require(NSManagedObjectModel(contentsOf: url)))
  }

  @Test func `A model is found by its name, its bundle and its URL`() throws {
    #expect(NSPersistentContainer(name: "Shop").managedObjectModel.entities.count == 4)
    let container = ShopContainer(name: "Shop")
    #expect(container.managedObjectModel.entities.count == 4)
    #expect(container.importContext === container.importContext)
    #expect(ShopModel.merged?.entities.count == 4)
    // Passes the bundle of a class, as tests of applications do, although the bundle of the test program has no model.
    final class Here {}
    let all = try #require(NSManagedObjectModel.mergedModel(from: [Bundle(for: Here.self)]))
    #expect(Set(all.entitiesByName.keys).isSuperset(of: ["Product", "Author"]))
    #expect(ShopModel.compiled?.pathExtension == "momd")
    #expect(ShopModel.merged?.versionIdentifiers == ["2"])
  }

  @Test
  func `A mapping model is compiled into the bundle, and found and used when a store is opened`()
    throws
  {
    let mapping = try #require(NSMappingModel(contentsOf: ShopModel.mapping))
    #expect(mapping.entityMappings.map(\.name) == ["ProductToBook"])
    // The name includes the module, like the class names in models.
    #expect(mapping.entityMappings.map(\.entityMigrationPolicyClassName) == ["Shop.BookPolicy"])
    let old = try #require(ShopModel.version("Shop"))
    let new = try #require(ShopModel.version("Shop 2"))
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("Shop-\(UUID().uuidString).sqlite")
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }
    for (model, isNew) in [(old, false), (new, true)] {
      let container = NSPersistentContainer(name: "Shop", managedObjectModel: model)
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
      nonisolated(unsafe) var failure: (any Error)?
      container.loadPersistentStores { _, error in failure = error }
      if let failure { throw failure }
      let context = container.viewContext
      if isNew {
        let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Product"))
        #expect(books.map { $0.value(forKey: "isbn") as? String } == ["migrated"])
        #expect(books.map { $0.value(forKey: "name") as? String } == ["Chair"])
      } else {
        for name in ["Chair", nil] {
          let product = NSEntityDescription.insertNewObject(
            forEntityName: "Product", into: context)
          product.setValue(name, forKey: "name")
        }
        try context.save()
      }
      for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
      }
    }
  }

  @Test func `Generated classes have the members that Xcode generates`() throws {
    let context = try shop()
    let product = Product(context: context)
    #expect(product.count == 1)
    product.name = "Chair"
    product.default = "Furniture"
    product.price = NSDecimalNumber(string: "12.50")
    product.weight = 3.5
    product.onSale = true
    product.added = Date(timeIntervalSinceReferenceDate: 5)
    product.expires = 7
    product.code = UUID()
    product.page = URL(string: "https://example.org")
    product.picture = Data([1, 2])
    product.colors = ["red", "green"]
    let book = Book(context: context)
    book.name = "Novel"
    book.isbn = "1"
    try context.save()
    context.reset()

    let request: NSFetchRequest<Product> = Product.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Product.name, ascending: true)]
    let found = try context.fetch(request)
    #expect(found.map { type(of: $0) == Book.self } == [false, true])
    let chair = try #require(found.first)
    #expect(chair.name == "Chair")
    #expect(chair.default == "Furniture")
    #expect(chair.price == NSDecimalNumber(string: "12.50"))
    #expect(chair.weight == 3.5)
    #expect(chair.onSale)
    #expect(chair.added == Date(timeIntervalSinceReferenceDate: 5))
    #expect(chair.expires == 7)
    #expect(chair.page?.host() == "example.org")
    #expect(chair.picture == Data([1, 2]))
    #expect(chair.colors == ["red", "green"])
    #expect(try context.fetch(Book.fetchRequest() as NSFetchRequest<Book>).map(\.isbn) == ["1"])
  }

  @Test func `Generated methods change to-one and to-many relationships`() throws {
    let context = try shop()
    let product = Product(context: context)
    let tags = (0..<3).map { number in
      let tag = Shop.Tag(context: context)
      tag.name = "t\(number)"
      return tag
    }
    product.addToTags(tags[0])
    product.addToTags(NSSet(array: [tags[1], tags[2]]))
    product.removeFromTags(tags[0])
    #expect((product.tags as? Set<Shop.Tag>) == [tags[1], tags[2]])
    #expect(tags[1].products == NSSet(object: product))
    #expect(tags[1].title == "t1")

    let reviews = (0..<4).map { _ in Review(context: context) }
    product.addToReviews(NSOrderedSet(array: [reviews[0], reviews[1]]))
    product.insertIntoReviews(reviews[2], at: 1)
    #expect(product.reviews?.array as? [Review] == [reviews[0], reviews[2], reviews[1]])
    product.replaceReviews(at: 0, with: reviews[3])
    product.removeFromReviews(at: NSIndexSet(index: 2))
    #expect(product.reviews?.array as? [Review] == [reviews[3], reviews[2]])
    #expect(reviews[3].product === product)
  }

  @Test func `Handwritten properties work, even with types from other modules`() throws {
    let context = try shop()
    let review = Review(context: context)
    #expect(review.text == "")
    #expect(review.stars == .none)
    review.text = "good"
    review.rate(.three)
    review.created = Date(timeIntervalSinceReferenceDate: 1)
    try context.save()
    context.reset()
    let request = NSFetchRequest<Review>(entityName: "Review")
    request.predicate = NSPredicate(
      format: "%K == 3", NSExpression(forKeyPath: \Review.stars).keyPath)
    let found = try #require(try context.fetch(request).first)
    #expect(found.text == "good")
    #expect(found.stars == .three)
    #expect(found.created == Date(timeIntervalSinceReferenceDate: 1))
  }

  @Test
  func `Objects of a class with its own initializer can also be made by the standard ones`()
    throws
  {
    let context = try shop()
    let own = Review(text: "own", in: context)
    #expect(own.text == "own" && own.isInserted)
    #expect(Review(context: context).entity.name == "Review")
    let made = NSEntityDescription.insertNewObject(forEntityName: "Review", into: context)
    #expect(made is Review)
    try context.save()
    context.reset()
    let found = try context.fetch(NSFetchRequest<Review>(entityName: "Review"))
    #expect(found.map(\.text).sorted() == ["", "", "own"])
    // `Review.setNilValueForKey` sets the enumeration's case `none`.
    found[0].rate(.two)
    found[0].setValue(nil, forKey: "stars")
    #expect(found[0].value(forKey: "stars") as? Int == 0)
  }

  @Test func `Every form of declaration has accessors`() throws {
    let context = try library()
    let author = Author(context: context)
    author.name = "Ann"
    author.default = "a"
    author.bear(on: Date(timeIntervalSinceReferenceDate: 9))
    author.größe = 170
    author.data = Data([9])
    author.decimal = 4.5
    author.flag = true
    author.float = 1.5
    author.int16 = 16
    author.int64 = 64
    author.number = 12
    author.page = URL(string: "a:b")
    author.ratio += 0.25
    author.state = .famous
    let uuid = UUID()
    author.uuid = uuid
    author.words = ["x", "y"]
    author.hidden = "hidden"
    let poet = Poet(context: context)
    poet.name = "Bo"
    poet.rhyme = "no"
    author.addToFriends(poet)
    #expect(poet.friends == [author])
    author.friends = [author]
    author.friends.insert(poet)
    let novels = (0..<3).map { _ in Works.Novel(context: context) }
    novels[0].title = "first"
    author.addToNovels(novels[0])
    author.insertIntoNovels(novels[1], at: 0)
    author.replaceNovels(at: 1, with: novels[2])
    author.insertIntoNovels([novels[0]], at: NSIndexSet(index: 1))
    author.removeFromNovels(at: 2)
    try context.save()
    context.reset()

    let request = NSFetchRequest<Author>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let found = try context.fetch(request)
    #expect(found.map(\.name) == ["Ann", "Bo the poet"])
    let again = try #require(found.first)
    #expect(again.default == "a")
    #expect(again.born == Date(timeIntervalSinceReferenceDate: 9))
    #expect(again.größe == 170)
    #expect(again.data == Data([9]))
    #expect(again.decimal == 4.5)
    #expect(again.flag)
    #expect(again.float == 1.5)
    #expect(again.int16 == 16)
    #expect(again.int64 == 64)
    #expect(again.number == 12)
    #expect(again.page == URL(string: "a:b"))
    #expect(again.ratio == 0.25)
    #expect(again.state == .famous)
    #expect(again.uuid == uuid)
    #expect(again.words == ["x", "y"])
    #expect(again.hidden == "hidden")
    #expect(again.friends.count == 2)
    again.removeFromFriends(NSSet(object: again))
    #expect(again.friends.map(\.name) == ["Bo the poet"])
    let novel = try #require(again.novels?.firstObject as? Works.Novel)
    #expect(novel.author === again)
    #expect(again.novels?.count == 2)
  }

  @Test func `Primitive values can have any form, and classes can be private`() throws {
    let context = try library()
    let author = Author(context: context)
    author.name = "Ann"
    author.bear(on: Date(timeIntervalSinceReferenceDate: 9))
    author.int16 = 16
    author.holdPrimitives()
    #expect(author.name == "Ann held")
    #expect(author.born == Date(timeIntervalSinceReferenceDate: 10))
    #expect(author.state == .known)
    #expect(author.int16 == 17)
    author.rage()
    #expect(author.value(forKey: "mood") as? Int == 7)
    author.rage()
    #expect(author.value(forKey: "mood") as? Int == 3)
    author.primitiveType = "x"
    #expect(author.value(forKey: "primitiveType") as? String == "x")
    #expect(author.praises == ["none"])
    author.praise("well done")
    author.praise("good")
    #expect(author.praises == ["good", "good", "well done"])
    try context.save()
  }

  @Test func `Key paths of generated and handwritten properties have names`() throws {
    // The names are available while the models are in use.
    let contexts = [try library(), try shop()]
    defer { withExtendedLifetime(contexts) {} }
    #expect(NSExpression(forKeyPath: \Author.größe).keyPath == "größe")
    #expect(NSExpression(forKeyPath: \Author.state).keyPath == "state")
    #expect(NSExpression(forKeyPath: \Author.words).keyPath == "words")
    #expect(NSExpression(forKeyPath: \Review.product?.name).keyPath == "product.name")
    #expect(NSExpression(forKeyPath: \Product.onSale).keyPath == "onSale")
  }
}
