import CoreData
import Testing

// Source: Core Data Programming Guide, "Relationships and Fetched Properties". Setting one side
// immediately maintains the other in memory, and setting a collection replaces the members.
@Suite("Relationships of every shape")
struct RelationshipShapeTests {
  /// Runs a test on every kind of store, with Ann, Bea, Cid, Dan and Eve saved in it.
  private func onEveryStore(
    _ body: (NSManagedObjectContext, [String: NSManagedObject], _ saved: () throws -> Void) throws
      -> Void
  ) throws {
    for kind in TestedStore.allCases {
      let folder = try TemporaryFolder()
      let context = try kind.open(KinModel.make(), at: kind.url(in: folder)).context
      try context.performAndWait {
        var people: [String: NSManagedObject] = [:]
        for name in ["Ann", "Bea", "Cid", "Dan", "Eve"] {
          people[name] = context.insert("Person", ["name": name])
        }
        try context.save()
        try body(context, people) {
          try context.save()
          context.refreshAllObjects()
        }
      }
    }
  }

  @Test("A to-one relationship can be its own inverse")
  func spouses() throws {
    try onEveryStore { _, people, saved in
      let (ann, bea, cid, dan) = (people["Ann"]!, people["Bea"]!, people["Cid"]!, people["Dan"]!)
      ann["spouse"] = bea
      cid["spouse"] = dan
      #expect(bea.names("spouse") == ["Ann"] && dan.names("spouse") == ["Cid"])
      try saved()
      bea["spouse"] = cid
      for _ in 0..<2 {
        #expect(ann.names("spouse") == [] && dan.names("spouse") == [])
        #expect(bea.names("spouse") == ["Cid"] && cid.names("spouse") == ["Bea"])
        try saved()
      }
      ann["spouse"] = ann
      try saved()
      #expect(ann.names("spouse") == ["Ann"])
      ann["spouse"] = bea
      try saved()
      #expect(ann.names("spouse") == ["Bea"] && cid.names("spouse") == [])
    }
  }

  @Test("A to-many relationship can be its own inverse")
  func friends() throws {
    try onEveryStore { context, people, saved in
      let (ann, bea, cid) = (people["Ann"]!, people["Bea"]!, people["Cid"]!)
      ann.mutableSetValue(forKey: "friends").addObjects(from: [bea, cid, ann])
      for _ in 0..<2 {
        #expect(ann.names("friends") == ["Ann", "Bea", "Cid"])
        #expect(bea.names("friends") == ["Ann"] && cid.names("friends") == ["Ann"])
        try saved()
      }
      bea.setValue(NSSet(array: [cid]), forKey: "friends")
      for _ in 0..<2 {
        #expect(ann.names("friends") == ["Ann", "Cid"])
        #expect(cid.names("friends") == ["Ann", "Bea"] && bea.names("friends") == ["Cid"])
        try saved()
      }
      context.delete(ann)
      try saved()
      #expect(cid.names("friends") == ["Bea"])
    }
  }

  @Test("An entity can be related to itself, and two entities can have several relationships")
  func parallel() throws {
    try onEveryStore { context, people, saved in
      let (ann, bea, cid) = (people["Ann"]!, people["Bea"]!, people["Cid"]!)
      bea["parent"] = ann
      cid["parent"] = ann
      #expect(ann.names("children") == ["Bea", "Cid"])
      let books = ["x", "y", "z"].map { context.insert("Book", ["name": $0]) }
      ann.setValue(NSSet(array: books), forKey: "written")
      bea.setValue(NSOrderedSet(array: [books[2], books[0]]), forKey: "edited")
      books[1]["editor"] = bea
      for _ in 0..<2 {
        #expect(bea.names("edited") == ["z", "x", "y"] && bea.names("written") == [])
        #expect(ann.names("edited") == [] && ann.names("written") == ["x", "y", "z"])
        #expect(books[0].names("author") == ["Ann"] && books[0].names("editor") == ["Bea"])
        try saved()
      }
      cid["parent"] = bea
      books[0]["author"] = bea
      for _ in 0..<2 {
        #expect(ann.names("children") == ["Bea"] && bea.names("children") == ["Cid"])
        #expect(ann.names("written") == ["y", "z"] && bea.names("written") == ["x"])
        #expect(bea.names("edited") == ["z", "x", "y"])
        try saved()
      }
    }
  }

  // SQLite ignores case in the names of tables and columns. An XML store rejects such names.
  @Test("Many-to-many relationships whose names differ only in case have separate members")
  func similarNames() throws {
    for kind in TestedStore.allCases where kind != .xml {
      let folder = try TemporaryFolder()
      let model = ModelText.model(
        """
        P: name string; Tags ->> T.Ps; tags ->> T.ps; Peers ->> P.Peers; peers ->> P.peers
        T: name string; Ps ->> P.Tags; ps ->> P.tags
        """)
      let context = try kind.open(model, at: kind.url(in: folder)).context
      try context.performAndWait {
        let ann = context.insert("P", ["name": "Ann"])
        let bea = context.insert("P", ["name": "Bea"])
        let x = context.insert("T", ["name": "x"])
        let y = context.insert("T", ["name": "y"])
        ann.setValue(NSSet(object: x), forKey: "Tags")
        ann.setValue(NSSet(object: y), forKey: "tags")
        ann.setValue(NSSet(object: bea), forKey: "Peers")
        bea.setValue(NSSet(object: bea), forKey: "peers")
        for _ in 0..<2 {
          #expect(ann.names("Tags") == ["x"] && ann.names("tags") == ["y"])
          #expect(x.names("Ps") == ["Ann"] && x.names("ps") == [])
          #expect(y.names("Ps") == [] && y.names("ps") == ["Ann"])
          #expect(ann.names("Peers") == ["Bea"] && ann.names("peers") == [])
          #expect(bea.names("Peers") == ["Ann"] && bea.names("peers") == ["Bea"])
          try context.save()
          context.refreshAllObjects()
        }
      }
    }
  }

  @Test("A many-to-many relationship can be ordered on both sides")
  func orderedPairs() throws {
    try onEveryStore { context, _, saved in
      let books = ["a", "b", "c"].map { context.insert("Book", ["name": $0]) }
      let shelves = ["1", "2"].map { context.insert("Shelf", ["name": $0]) }
      shelves[0].setValue(NSOrderedSet(array: [books[2], books[0]]), forKey: "books")
      shelves[1].setValue(NSOrderedSet(array: [books[1], books[2]]), forKey: "books")
      for _ in 0..<2 {
        #expect(shelves[0].names("books") == ["c", "a"])
        #expect(books[2].names("shelves") == ["1", "2"] && books[1].names("shelves") == ["2"])
        try saved()
      }
      books[2].mutableOrderedSetValue(forKey: "shelves").moveObjects(
        at: IndexSet(integer: 1), to: 0)
      shelves[0].mutableOrderedSetValue(forKey: "books").insert(books[1], at: 0)
      for _ in 0..<2 {
        #expect(books[2].names("shelves") == ["2", "1"])
        #expect(shelves[0].names("books") == ["b", "c", "a"])
        #expect(books[1].names("shelves") == ["2", "1"])
        try saved()
      }
      // The remaining members keep their order, even if the relationship was not read.
      context.delete(books[2])
      try saved()
      #expect(shelves[0].names("books") == ["b", "a"] && shelves[1].names("books") == ["b"])
    }
  }

  // Source: Core Data Programming Guide. A relationship without an inverse is not maintained, and a
  // deletion leaves a dangling reference.
  @Test("A relationship without an inverse is not maintained, and still refers to a deleted object")
  func withoutInverse() throws {
    try onEveryStore { context, people, saved in
      let (ann, bea) = (people["Ann"]!, people["Bea"]!)
      ann["idol"] = bea
      #expect(bea.changedValues().isEmpty && !bea.hasChanges)
      try saved()
      #expect(ann.names("idol") == ["Bea"])
      let id = bea.objectID
      context.delete(bea)
      context.processPendingChanges()
      #expect(!ann.hasChanges)
      try saved()
      #expect(ann.objectIDs(forRelationshipNamed: "idol") == [id])
      // The object is a fault without a row, whose values are nil.
      #expect(ann.names("idol") == [] && !ann.hasChanges)
    }
  }

  // Source: NSRelationshipDescription.h, NSNoActionDeleteRule. References to the object are left
  // unchanged.
  @Test(
    "The no-action rule leaves a dangling reference on the other side",
    .only(TestedStore.allCases, "a custom store decides itself what it does with references"))
  func noAction() throws {
    let model = KinModel.make()
    model.entitiesByName["Person"]?.relationshipsByName["children"]?.deleteRule =
      .noActionDeleteRule
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let (ann, bea) = (context.insert("Person"), context.insert("Person"))
      bea["parent"] = ann
      try context.save()
      context.delete(ann)
      context.processPendingChanges()
      #expect(!bea.hasChanges && bea.value(forKey: "parent") as? NSManagedObject === ann)
      let id = ann.objectID
      try context.save()
      context.reset()
      let found = try context.all("Person")[0]
      let parent = try #require(found.value(forKey: "parent") as? NSManagedObject)
      #expect(parent.objectID == id)
      #expect(parent.value(forKey: "name") == nil)
    }
  }

  // Source: NSManagedObject.h, objectIDsForRelationshipNamed.
  @Test("The IDs of a relationship are available without making objects")
  func objectIDs() throws {
    let stack = try SampleStack(model: KinModel.make())
    let context = stack.context
    try context.performAndWait {
      let ann = context.insert("Person", ["name": "Ann"])
      let children = (0..<3).map { _ in context.insert("Person", ["parent": ann]) }
      try context.save()
      let ids = Set(children.map(\.objectID))
      context.reset()
      let found = try context.all("Person", "name == 'Ann'")[0]
      #expect(Set(found.objectIDs(forRelationshipNamed: "children")) == ids)
      #expect(context.registeredObjects == [found])
      #expect(found.hasFault(forRelationshipNamed: "children"))
    }
  }

  // Source: public reports of NSInvalidArgumentException, raised when the value is set.
  @Test("Setting an object of another context is rejected immediately, with Apple's text")
  func otherContext() throws {
    let stack = try SampleStack(model: KinModel.make())
    let other = stack.newContext()
    let bea = other.performAndWait { other.insert("Person", ["name": "Bea"]) }
    stack.context.performAndWait {
      let ann = stack.context.insert("Person", ["name": "Ann"])
      for (key, value) in [("spouse", bea), ("friends", NSSet(object: bea))] as [(String, Any)] {
        let error = #expect(throws: NSError.self) { try ann.setValidatedValue(value, forKey: key) }
        #expect(
          error?.localizedDescription.hasPrefix(
            "Illegal attempt to establish a relationship '\(key)' between objects in different"
              + " contexts") == true)
        #expect(ann.names(key) == [])
      }
    }
  }

  // Source: CoreDataErrors.h, NSManagedObjectExternalRelationshipError.
  @Test("A save rejects a relationship into another store and writes nothing")
  func otherStore() throws {
    let stack = try SampleStack(model: KinModel.make())
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = stack.context
    try context.performAndWait {
      let (ann, bea) = (context.insert("Person"), context.insert("Person"))
      context.assign(bea, to: second)
      try context.save()
      for value in [bea, nil] {
        ann["spouse"] = value
        guard value != nil else { break }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectExternalRelationshipError)
        #expect(error?.localizedDescription.contains("spouse") == true)
        #expect(ann.isUpdated)
      }
      try context.save()
    }
  }
}
