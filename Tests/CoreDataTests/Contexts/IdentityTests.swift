import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// At any time, a row has at most one object in each context, and the same ID in a context and all its ancestors.
///
/// Sources: Apple's `NSManagedObjectID` page ("an object ID uniquely identifies the same managed object both between
/// instances and within a context") and the "NSManagedObjectContext" page, "Parent Store"; the public reports of child
/// contexts whose objects keep temporary IDs after the root's save (rdar 10480982, objc.io issue 10).
@Suite("Identity in nested contexts", .onEveryStore)
struct IdentityTests {
  /// All kinds of queues for two contexts below the root, one or two kinds for other chains.
  static let chains =
    [Chain(depth: 1, queues: .main), Chain(depth: 1, queues: .otherThread)]
    + ContextChain.Queues.allCases.map { Chain(depth: 2, queues: $0) }
    + [Chain(depth: 3, queues: .otherThread), Chain(depth: 4, queues: .mixed)]

  struct Chain: CustomTestStringConvertible {
    let depth: Int
    let queues: ContextChain.Queues
    var testDescription: String { "\(depth) below, \(queues)" }
    func make() throws -> ContextChain { try ContextChain(depth: depth, queues) }
  }

  @Test(
    "an object changed after a save of all contexts, in the same block, stays the same when saved",
    arguments: chains)
  func changeAfterSave(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let ann = kid.insert("Player", ["name": "Ann"])
      try chain.save()
      #expect(!ann.objectID.isTemporaryID)
      ann.setValue("Bea", forKey: "name")
      #expect(ann.isUpdated && ann.hasPersistentChangedValues)
      #expect(try kid.all("Player").map(ObjectIdentifier.init) == [ObjectIdentifier(ann)])
      #expect(try kid.existingObject(with: ann.objectID) === ann)
      #expect(ann.managedObjectContext === kid)
      try chain.save()
      #expect(try kid.all("Player") == [ann])
      #expect(kid.registeredObjects.filter { $0.entity.name == "Player" } == [ann])
    }
    #expect(try chain.stored("Player", "name") == ["Bea"])
  }

  @Test("the permanent ID is the same at all levels immediately after the save", arguments: chains)
  func sameID(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let ann = kid.insert("Player", ["name": "Ann"])
      let temporary = ann.objectID
      try chain.save()
      let permanent = ann.objectID
      #expect(!permanent.isTemporaryID)
      try chain.above {
        for context in chain.contexts.dropLast() {
          try context.performAndWait {
            let found = try context.all("Player")
            #expect(found.map(\.objectID) == [permanent])
            #expect(found.first === context.object(with: temporary))
            #expect(found.first === context.registeredObject(for: temporary))
          }
        }
      }
      // The former ID stays temporary, and still refers to the object.
      #expect(temporary.isTemporaryID && temporary != permanent)
      #expect(kid.object(with: temporary) === ann)
      #expect(kid.registeredObject(for: temporary) === ann)
      #expect(kid.object(registeredFor: temporary) === ann)
      #expect(try kid.existingObject(with: temporary) === ann)
      #expect(kid.object(with: permanent) === ann)
      #expect(kid.registeredObjects.count == 1)
    }
  }

  @Test("observers of the root's save find permanent IDs below it", arguments: chains)
  func inObserver(_ kind: Chain) async throws {
    let chain = try kind.make()
    let probe = Probe()
    try await chain.run {
      let kid = chain.deepest
      probe.object = kid.insert("Player", ["name": "Ann"])
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: chain.root, queue: nil
      ) { _ in
        // If another thread saves, the deepest context's queue waits for that thread, so objects of the deepest context
        // may be read here.
        probe.check()
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try chain.save()
    }
    #expect(probe.isTemporary == [false])
  }

  private final class Probe: @unchecked Sendable {
    var object: NSManagedObject?
    var isTemporary: [Bool] = []
    func check() { if let object { isTemporary.append(object.objectID.isTemporaryID) } }
  }

  @Test("predicates that contain an object or its former ID find the object", arguments: chains)
  func predicates(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      let tag = kid.insert("Tag", ["label": "x"])
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      ann.setValue(NSSet(object: tag), forKey: "tags")
      kid.insert("Player", ["name": "Bob"])
      let (annID, redID, tagID) = (ann.objectID, red.objectID, tag.objectID)
      let before = [
        ("SELF == %@", [ann as Any]), ("SELF == %@", [annID]), ("SELF IN %@", [[ann]]),
        ("SELF IN %@", [[annID, redID]]), ("team == %@", [red]), ("team == %@", [redID]),
        ("team IN %@", [[redID]]), ("ANY tags == %@", [tag]), ("ANY tags == %@", [tagID]),
        ("ANY tags IN %@", [[tagID]]), ("SUBQUERY(tags, $t, $t == %@).@count == 1", [tagID]),
        ("NOT (SELF != %@)", [annID]),
      ].map { NSPredicate(format: $0.0, argumentArray: $0.1) }
      for turn in 0..<2 {
        for predicate in before {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
          request.predicate = predicate
          #expect(try kid.fetch(request) == [ann], "\(predicate), \(turn)")
          #expect(try kid.count(for: request) == 1, "\(predicate), \(turn)")
          #expect(predicate.evaluate(with: ann), "\(predicate), \(turn)")
          let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
          ids.resultType = .managedObjectIDResultType
          ids.predicate = predicate
          #expect(try kid.fetch(ids) == [ann.objectID], "\(predicate), \(turn)")
          if turn == 1 {
            let values = NSFetchRequest<NSDictionary>(entityName: "Player")
            values.resultType = .dictionaryResultType
            values.propertiesToFetch = ["name"]
            values.predicate = predicate
            #expect(
              try kid.fetch(values).map { $0["name"] as? String } == ["Ann"], "\(predicate)")
          }
        }
        if turn == 0 { try chain.save() }
      }
      let template = try #require(
        NSPredicate(format: "team == $team").withSubstitutionVariables(["team": redID])
          as NSPredicate?)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = template
      #expect(try kid.fetch(request) == [ann])
    }
  }

  @Test("a havingPredicate finds a group by a former ID", arguments: chains)
  func groups(_ kind: Chain) async throws {
    let chain = try kind.make()
    guard StoreScope.current.kind.isSQL else { return }
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      kid.insert("Player", ["name": "Ann", "team": red])
      kid.insert("Player", ["name": "Bob"])
      let redID = red.objectID
      try chain.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Player")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name", "team"]
      request.propertiesToGroupBy = ["name", "team"]
      request.havingPredicate = NSPredicate(format: "team == %@", redID)
      #expect(try kid.fetch(request).map { $0["name"] as? String } == ["Ann"])
    }
  }

  @Test("committed values and relationship IDs refer to the current objects", arguments: chains)
  func committed(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      let cup = kid.insert("Trophy", ["title": "Cup", "winner": red])
      try chain.save()
      #expect(ann.committedValues(forKeys: ["team"])["team"] as? NSManagedObject === red)
      #expect(ann.committedValues(forKeys: ["name"])["name"] as? String == "Ann")
      #expect(
        red.committedValues(forKeys: ["players"])["players"] as? NSSet == NSSet(object: ann))
      #expect(
        red.committedValues(forKeys: ["trophies"])["trophies"] as? NSOrderedSet
          == NSOrderedSet(object: cup))
      #expect(ann.objectIDs(forRelationshipNamed: "team") == [red.objectID])
      #expect(red.objectIDs(forRelationshipNamed: "players") == [ann.objectID])
      #expect(red.objectIDs(forRelationshipNamed: "trophies") == [cup.objectID])
      #expect(![red, ann, cup].contains { $0.objectID.isTemporaryID })
      #expect(![red, ann, cup].contains { $0.hasChanges || $0.hasPersistentChangedValues })
      #expect(ann.changedValues().isEmpty && !kid.hasChanges)
      ann.setValue(nil, forKey: "team")
      #expect(ann.committedValues(forKeys: ["team"])["team"] as? NSManagedObject === red)
      ann.setValue(red, forKey: "team")
      #expect(!ann.hasPersistentChangedValues)
      #expect(kid.registeredObjects.count == 3)
    }
  }

  @Test("undo and redo after the save act on the same objects", arguments: chains)
  func undo(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      kid.undoManager = UndoManager()
      kid.undoManager?.groupsByEvent = false
      func step(_ body: () throws -> Void) rethrows {
        kid.undoManager?.beginUndoGrouping()
        try body()
        kid.processPendingChanges()
        kid.undoManager?.endUndoGrouping()
      }
      let red = kid.insert("Team", ["name": "Red"])
      let blue = kid.insert("Team", ["name": "Blue"])
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      try chain.save()
      step { ann.setValue(blue, forKey: "team") }
      kid.undo()
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect((red.value(forKey: "players") as? NSSet) == NSSet(object: ann))
      kid.redo()
      #expect(ann.value(forKey: "team") as? NSManagedObject === blue)
      step { kid.delete(ann) }
      kid.undo()
      #expect(!ann.isDeleted && ann.value(forKey: "team") as? NSManagedObject === blue)
      try chain.save()
      #expect(kid.registeredObjects == [red, blue, ann])
    }
    let team = try chain.stack.reading { context in
      try context.all("Player").map { player -> String? in
        (player.value(forKey: "team") as? NSManagedObject)?["name"]
      }
    }
    #expect(team == ["Blue"])
  }

  @Test(
    "undoing changes that precede the save restores references to the current objects",
    arguments: chains)
  func undoOfBefore(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      let blue = kid.insert("Team", ["name": "Blue"])
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      try kid.save()
      kid.refreshAllObjects()
      kid.undoManager = UndoManager()
      kid.undoManager?.groupsByEvent = false
      kid.undoManager?.beginUndoGrouping()
      ann.setValue(blue, forKey: "team")
      kid.processPendingChanges()
      kid.undoManager?.endUndoGrouping()
      kid.undoManager?.beginUndoGrouping()
      kid.delete(red)
      kid.processPendingChanges()
      kid.undoManager?.endUndoGrouping()
      try chain.saveAbove()
      kid.undo()
      kid.undo()
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect(!red.isDeleted && red.managedObjectContext === kid)
      try chain.save()
      #expect(kid.registeredObjects == [red, blue, ann])
    }
    #expect(try chain.stored("Team", "name") == ["Blue", "Red"])
    #expect(
      try chain.stack.reading { try $0.all("Player", "team.name == 'Red'").count } == 1)
  }

  @Test("refresh, rollback and deletion after the save keep one object per row", arguments: chains)
  func afterwards(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      let bob = kid.insert("Player", ["name": "Bob", "team": red])
      try chain.save()
      kid.refresh(ann, mergeChanges: false)
      #expect(ann.isFault && ann["name"] == "Ann")
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      kid.refreshAllObjects()
      #expect((red.value(forKey: "players") as? NSSet) == NSSet(array: [ann, bob]))
      ann.setValue("Zoe", forKey: "name")
      ann.setValue(nil, forKey: "team")
      kid.refresh(ann, mergeChanges: true)
      #expect(ann["name"] == "Zoe" && ann.value(forKey: "team") == nil)
      kid.rollback()
      #expect(ann["name"] == "Ann")
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect(!kid.hasChanges)
      kid.delete(bob)
      try chain.save()
      #expect(try kid.all("Player") == [ann])
      #expect((red.value(forKey: "players") as? NSSet) == NSSet(object: ann))
      #expect(bob.managedObjectContext == nil)
    }
    #expect(try chain.stored("Player", "name") == ["Ann"])
  }

  @Test("new objects of different levels are related, saved and found", arguments: chains)
  func levels(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let names = Names()
      try chain.above {
        for (level, context) in chain.contexts.dropLast().enumerated() {
          context.performAndWait {
            let team = context.insert("Team", ["name": "Team \(level)"])
            names.ids.append(team.objectID)
          }
        }
      }
      let teams = names.ids.map(kid.object(with:))
      let cup = kid.insert("Trophy", ["title": "Cup"])
      let bowl = kid.insert("Trophy", ["title": "Bowl"])
      let tag = kid.insert("Tag", ["label": "x"])
      for team in teams {
        let player = kid.insert("Player", ["name": team["name"] as String?, "team": team])
        player.setValue(NSSet(object: tag), forKey: "tags")
      }
      teams[0].setValue(NSOrderedSet(array: [bowl, cup]), forKey: "trophies")
      try chain.save()
      teams[0].setValue(NSOrderedSet(array: [cup, bowl]), forKey: "trophies")
      kid.refresh(cup, mergeChanges: false)
      let last = try #require(teams.last)
      for player in try kid.all("Player") { player.setValue(last, forKey: "team") }
      try chain.save()
      for team in teams { #expect(team === kid.object(with: team.objectID)) }
      #expect((last.value(forKey: "players") as? NSSet)?.count == teams.count)
      #expect((tag.value(forKey: "players") as? NSSet)?.count == teams.count)
    }
    try chain.stack.reading { context in
      let team = try #require(try context.all("Team", "name == 'Team 0'").first)
      let trophies = try #require(team.value(forKey: "trophies") as? NSOrderedSet)
      let titles = trophies.array.map {
        ($0 as? NSManagedObject)?.value(forKey: "title") as? String
      }
      #expect(titles == ["Cup", "Bowl"])
      #expect(
        try context.all(
          "Player", "team.name == %@ AND ANY tags.label == 'x'", ["Team \(kind.depth - 1)"]
        )
        .count == kind.depth)
    }
  }

  private final class Names: @unchecked Sendable { var ids: [NSManagedObjectID] = [] }

  @Test("a permanent ID obtained at any level applies at all levels", arguments: chains)
  func obtained(_ kind: Chain) async throws {
    for level in 0...kind.depth {
      let chain = try kind.make()
      try await chain.run {
        let kid = chain.deepest
        let ann = kid.insert("Player", ["name": "Ann"])
        let temporary = ann.objectID
        try kid.save()
        if level == kind.depth {
          try kid.obtainPermanentIDs(for: [ann])
        } else {
          try chain.above {
            for context in chain.contexts[level..<kind.depth].reversed() {
              try context.performAndWait {
                let found = try context.all("Player")
                #expect(found.count == 1)
                if context === chain.contexts[level] {
                  try context.obtainPermanentIDs(for: found)
                  #expect(found.first?.objectID.isTemporaryID == false)
                } else {
                  try context.save()
                }
              }
            }
          }
        }
        let id = ann.objectID
        #expect(!id.isTemporaryID)
        #expect(kid.object(with: temporary) === ann)
        ann.setValue("Bea", forKey: "name")
        try chain.save()
        #expect(ann.objectID == id)
        #expect(try kid.all("Player") == [ann])
      }
      #expect(try chain.stored("Player", "name") == ["Bea"])
    }
  }

  @Test("siblings have the same ID for an object", arguments: chains)
  func siblings(_ kind: Chain) async throws {
    let chain = try kind.make()
    let parent = chain.contexts[kind.depth - 1]
    let sibling = NSManagedObjectContext(chain.deepest.concurrencyType)
    sibling.parent = parent
    try await chain.run {
      let kid = chain.deepest
      let ann = kid.insert("Player", ["name": "Ann"])
      try kid.save()
      try sibling.performAndWait {
        let other = try #require(try sibling.all("Player").first)
        #expect(other.objectID == ann.objectID && other.objectID.isTemporaryID)
        try chain.saveAbove()
        #expect(!other.objectID.isTemporaryID && other.objectID == ann.objectID)
        #expect(try sibling.all("Player") == [other])
        other.setValue("Bea", forKey: "name")
        try sibling.save()
      }
      ann.setValue(7, forKey: "age")
      try chain.save()
      kid.refresh(ann, mergeChanges: false)
      #expect(ann["name"] == "Bea" && ann["age"] == 7)
    }
    #expect(try chain.stored("Player", "name") == ["Bea"])
  }

  @Test("live results of a child follow its objects to their permanent IDs", arguments: chains)
  func liveResults(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      let redID = red.objectID
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: "team == %@", redID)
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: kid, sectionNameKeyPath: nil, cacheName: nil)
      let table = RecordingTable()
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      kid.processPendingChanges()
      #expect(controller.fetchedObjects == [ann])
      try chain.save()
      #expect(controller.fetchedObjects == [ann])
      #expect(controller.indexPath(forObject: ann) == IndexPath(row: 0, section: 0))
      let bob = kid.insert("Player", ["name": "Bob", "team": red])
      ann.setValue("Zoe", forKey: "name")
      kid.processPendingChanges()
      #expect(controller.fetchedObjects == [bob, ann])
      #expect(controller.indexPath(forObject: ann) == IndexPath(row: 1, section: 0))
      ann.setValue(nil, forKey: "team")
      try chain.save()
      #expect(controller.fetchedObjects == [bob])
      try controller.performFetch()
      table.load(controller)
      #expect(controller.fetchedObjects == [bob])
      let fresh = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: kid, sectionNameKeyPath: nil, cacheName: nil)
      try fresh.performFetch()
      #expect(fresh.fetchedObjects == [bob])
    }
  }

  @Test(
    "a row that another context changes after the save is a conflict of the current object",
    arguments: chains)
  func conflict(_ kind: Chain) async throws {
    let chain = try kind.make()
    for context in chain.contexts {
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    }
    try await chain.run {
      let kid = chain.deepest
      let red = kid.insert("Team", ["name": "Red"])
      let ann = kid.insert("Player", ["name": "Ann", "team": red])
      try chain.save()
      let id = ann.objectID
      try chain.above {
        try chain.stack.reading { context in
          try context.existingObject(with: id).setValue("Other", forKey: "name")
          try context.save()
        }
      }
      ann.setValue(7, forKey: "age")
      try chain.save()
      #expect(ann.managedObjectContext === kid && ann.objectID == id)
      #expect(ann.value(forKey: "team") as? NSManagedObject === red)
      #expect(kid.registeredObjects == [red, ann])
    }
    #expect(try chain.stored("Player", "name") == ["Other"])
  }

  @Test("a notification with former IDs merges into the current objects", arguments: chains)
  func merging(_ kind: Chain) async throws {
    let chain = try kind.make()
    try await chain.run {
      let kid = chain.deepest
      let ann = kid.insert("Player", ["name": "Ann"])
      let temporary = ann.objectID
      try chain.save()
      let id = ann.objectID
      try chain.above {
        try chain.root.performAndWait {
          try chain.root.existingObject(with: id).setValue("Bea", forKey: "name")
          try chain.root.save()
          for context in chain.contexts.dropFirst().dropLast() {
            context.performAndWait { context.refreshAllObjects() }
          }
        }
      }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectIDsKey: [temporary]], into: [kid])
      #expect(ann["name"] == "Bea")
      #expect(kid.registeredObjects == [ann])
    }
  }
}
