import CoreData
import Testing

@Suite("Mutable sets of relationships", .onEveryStore)
struct LiveCollectionTests {
  @Test("Every mutation of a set changes the relationship and its inverse")
  func sets() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      let players = (0..<5).map { context.insert("Player", ["number": $0]) }
      let set = team.mutableSetValue(forKey: "players")
      func expect(_ numbers: Int..., line: Int = #line) {
        let expected = Set(numbers.map { players[$0] })
        let place = SourceLocation(
          fileID: #fileID, filePath: #filePath, line: line, column: 1)
        #expect(
          team.value(forKey: "players") as? Set<NSManagedObject> == expected, sourceLocation: place)
        #expect(set.isEqual(NSSet(set: expected)), sourceLocation: place)
        #expect(NSSet(set: expected).isEqual(set), sourceLocation: place)
        #expect(set.count == expected.count, sourceLocation: place)
        #expect(
          Set(set.allObjects.compactMap { $0 as? NSManagedObject }) == expected,
          sourceLocation: place)
        #expect(Set(set.compactMap { $0 as? NSManagedObject }) == expected, sourceLocation: place)
        for player in players {
          #expect(
            (player.value(forKey: "team") != nil) == expected.contains(player),
            sourceLocation: place)
          #expect(set.contains(player) == expected.contains(player), sourceLocation: place)
        }
        #expect(set.isEqual(to: expected), sourceLocation: place)
        #expect((set.copy() as? NSSet)?.count == expected.count, sourceLocation: place)
        #expect(set.description.isEmpty == false, sourceLocation: place)
      }
      set.add(players[0])
      expect(0)
      set.addObjects(from: [players[0], players[1], players[2]])
      expect(0, 1, 2)
      set.remove(players[1])
      expect(0, 2)
      set.remove(players[4])
      expect(0, 2)
      set.union([players[3], players[4]])
      expect(0, 2, 3, 4)
      set.minus([players[0]])
      expect(2, 3, 4)
      set.intersect([players[3], players[4], players[0]])
      expect(3, 4)
      set.setSet([players[0], players[4]])
      expect(0, 4)
      set.filter(using: NSPredicate(format: "number > 2"))
      expect(4)
      set.removeAllObjects()
      expect()
      players[2].setValue(team, forKey: "team")
      expect(2)
      try context.save()
      #expect(!context.hasChanges)
      set.add(players[3])
      #expect(context.hasChanges)
    }
  }

  // Setting one side of a relationship sets the other side without firing it if it is a fault.
  @Test("Adding a member to an unread relationship does not read it")
  func unread() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      let old = context.insert("Player", ["team": team])
      try context.save()
      context.refreshAllObjects()
      let new = context.insert("Player")
      team.mutableSetValue(forKey: "players").add(new)
      #expect(team.hasFault(forRelationshipNamed: "players"))
      #expect(new.value(forKey: "team") as? NSManagedObject === team)
      #expect(Set(team.objectIDs(forRelationshipNamed: "players")) == [old.objectID, new.objectID])
      #expect(team.hasFault(forRelationshipNamed: "players"))
      #expect(old.isFault)
      #expect(old.objectIDs(forRelationshipNamed: "team") == [team.objectID])
      #expect(team.value(forKey: "players") as? Set<NSManagedObject> == [old, new])
      #expect(!team.hasFault(forRelationshipNamed: "players"))
    }
  }

  @Test("Every mutation of an ordered set changes the order of the relationship")
  func orderedSets() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      let cups = (0..<6).map { context.insert("Trophy", ["title": "\($0)"]) }
      let set = team.mutableOrderedSetValue(forKey: "trophies")
      func expect(_ numbers: Int..., line: Int = #line) {
        let expected = numbers.map { cups[$0] }
        let place = SourceLocation(
          fileID: #fileID, filePath: #filePath, line: line, column: 1)
        let stored = (team.value(forKey: "trophies") as? NSOrderedSet)?.array
        #expect(stored as? [NSManagedObject] == expected, sourceLocation: place)
        #expect(set.count == expected.count, sourceLocation: place)
        #expect(
          set.indices().map { set.object(at: $0) as? NSManagedObject } == expected,
          sourceLocation: place)
        #expect(set.array as? [NSManagedObject] == expected, sourceLocation: place)
        #expect(set.map { $0 as? NSManagedObject } == expected, sourceLocation: place)
        #expect(set.firstObject as? NSManagedObject == expected.first, sourceLocation: place)
        for cup in cups {
          let index = expected.firstIndex(of: cup)
          #expect(set.index(of: cup) == index ?? NSNotFound, sourceLocation: place)
          #expect(set.contains(cup) == (index != nil), sourceLocation: place)
          #expect((cup.value(forKey: "winner") != nil) == (index != nil), sourceLocation: place)
        }
        #expect((set.copy() as? NSOrderedSet)?.count == expected.count, sourceLocation: place)
      }
      set.add(cups[0])
      set.addObjects(from: [cups[1], cups[2], cups[0]])
      expect(0, 1, 2)
      set.insert(cups[3], at: 0)
      expect(3, 0, 1, 2)
      set.insert([cups[4], cups[5]], at: [1, 5])
      expect(3, 4, 0, 1, 2, 5)
      set.removeObject(at: 0)
      set.remove(cups[1])
      expect(4, 0, 2, 5)
      set.moveObjects(at: [0, 1], to: 2)
      expect(2, 5, 4, 0)
      set.exchangeObject(at: 0, withObjectAt: 3)
      expect(0, 5, 4, 2)
      set.replaceObject(at: 1, with: cups[1])
      expect(0, 1, 4, 2)
      set[1] = cups[3]
      expect(0, 3, 4, 2)
      set.sort(comparator: { a, b in
        let titles = [a, b].map {
          ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? ""
        }
        return titles[0] < titles[1] ? .orderedAscending : .orderedDescending
      })
      expect(0, 2, 3, 4)
      set.minus(NSOrderedSet(array: [cups[2]]))
      set.union(NSOrderedSet(array: [cups[5], cups[0]]))
      expect(0, 3, 4, 5)
      set.intersectSet([cups[5], cups[3], cups[4]])
      expect(3, 4, 5)
      set.removeObjects(in: NSRange(location: 0, length: 1))
      set.removeObjects(at: [1])
      expect(4)
      set.setObject(cups[1], at: 1)
      set.unionSet([cups[1], cups[2]])
      set.minusSet([cups[4]])
      expect(1, 2)
      cups[5].setValue(team, forKey: "winner")
      #expect(set.count == 3)
      #expect(set.object(at: 2) as? NSManagedObject === cups[5])
      try context.save()
      context.refreshAllObjects()
      #expect(set.contains(cups[2]))
      set.removeAllObjects()
      #expect((team.value(forKey: "trophies") as? NSOrderedSet)?.count == 0)
    }
  }
}

extension NSOrderedSet {
  fileprivate func indices() -> Range<Int> { 0..<count }
}
