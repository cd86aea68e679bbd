import CoreData
import Foundation
import Testing

/// Sources: see ``LightweightMigrationTests``.
@Suite("Relationships of a store of an old model")
struct MigratedRelationshipsTests {
  // An inferred mapping of Wire's model adds required to-many relationships, which have no members at first.
  @Test("A required to-many relationship is added empty, unless it has a minimum count")
  func requiredMembers() throws {
    let store = try MigratedStore()
    try store.with("P: n i16") { $0.insert("P", ["n": 1]) }
    let model = ModelText.model("P: n i16; ts ->> T.p\nT: n i16; p -> P.ts")
    let members = try #require(model.entitiesByName["P"]?.relationshipsByName["ts"])
    members.isOptional = false
    members.minCount = 1
    let refused = #expect(throws: NSError.self) { try store.with(model) { _ in } }
    #expect(refused?.code == NSInferredMappingModelError)
    let other = try #require(model.copy() as? NSManagedObjectModel)
    other.entitiesByName["P"]?.relationshipsByName["ts"]?.minCount = 0
    try store.with(other) { context in
      let found = try context.all("P")
      #expect(found.count == 1)
      #expect((found.first?.value(forKey: "ts") as? NSSet)?.count == 0)
      found.first?.setValue(2, forKey: "n")
      try context.save()
    }
  }

  // nova-wallet-ios opens stores of its Substrate models 1 to 11 with later models, by an inferred
  // mapping.
  @Test("A relationship whose destination entity is replaced by another one has no members")
  func replacedDestination() throws {
    let store = try MigratedStore()
    try store.with(
      "C: n i16; nodes ->> N.chain; loose ->> N\nN: n i16; chain -> C.nodes\nOther: n i16"
    ) { context in
      let c = context.insert("C", ["n": 1])
      let node = context.insert("N", ["n": 1, "chain": c])
      c.setValue(NSSet(object: node), forKey: "loose")
      context.insert("Other", ["n": 1])
    }
    try store.with(
      "C: n i16; nodes ->> Item.chain; loose ->> Other\nItem: n i16; chain -> C.nodes\nOther: n i16"
    ) { context in
      let c = try #require(try context.all("C").first)
      for key in ["nodes", "loose"] { #expect((c.value(forKey: key) as? NSSet)?.count == 0) }
      context.insert("Item", ["n": 2, "chain": c])
    }
  }

  // SQLite ignores case in the names of tables, so the new relationship would use the table of the old one.
  @Test("A many-to-many relationship keeps its members if one with a similar name is added")
  func similarName() throws {
    let store = try MigratedStore()
    try store.with("P: n i16; tags ->> T.ps\nT: n i16; ps ->> P.tags") { context in
      let tag = context.insert("T", ["n": 1])
      context.insert("P", ["n": 1]).setValue(NSSet(object: tag), forKey: "tags")
    }
    let text = "P: n i16; Tags ->> T.Ps; tags ->> T.ps\nT: n i16; Ps ->> P.Tags; ps ->> P.tags"
    try store.with(text) { context in
      let person = try #require(try context.all("P").first)
      #expect((person.value(forKey: "tags") as? NSSet)?.count == 1)
      #expect((person.value(forKey: "Tags") as? NSSet)?.count == 0)
      let more = (0..<2).map { _ in context.insert("T") }
      person.setValue(NSSet(array: more), forKey: "Tags")
    }
    try store.with(text, migrates: false) { context in
      let person = try #require(try context.all("P").first)
      #expect((person.value(forKey: "tags") as? NSSet)?.count == 1)
      #expect((person.value(forKey: "Tags") as? NSSet)?.count == 2)
    }
  }

  // SQLite ignores case in the names of triggers, too.
  @Test("A derived attribute keeps its value if one with a similar name is added")
  func similarDerivedName() throws {
    let store = try MigratedStore()
    let rest = "ts ->> T.p\nT: n i64; p -> P.ts"
    try store.with("P: total i64 derived ts.@count; \(rest)") { context in
      context.insert("T", ["n": 5, "p": context.insert("P")])
    }
    let text = "P: total i64 derived ts.@count; Total i64 derived ts.@sum.n; \(rest)"
    for migrates in [true, false] {
      try store.with(text, migrates: migrates) { context in
        let owner = try #require(try context.all("P").first)
        context.insert("T", ["n": 5, "p": owner])
        try context.save()
        context.refreshAllObjects()
        let count = migrates ? 2 : 3
        #expect(owner["total"] as Int? == count && owner["Total"] as Int? == 5 * count)
      }
    }
  }

  @Test("Relationships change between to-one, to-many and ordered")
  func kinds() throws {
    let store = try MigratedStore()
    try store.with(
      """
      P: n i16; one -> Q.back; many ->> Q.owner; tags ->> T.ps; loose ->> T
      Q: n i16; back ->> P.one; owner -> P.many
      T: n i16; ps ->> P.tags
      """
    ) { context in
      let qs = (1...4).map { context.insert("Q", ["n": $0]) }
      let ts = (1...3).map { context.insert("T", ["n": $0]) }
      let p = context.insert("P", ["n": 1])
      p.setValue(qs[0], forKey: "one")
      p.setValue(NSSet(array: qs), forKey: "many")
      p.setValue(NSSet(array: [ts[0], ts[1]]), forKey: "tags")
      p.setValue(NSSet(array: [ts[2]]), forKey: "loose")
      let other = context.insert("P", ["n": 2])
      other.setValue(NSSet(array: [ts[0]]), forKey: "tags")
      other.setValue(qs[0], forKey: "one")
    }
    try store.with(
      """
      P: n i16; one ->> Q.back; many ->o Q.owner; tags ->o T.ps; loose -> T
      Q: n i16; back ->> P.one; owner -> P.many
      T: n i16; ps ->> P.tags
      """
    ) { context in
      func numbers(_ object: NSManagedObject, _ key: String) -> [Int] {
        let all: [Any]
        switch object.value(forKey: key) {
        case let set as NSSet: all = set.allObjects
        case let set as NSOrderedSet: all = set.array
        case let one?: all = [one]
        case nil: all = []
        }
        return all.compactMap { ($0 as? NSManagedObject)?.value(forKey: "n") as? Int }.sorted()
      }
      let ps = try context.all("P", sort: ["n"])
      #expect(ps.map { numbers($0, "one") } == [[1], [1]])
      #expect(ps.map { numbers($0, "many") } == [[1, 2, 3, 4], []])
      #expect(ps.map { numbers($0, "tags") } == [[1, 2], [1]])
      #expect(ps.map { numbers($0, "loose") } == [[3], []])
      let q = try #require(try context.all("Q", "n == 1").first)
      #expect(numbers(q, "back") == [1, 2])
      // An object added to an ordered relationship comes last.
      ps[0].mutableOrderedSetValue(forKey: "many").add(context.insert("Q", ["n": 5]))
      try context.save()
      context.refreshAllObjects()
      let last = (ps[0].value(forKey: "many") as? NSOrderedSet)?.lastObject as? NSManagedObject
      #expect(last?.value(forKey: "n") as? Int == 5)
    }
  }

  @Test(
    "A relationship without an inverse keeps the members that have its destination entity"
  )
  func withoutInverse() throws {
    let store = try MigratedStore()
    try store.with("A: items ->> Item\nItem: n i16\nSub < Item: m i16") { context in
      let a = context.insert("A")
      a.setValue(
        NSSet(array: [
          context.insert("Item", ["n": 1]), context.insert("Sub", ["n": 2]),
        ]), forKey: "items")
    }
    try store.with("P: items ->> Item\nA < P:\nItem: n i16\nSub < Item: m i16") { context in
      let a = try #require(try context.all("A").first)
      #expect((a.value(forKey: "items") as? NSSet)?.count == 2)
    }
    try store.with("P: items ->> Sub\nA < P:\nItem: n i16\nSub < Item: m i16") { context in
      let a = try #require(try context.all("A").first)
      let members = (a.value(forKey: "items") as? NSSet)?.allObjects as? [NSManagedObject]
      #expect(members?.map { $0["n"] } == [2] as [Int16?])
    }
  }
}
