import CoreData
import Foundation
import Testing

/// Sources: Apple's article "Migrating your data model automatically" (which changes are inferred), and
/// the pages of `NSMigratePersistentStoresAutomaticallyOption` and `NSInferMappingModelAutomaticallyOption`.
@Suite("A store of an old model is opened with a new one")
struct LightweightMigrationTests {
  @Test("attributes are added with their defaults, removed and renamed")
  func attributes() throws {
    let store = try MigratedStore()
    try store.with("Person: name string; age i16; gone double") { context in
      context.insert("Person", ["name": "Ann", "age": 40, "gone": 1.5])
      context.insert("Person", ["name": "Bob"])
    }
    let model =
      "Person: fullName string! was name = nobody; age i64; rank i32! = 7; note string; mood string = calm"
    try store.with(model) { context in
      let people = try context.all("Person", sort: ["fullName"])
      #expect(people.map { $0["fullName"] } == ["Ann", "Bob"])
      #expect(people.map { $0.value(forKey: "age") as? Int64 } == [40, nil])
      #expect(people.map { $0["rank"] } == [7, 7] as [Int32?])
      #expect(people.map { $0["note"] } == [nil, nil] as [String?])
      #expect(people.map { $0["mood"] } == ["calm", "calm"])
      people[0].setValue(3, forKey: "rank")
    }
    // Opened as it is now, and with the old model no more.
    try store.with(model, migrates: false) { context in
      let count = try context.all("Person", "rank == 3").count
      #expect(count == 1)
    }
    #expect(throws: NSError.self) {
      try store.with("Person: name string; age i16; gone double", migrates: false) { _ in }
    }
  }

  @Test("an attribute that becomes required gets its default where there was nothing")
  func optionality() throws {
    let store = try MigratedStore()
    try store.with("Person: name string; age i16") { context in
      context.insert("Person", ["name": "Ann"])
      context.insert("Person", ["age": 3])
    }
    try store.with("Person: name string! = nobody; age i16! = 9") { context in
      let people = try context.all("Person", sort: ["age"])
      #expect(people.map { $0["name"] } == ["nobody", "Ann"])
      #expect(people.map { $0["age"] } == [3, 9] as [Int16?])
    }
  }

  @Test("numbers get their new type, cut where that is smaller")
  func numbers() throws {
    let store = try MigratedStore()
    try store.with("N: a double; b i64; c i16; d decimal") { context in
      context.insert("N", ["a": 3.9, "b": 70_000, "c": 5, "d": NSDecimalNumber(string: "2.5")])
      context.insert("N", ["a": -3.9, "b": -1, "c": -5])
    }
    try store.with("N: a i32; b i16; c double; d double") { context in
      let found = try context.all("N", sort: ["c"])
      #expect(found.map { $0["a"] } == [-3, 3] as [Int32?])
      #expect(found.map { $0["b"] } == [-1, 4464] as [Int16?])
      #expect(found.map { $0["c"] } == [-5, 5] as [Double?])
      #expect(found.map { $0["d"] } == [nil, 2.5] as [Double?])
    }
  }

  @Test("large numbers lose their upper bits", arguments: TestedStore.fileKinds)
  func largeNumbers(_ kind: TestedStore) throws {
    let numbers = [Int64.max, .max - 1, .min, 1 << 40, -1]
    let store = try MigratedStore(kind)
    let models = ["N: n i16; a i64; b i64", "N: n i16; a i32; b i16"].map(ModelText.model)
    try store.with(models[0]) { context in
      for (n, number) in numbers.enumerated() {
        context.insert("N", ["n": n, "a": number, "b": number])
      }
    }
    try ProgressiveMigration(through: models).run(
      at: store.url, type: NSPersistentStore.StoreType(rawValue: kind.type))
    try store.with(models[1], migrates: false) { context in
      let found = try context.all("N", sort: ["n"])
      #expect(found.map { $0["a"] } == numbers.map { Int32(truncatingIfNeeded: $0) })
      #expect(found.map { $0["b"] } == numbers.map { Int16(truncatingIfNeeded: $0) })
    }
  }

  // Wire's Boolean became an Integer 32 by an inferred mapping.
  @Test("truth values become numbers, and numbers truth values", arguments: TestedStore.fileKinds)
  func truthValues(_ kind: TestedStore) throws {
    let store = try MigratedStore(kind)
    let models = [
      "N: n i16; a bool! = 0; b bool; c i32; d double; e decimal",
      "N: n i16; f i32! was a = 7; b double; c bool; d bool; e bool",
    ].map(ModelText.model)
    try store.with(models[0]) { context in
      context.insert(
        "N", ["n": 1, "a": true, "b": false, "c": 70_000, "d": 0.5, "e": NSDecimalNumber(value: 2)])
      context.insert("N", ["n": 2, "a": false, "c": 0, "d": 0.0, "e": NSDecimalNumber(value: 0)])
      context.insert("N", ["n": 3])
    }
    // The new model cannot read what the file says, and says that it is another model's.
    let refused = #expect(throws: NSError.self) {
      try store.with(models[1], migrates: false) { _ in }
    }
    #expect(refused?.code == NSPersistentStoreIncompatibleVersionHashError)
    try ProgressiveMigration(through: models).run(
      at: store.url, type: NSPersistentStore.StoreType(rawValue: kind.type))
    try store.with(models[1], migrates: false) { context in
      let found = try context.all("N", sort: ["n"])
      #expect(found.map { $0["f"] } == [1, 0, 0] as [Int32?])
      #expect(found.map { $0["b"] } == [0, nil, nil] as [Double?])
      #expect(found.map { $0["c"] } == [true, false, nil] as [Bool?])
      #expect(found.map { $0["d"] } == [true, false, nil] as [Bool?])
      #expect(found.map { $0["e"] } == [true, false, nil] as [Bool?])
      let all = try context.all("N", "c == YES AND d == YES AND e == YES").count
      #expect(all == 1)
    }
  }

  // So did its required to-many relationships come, which no row has members of.
  @Test("a required to-many relationship is added empty, but where it has a minimum")
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

  // nova-wallet-ios opens stores of its Substrate models 1 to 11 with later ones, by an inferred mapping.
  @Test("a relationship whose destination goes leads to another one, without members")
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

  // Threema's model has such an index since version 44.
  @Test("an index of an attribute and a to-many relationship is one of the attribute")
  func indexOfMembers() throws {
    let store = try MigratedStore()
    let text = "C: n i16; vs ->> V.c\nV: n i16; c -> C.vs"
    try store.with(text) { $0.insert("C", ["n": 1]) }
    let model = ModelText.model(text + "; z i16")
    let entity = try #require(model.entitiesByName["C"])
    entity.indexes = [
      NSFetchIndexDescription(
        name: "byBoth",
        elements: entity.properties.map {
          NSFetchIndexElementDescription(property: $0, collationType: .binary)
        })
    ]
    try store.with(model) { context in
      let count = try context.all("C", "n == 1").count
      #expect(count == 1)
    }
    #expect(try SchemaPicture(store.url).others.contains { $0.contains("Z_C_byBoth") })
  }

  @Test("entities are added, removed and renamed; the numbers of the others change with them")
  func entities() throws {
    let store = try MigratedStore()
    try store.with("B: x i16; c -> C.bs\nC: y i16; bs ->> B.c\nGone: z i16") { context in
      let c = context.insert("C", ["y": 1])
      for x in 1...3 { context.insert("B", ["x": x, "c": c]) }
      context.insert("Gone", ["z": 1])
    }
    try store.with("A: w i16\nBee was B: x i16; c -> C.bs\nC: y i16; bs ->> Bee.c") { context in
      let c = try #require(try context.all("C").first)
      #expect((c.value(forKey: "bs") as? NSSet)?.count == 3)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Bee")
      request.predicate = NSPredicate(format: "c == %@ AND x > 1", c)
      let found = try context.fetch(request)
      #expect(found.count == 2)
      context.insert("A", ["w": 1])
      // New keys come after those of the old rows.
      let new = context.insert("Bee", ["x": 9])
      try context.save()
      #expect(new.objectID.uriRepresentation().lastPathComponent == "p4")
    }
  }

  @Test("relationships change between one, many and many in an order")
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
      // What is added to an order comes last.
      ps[0].mutableOrderedSetValue(forKey: "many").add(context.insert("Q", ["n": 5]))
      try context.save()
      context.refreshAllObjects()
      let last = (ps[0].value(forKey: "many") as? NSOrderedSet)?.lastObject as? NSManagedObject
      #expect(last?.value(forKey: "n") as? Int == 5)
    }
  }

  @Test("entities come under a new parent, leave theirs, and give attributes up to it")
  func hierarchies() throws {
    let store = try MigratedStore()
    try store.with(
      """
      Base: kind string; link -> Base.linked; linked ->> Base.link
      One < Base: name string; size i16
      Two < Base: name string
      Three < Base: own string
      """
    ) { context in
      let one = context.insert("One", ["kind": "a", "name": "Ann", "size": 4])
      let two = context.insert("Two", ["kind": "b", "name": "Bob", "link": one])
      context.insert("Three", ["kind": "c", "own": "x", "link": two])
    }
    // `name` goes up, `Three` is gone, `One` and `Two` get a parent between.
    try store.with(
      """
      Base: kind string; link -> Base.linked; linked ->> Base.link
      Named < Base: name string
      One < Named: size i16
      Two < Named: extra i16! = 3
      """
    ) { context in
      #expect(try context.all("Named", "name BEGINSWITH 'A' OR name == 'Bob'").count == 2)
      let two = try #require(try context.all("Two").first)
      #expect(two["extra"] == 3 as Int16?)
      let one = two.value(forKey: "link") as? NSManagedObject
      #expect(one?.entity.name == "One")
      #expect(one?.value(forKey: "size") as? Int == 4)
      #expect((two.value(forKey: "linked") as? NSSet)?.count == 0)
      let count = try context.all("Base").count
      #expect(count == 2)
    }
    // `One` leaves the hierarchy, with what it inherited.
    try store.with(
      """
      Base: kind string
      One: kind string; name string; size i16
      Two < Base: name string; extra i16
      """
    ) { context in
      let one = try #require(try context.all("One").first)
      #expect(one["kind"] == "a" && one["name"] == "Ann")
      #expect(one["size"] == 4 as Int16?)
      #expect(try context.all("Base").map { $0["kind"] as String? } == ["b"])
    }
  }

  @Test("uniqueness constraints are made; rows that break one leave the store as it was")
  func constraints() throws {
    let store = try MigratedStore()
    try store.with("P: name string; age i16") { context in
      context.insert("P", ["name": "Ann", "age": 1])
      context.insert("P", ["name": "Ann", "age": 2])
    }
    let error = #expect(throws: NSError.self) {
      try store.with("P, unique name: name string; age i16; more i16") { _ in }
    }
    #expect(error?.code == NSMigrationConstraintViolationError)
    #expect(error?.localizedDescription.hasSuffix("(Z_P_UNIQUE_name): Ann (2 rows)") == true)
    try store.with("P: name string; age i16", migrates: false) { context in
      let count = try context.all("P").count
      #expect(count == 2)
    }
    try store.with("P, unique age: name string; age i16") { context in
      context.mergePolicy = NSMergePolicy.error
      context.insert("P", ["age": 2])
      #expect(throws: NSError.self) { try context.save() }
      context.rollback()
    }
  }

  @Test("what cannot be inferred is an error that says why, and leaves the store as it was")
  func obstacles() throws {
    let store = try MigratedStore()
    try store.with("P: name string") { $0.insert("P", ["name": "Ann"]) }
    let missing = #expect(throws: NSError.self) {
      try store.with("P: name string; age i16!") { _ in }
    }
    #expect(missing?.code == NSInferredMappingModelError)
    #expect(missing?.localizedDescription.contains("P.age") == true)
    let type = #expect(throws: NSError.self) { try store.with("P: name date") { _ in } }
    #expect(type?.code == NSInferredMappingModelError)
    let unwanted = #expect(throws: NSError.self) {
      try store.with("P: name string; age i16", migrates: false) { _ in }
    }
    #expect(unwanted?.code == NSPersistentStoreIncompatibleVersionHashError)
    try store.with("P: name string", migrates: false) { context in
      let count = try context.all("P").count
      #expect(count == 1)
    }
  }

  @Test("the history survives, with its changes under their new names")
  func history() throws {
    let store = try MigratedStore(history: true)
    var token: NSPersistentHistoryToken?
    try store.with("P: name string kept; age i16; zeal i16 kept\nQ: x i16") { context in
      let ann = context.insert("P", ["name": "Ann", "age": 1, "zeal": 5])
      context.insert("Q", ["x": 1])
      try context.save()
      token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(
        fromStores: nil)
      ann.setValue(2, forKey: "zeal")
      try context.save()
      context.delete(ann)
      try context.save()
    }
    try store.with("A: y i16\nP: title string was name kept; more i16; zeal i16 kept") { context in
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
      let changes = transactions.flatMap { $0.changes ?? [] }
      #expect(changes.map(\.changedObjectID.entity.name) == ["P", "P"])
      #expect(changes[0].updatedProperties?.map(\.name) == ["zeal"])
      #expect(changes[1].tombstone?["title"] as? String == "Ann")
      #expect(changes[1].tombstone?["zeal"] as? Int == 2)
    }
  }

  @Test("derived attributes are computed for the rows that are there")
  func derived() throws {
    let store = try MigratedStore()
    try store.with("T: name string; ps ->> P.t\nP: age i16; t -> T.ps") { context in
      let t = context.insert("T", ["name": "Ärger"])
      for age in [1, 2] { context.insert("P", ["age": age, "t": t]) }
    }
    try store.with(
      """
      T: name string; plain string derived canonical:(name); count i16 derived ps.@count; ps ->> P.t
      P: age i16; t -> T.ps; of string derived t.name
      """
    ) { context in
      let t = try #require(try context.all("T").first)
      #expect(t["plain"] == "arger")
      #expect(t["count"] == 2 as Int16?)
      #expect(try context.all("P").map { $0["of"] } == ["Ärger", "Ärger"])
      context.insert("P", ["t": t])
      try context.save()
      context.refresh(t, mergeChanges: false)
      #expect(t["count"] == 3 as Int16?)
    }
  }

  @Test("large values stay readable when they go into files, or come out of them")
  func external() throws {
    let store = try MigratedStore()
    let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let tricky = Data([2]) + Data(UUID().uuidString.utf8) + [0]
    try store.with("P: n i16; a data; b data external; c data external") { context in
      context.insert("P", ["n": 1, "a": large, "b": large, "c": large])
      context.insert("P", ["n": 2, "a": tricky, "b": tricky, "c": tricky])
    }
    try store.with("P: n i16; a data external; b data") { context in
      let ps = try context.all("P", sort: ["n"])
      #expect(ps.map { $0["a"] } == [large, tricky])
      #expect(ps.map { $0["b"] } == [large, tricky])
    }
    // Of what no row names any more nothing is left.
    let files = try FileManager.default.subpathsOfDirectory(atPath: store.folder.url.path)
      .filter { UUID(uuidString: ($0 as NSString).lastPathComponent) != nil }
    #expect(files == [])
  }

  @Test("entities take each other's names, and added ones those of renamed ones")
  func swappedNames() throws {
    let store = try MigratedStore()
    try store.with("A: x i16\nB: y i16\nNote: text string") { context in
      context.insert("A", ["x": 1])
      context.insert("B", ["y": 2])
      context.insert("Note", ["text": "old"])
    }
    try store.with(
      "B was A: x i16\nA was B: y i16\nRemark was Note: text string\nNote: z i16"
    ) { context in
      let b = try context.all("B").map { $0["x"] as Int16? }
      let a = try context.all("A").map { $0["y"] as Int16? }
      let remarks = try context.all("Remark").map { $0["text"] as String? }
      let notes = try context.all("Note").count
      #expect(b == [1] && a == [2] && remarks == ["old"] && notes == 0)
    }
  }

  @Test("attributes take each other's names")
  func swappedAttributes() throws {
    let store = try MigratedStore()
    try store.with("A: x i16; y i16") { $0.insert("A", ["x": 1, "y": 2]) }
    try store.with("A: y i16 was x; x i16 was y; z i16") { context in
      let a = try #require(try context.all("A").first)
      #expect(a["y"] == 1 as Int16? && a["x"] == 2 as Int16?)
    }
  }

  @Test("views and foreign keys of the user's own go on meaning the tables by name")
  func ownViews() throws {
    let store = try MigratedStore()
    try store.with("A: x string; gone string; b -> B\nB: y string") {
      $0.insert("A", ["x": "kept"])
      _ = $0.insert("B")
    }
    let database = try PlainDatabase(store.url)
    try database.execute("CREATE VIEW mine AS SELECT ZX FROM ZA")
    try database.execute("CREATE TABLE theirs (a INTEGER REFERENCES ZA (Z_PK))")
    try store.with("A: x string; b ->> B\nB: y string") { _ in }
    try store.with("A: x string; z i16; n i16 = 4\nB: y string") { _ in }
    let after = try PlainDatabase(store.url)
    let names = try after.values("SELECT ZX FROM mine")
    #expect(names == [[.text("kept")]])
    let table = try after.values(
      "SELECT sql LIKE '%REFERENCES ZA (Z_PK)%' FROM sqlite_schema WHERE name = 'theirs'")
    #expect(table == [[.integer(1)]])
  }

  @Test("rows of an entity that another configuration leaves out are not deleted")
  func configurations() throws {
    let store = try MigratedStore()
    let text = "A: x i16\nB: y i16"
    try store.with(text) { context in
      context.insert("A", ["x": 1])
      context.insert("B", ["y": 1])
    }
    let model = ModelText.model(text)
    model.setEntities([try #require(model.entitiesByName["A"])], forConfigurationName: "Local")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(
        type: .sqlite, configuration: "Local", at: store.url, options: MigratedStore.migrating)
    }
    #expect(error?.localizedDescription.contains("1 rows of B") == true)
    try store.with(text, migrates: false) { context in
      let count = try context.all("B").count
      #expect(count == 1)
    }
  }

  @Test(
    "members of a relationship without an inverse stay with their owners, if they are of its entity"
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

  @Test(
    "derived attributes are right where what they are computed from went or got another meaning")
  func derivedAnew() throws {
    let store = try MigratedStore()
    try store.with(
      """
      T: name string; plain string derived canonical:(name); count i16 derived ps.@count; ps ->> P.t
      P: age i16; t -> T.ps
      V < P: rank i16
      """
    ) { context in
      let t = context.insert("T", ["name": "Ärger"])
      context.insert("P", ["t": t])
      context.insert("V", ["t": t])
    }
    try store.with(
      """
      T: name string! = None; title string was name; plain string derived canonical:(name); count i16 derived ps.@count; ps ->> P.t
      P: age i16; t -> T.ps
      """
    ) { context in
      let t = try #require(try context.all("T").first)
      #expect(t["title"] == "Ärger" && t["plain"] == "none")
      #expect(t["count"] == 1 as Int16?)
    }
  }

  @Test("values that sisters kept in different ways stay what they are when the parent gets them")
  func externalSisters() throws {
    let store = try MigratedStore()
    let one = Data([1, 2, 3])
    let text = "P: n i16\nA < P: photo data external\nB < P: photo data"
    try store.with(text) { context in
      context.insert("A", ["n": 1, "photo": one])
      context.insert("B", ["n": 2, "photo": one])
    }
    for external in ["", " external", ""] {
      try store.with("P: n i16; photo data\(external)\nA < P:\nB < P:") { context in
        let photos = try context.all("P", sort: ["n"]).map { $0["photo"] as Data? }
        #expect(photos == [one, one])
      }
    }
  }

  @Test("a constraint that goes is not in force while rows get a default")
  func oldConstraint() throws {
    let store = try MigratedStore()
    try store.with("P, unique code: code string; n i16") { context in
      context.insert("P", ["n": 1])
      context.insert("P", ["n": 2])
    }
    try store.with("P: code string! = x; n i16") { context in
      let codes = try context.all("P").map { $0["code"] as String? }
      #expect(codes == ["x", "x"])
    }
  }

  @Test("who has the store open with the old model writes nothing to it any more")
  func olderWriter() throws {
    let store = try MigratedStore()
    let old = ModelText.model("P: n i16")
    let (opened, writer) = try TestedStore.sqlite.open(old, at: store.url)
    try withExtendedLifetime(opened) {
      try writer.performAndWait {
        writer.insert("P", ["n": 1])
        try writer.save()
      }
      // The number of P changes with the new entity.
      try store.with("A: n i16\nP: n i16") { $0.insert("A", ["n": 5]) }
      writer.performAndWait {
        writer.insert("P", ["n": 2])
        let error = #expect(throws: NSError.self) { try writer.save() }
        #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
      }
    }
    try store.with("A: n i16\nP: n i16", migrates: false) { context in
      let counts = [try context.all("A").count, try context.all("P").count]
      #expect(counts == [1, 1])
    }
  }
}
