import CoreData
import Foundation
import Testing

/// Sources: see ``LightweightMigrationTests``.
@Suite("A migrated store has the new model's indexes, constraints, triggers and files")
struct MigratedSchemaTests {
  @Test("An index of an attribute and a to-many relationship covers only the attribute")
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

  @Test("A migration adds uniqueness constraints, and keeps the store if rows violate one")
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

  @Test("A migration computes derived attributes for existing rows")
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

  /// As a key path, `ps.age.@sum` would add up only the distinct ages. In a derived attribute, Apple's page for
  /// NSDerivedAttributeDescription applies `@sum` to every member.
  @Test("A migration computes derived attributes with any expression, and saves update them")
  func derivedExpressions() throws {
    let store = try MigratedStore()
    try store.with("T: name string; ps ->> P.t\nP: age i16; t -> T.ps; q -> P") { context in
      let t = context.insert("T", ["name": "Red"])
      for age in [2, 2, 3] { context.insert("P", ["age": age, "t": t]) }
    }
    try store.with(
      """
      T: name string; years i64 derived ps.age.@sum; more i64 derived ps.@sum.age+1; ps ->> P.t
      P: age i16; t -> T.ps; a i16 derived length:(shout); shout string derived uppercase:(t.name); q -> P; r string derived q.t.name
      """
    ) { context in
      let t = try #require(try context.all("T").first)
      #expect(t["years"] == 7 as Int64? && t["more"] == 8 as Int64?)
      let ps = try context.all("P", sort: ["age"])
      #expect(ps.map { $0["shout"] } == ["RED", "RED", "RED"])
      #expect(ps.map { $0["a"] } == [3, 3, 3] as [Int16?])
      t.setValue("Blue", forKey: "name")
      ps[0].setValue(ps[1], forKey: "q")
      ps[2].setValue(5, forKey: "age")
      try context.save()
      #expect(t["years"] == 9 as Int64? && t["more"] == 10 as Int64?)
      #expect(ps.map { $0["shout"] } == ["BLUE", "BLUE", "BLUE"])
      #expect(ps.map { $0["a"] } == [4, 4, 4] as [Int16?])
      #expect(ps.map { $0["r"] } == ["Blue", nil, nil] as [String?])
    }
  }

  @Test("A migration computes values that are derived from the same value of other rows")
  func derivedChain() throws {
    let store = try MigratedStore()
    let text = "N: n i16; parent -> N.children; children ->> N.parent"
    try store.with(text) { context in
      var node: NSManagedObject?
      for n in 1...10 { node = context.insert("N", ["n": n, "parent": node]) }
    }
    try store.with(text + "; size i64 derived children.@sum.size+1") { context in
      let sizes = try context.all("N", sort: ["n"]).map { $0["size"] as Int? ?? 0 }
      #expect(sizes == Array((1...10).reversed()))
    }
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: store.url)
    #expect(found.findings == [])
  }

  @Test("A migration fails if a value depends on itself, and keeps the store")
  func derivedCircle() throws {
    let store = try MigratedStore()
    let text = "N: n i16; parent -> N.children; children ->> N.parent"
    try store.with(text) { context in
      let node = context.insert("N", ["n": 1])
      node.setValue(context.insert("N", ["n": 2, "parent": node]), forKey: "parent")
    }
    let error = #expect(throws: NSError.self) {
      try store.with(text + "; size i64 derived children.@sum.size+1") { _ in }
    }
    #expect(error?.localizedDescription.contains("derived values depend on themselves") == true)
    try store.with(text, migrates: false) { context in
      let count = try context.all("N").count
      #expect(count == 2)
    }
  }

  @Test("A new constraint on a derived attribute compares the values of the new model")
  func derivedConstraint() throws {
    let store = try MigratedStore()
    try store.with("P: name string") { context in
      for name in ["Ann", "ann"] { context.insert("P", ["name": name]) }
    }
    let error = #expect(throws: NSError.self) {
      try store.with("P, unique key: name string; key string derived lowercase:(name)") { _ in }
    }
    #expect(error?.code == NSMigrationConstraintViolationError)
    #expect(error?.localizedDescription.hasSuffix("(Z_P_UNIQUE_key): ann (2 rows)") == true)
    // The values that the old model derives are equal, those of the new model are not.
    let other = try MigratedStore()
    try other.with("P: name string; key string derived canonical:(name)") { context in
      for name in ["Ärger", "Arger"] { context.insert("P", ["name": name]) }
    }
    try other.with("P, unique key: name string; key string derived lowercase:(name)") { context in
      let keys = try context.all("P", sort: ["key"]).map { $0["key"] as String? }
      #expect(keys == ["arger", "ärger"])
    }
  }

  @Test("Large values stay readable if their attribute starts or stops allowing external storage")
  func external() throws {
    let store = try MigratedStore()
    let large = Data.pattern(200_000, step: 7)
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
    // A migration leaves existing values of `a` in the row and moves those of `b` into it, so no row refers to a file.
    let files = try FileManager.default.subpathsOfDirectory(atPath: store.folder.url.path)
      .filter { UUID(uuidString: ($0 as NSString).lastPathComponent) != nil }
    #expect(files == [])
  }

  @Test("A default replaces NULL unchanged, whether values may be external before and afterwards")
  func externalDefaults() throws {
    // Looks like the name of a value file.
    let tricky = Data([2]) + Data(UUID().uuidString.utf8) + [0]
    let defaults = [Data("new".utf8), Data(), Data([1]), Data([1, 2]), tricky]
    func model(_ words: String, hasDefaults: Bool, _ more: String = "") -> NSManagedObjectModel {
      let attributes = defaults.indices.map { "a\($0) \(words)" }.joined(separator: "; ")
      let model = ModelText.model("P: n i16; \(attributes)\(more)")
      for (place, value) in defaults.enumerated() where hasDefaults {
        model.entitiesByName["P"]?.attributesByName["a\(place)"]?.defaultValue = value
      }
      return model
    }
    let values: [Data?] = [nil, Data(), Data([1, 2, 3]), tricky]
    for old in ["data", "data external", "data transient", "data external transient"] {
      for new in ["data!", "data! external"] {
        // A table that loses a column is copied, and another one is altered.
        for more in ["", "; gone string"] {
          let store = try MigratedStore()
          try store.with(model(old, hasDefaults: false, more)) { context in
            for (number, value) in values.enumerated() {
              let row = context.insert("P", ["n": number])
              for place in defaults.indices { row.setValue(value, forKey: "a\(place)") }
            }
          }
          try store.with(model(new, hasDefaults: true)) { context in
            let rows = try context.all("P", sort: ["n"])
            for (place, value) in defaults.enumerated() {
              let found = rows.map { $0["a\(place)"] as Data? }
              let expected: [Data?] = values.map { kept in
                old.contains("transient") ? value : kept ?? value
              }
              #expect(found == expected, "\(old) to \(new), default \(Array(value))")
            }
          }
        }
      }
    }
  }

  @Test("The user's own views and foreign keys still refer to the tables after a migration")
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

  @Test(
    "Derived attributes are recomputed if a property they depend on is removed or changed")
  func derivedAgain() throws {
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

  @Test("A removed constraint is not enforced while rows get a default value")
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
}
