import CoreData
import FixtureSupport
import Foundation
import Testing

@Suite("Ordered relationships under random changes")
struct MemberOrderTests {
  @Test("A live ordered set behaves like an ordinary array", arguments: [20, 1300])
  func agreement(size: Int) throws {
    var random = SeededGenerator("ordered members \(size)")
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      let all = (0..<size * 2).map { context.insert("Trophy", ["title": "\($0)"]) }
      // The expected order, as a plain array.
      var order = Array(all.prefix(size))
      team.setValue(NSOrderedSet(array: order), forKey: "trophies")
      try context.save()
      for step in 0..<WholeRun.steps(size > 100 ? 80 : 250, whole: 250) {
        let object = try #require(all.randomElement(using: &random))
        let isIn = order.contains { $0 === object }
        func set() -> NSMutableOrderedSet { team.mutableOrderedSetValue(forKey: "trophies") }
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
          set().add(object)
          if !isIn { order.append(object) }
        case 1, 2:
          let index = Int.random(in: 0...order.count, using: &random)
          set().insert(object, at: index)
          if !isIn { order.insert(object, at: index) }
        case 3:
          set().remove(object)
          order.removeAll { $0 === object }
        case 4 where !order.isEmpty:
          let index = Int.random(in: order.indices, using: &random)
          set().removeObject(at: index)
          order.remove(at: index)
        case 5 where !order.isEmpty:
          let from = Int.random(in: order.indices, using: &random)
          let to = Int.random(in: order.indices, using: &random)
          set().moveObjects(at: IndexSet(integer: from), to: to)
          order.insert(order.remove(at: from), at: to)
        case 6:
          // Sets the inverse, sometimes removing the object and adding it again.
          object.setValue(isIn ? nil : team, forKey: "winner")
          if isIn { order.removeAll { $0 === object } } else { order.append(object) }
          if isIn, Bool.random(using: &random) {
            object.setValue(team, forKey: "winner")
            order.append(object)
          }
        case 7 where step % 40 == 0:
          set().sort(using: [NSSortDescriptor(key: "title", ascending: true)])
          order.sort { ($0["title"] ?? "") < ($1["title"] ?? "") }
        default:
          if step % 5 == 0 { try context.save() }
          if step % 3 == 0 { context.refreshAllObjects() }
        }
        // Most steps skip the check, so that the next step finds released objects that no read has
        // fetched again.
        if step % 20 != 0, Int.random(in: 0..<3, using: &random) != 0 { continue }
        let now = team.mutableOrderedSetValue(forKey: "trophies")
        #expect(now.count == order.count)
        #expect(context.findBrokenInvariant() == nil, "seed \(random.seed), step \(step)")
        if let last = order.indices.randomElement(using: &random) {
          #expect(now.object(at: last) as? NSManagedObject === order[last])
          #expect(now.index(of: order[last]) == last)
        }
        #expect(now.contains(object) == order.contains { $0 === object })
        #expect((object.value(forKey: "winner") != nil) == now.contains(object))
        if step % 20 == 0 {
          #expect(now.array.compactMap { $0 as? NSManagedObject } == order, "step \(step)")
        }
      }
      try context.save()
      context.refreshAllObjects()
      let stored = (team.value(forKey: "trophies") as? NSOrderedSet)?.array as? [NSManagedObject]
      #expect(stored == order)
    }
  }

  @Test(
    "A member that is removed and added again by its inverse comes last, even if no member was read",
    .onEveryStore)
  func backAgain() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team")
      let cups = ["a", "b", "c"].map { context.insert("Trophy", ["title": $0]) }
      team.setValue(NSOrderedSet(array: cups), forKey: "trophies")
      try context.save()
      func removeAndAdd(_ cup: NSManagedObject) {
        cup.setValue(nil, forKey: "winner")
        cup.setValue(team, forKey: "winner")
      }
      context.refreshAllObjects()
      removeAndAdd(cups[0])
      #expect(titles(of: team) == ["b", "c", "a"])
      // The change applies to the members that are read again.
      context.refreshAllObjects()
      removeAndAdd(cups[1])
      #expect(titles(of: team) == ["c", "a", "b"])
      try context.save()
      context.refreshAllObjects()
      #expect(titles(of: team) == ["c", "a", "b"])

      // The refresh between the two changes releases the members.
      cups[0].setValue(nil, forKey: "winner")
      context.refreshAllObjects()
      removeAndAdd(cups[2])
      cups[0].setValue(team, forKey: "winner")
      #expect(titles(of: team) == ["b", "c", "a"])

      // A new member, known only to this context.
      let new = context.insert("Trophy", ["title": "d"])
      new.setValue(team, forKey: "winner")
      let turned = [new, cups[0], cups[1], cups[2]]
      team.setValue(NSOrderedSet(array: turned), forKey: "trophies")
      context.refreshAllObjects()
      removeAndAdd(new)
      #expect(titles(of: team) == ["a", "b", "c", "d"])
      try context.save()
    }
    let stored = try stack.reopened().context
    try stored.performAndWait {
      let team = try #require(try stored.all("Team").first)
      #expect(titles(of: team) == ["a", "b", "c", "d"])
    }
  }

  @Test("A member that is added again after its removal was saved comes last", .onEveryStore)
  func backAfterSave() throws {
    let context = try SampleStack().context
    try context.performAndWait {
      let team = context.insert("Team")
      let cups = ["a", "b", "c"].map { context.insert("Trophy", ["title": $0]) }
      team.setValue(NSOrderedSet(array: cups), forKey: "trophies")
      try context.save()
      team.setValue(NSOrderedSet(array: [cups[0], cups[1]]), forKey: "trophies")
      context.refreshAllObjects()
      cups[0].setValue(nil, forKey: "winner")
      try context.save()
      cups[0].setValue(team, forKey: "winner")
      #expect(titles(of: team) == ["b", "a"])
    }
  }

  private func titles(of team: NSManagedObject) -> [String] {
    (team.value(forKey: "trophies") as? NSOrderedSet)?.array
      .compactMap { ($0 as? NSManagedObject)?["title"] } ?? []
  }
}
