import CoreData
import Testing

@Suite("Compiled predicates", .onEveryStore)
struct CompiledPredicateTests {
  /// Saves forty players, with every sixth value of each kind nil, and returns their objects.
  private static func filled() throws -> (SampleStack, [NSManagedObject]) {
    let stack = try SampleStack()
    let context = stack.context
    var players: [NSManagedObject] = []
    try context.performAndWait {
      let teams = ["Red", "Blue", nil].map { context.insert("Team", ["name": $0]) }
      let tags = ["x", "y", "z"].map { context.insert("Tag", ["label": $0]) }
      let names = [
        "Ann", "ann", "Ämilie", "Anna-Lena Müller-Lüdenscheidt", "Bob", "", "bANANa", "ÄNNE", "Zoë",
      ]
      for index in 0..<40 {
        let player = context.insert(index % 7 == 0 ? "Captain" : "Player")
        player.setValue(index % 6 == 0 ? nil : names[index % names.count], forKey: "name")
        player.setValue(index % 6 == 1 ? nil : index - 5, forKey: "age")
        player.setValue(index % 6 == 2 ? nil : Double(index) / 4, forKey: "score")
        player.setValue(index % 6 == 3 ? nil : index % 2 == 0, forKey: "isActive")
        player.setValue(index, forKey: "number")
        player.setValue(index % 6 == 4 ? nil : teams[index % 3], forKey: "team")
        player.setValue(NSSet(array: Array(tags.prefix(index % 4))), forKey: "tags")
        players.append(player)
      }
      try context.save()
    }
    return (stack, players)
  }

  static let formats = [
    "age > 10", "10 < age", "age >= 10 AND age <= 20", "age == 7", "age != 7", "age < 1.5",
    "age BETWEEN {3, 9}", "age BETWEEN {9, 3}", "age IN {1, 2, 30, 99}", "NOT age IN {1, 2}",
    "age IN {}", "age == nil", "age != nil", "score > 3", "score == 2.5", "score != 2.5",
    "score <= 2.5", "score IN {1, 2.5}", "score BETWEEN {1, 2}", "isActive == YES",
    "isActive == nil OR isActive == NO", "name == \"Ann\"", "name != \"Ann\"", "name > \"Bob\"",
    "name IN {\"Ann\", \"Zoë\", \"Bob\"}", "name == nil", "name BEGINSWITH \"A\"",
    "name BEGINSWITH \"\"", "name BEGINSWITH[c] \"an\"", "name BEGINSWITH[cd] \"a\"",
    "name ENDSWITH \"n\"", "name ENDSWITH[c] \"NA\"", "name CONTAINS \"nn\"",
    "name CONTAINS[c] \"NAN\"", "name CONTAINS[cd] \"u\"", "name CONTAINS \"ü\"",
    "name ==[c] \"ANN\"", "name ==[cd] \"anne\"", "name !=[c] \"ANN\"", "name <[c] \"B\"",
    "name <[l] \"b\"", "name ==[l] \"A\u{308}milie\"", "name !=[cl] \"ANN\"",
    "name ==[dl] \"ANNE\"", "name BETWEEN[cdl] {\"ANN\", \"Bob\"}", "name CONTAINS[cdl] \"AN\"",
    "name LIKE \"*n*\"", "name LIKE[c] \"a?n\"", "name MATCHES \"[AB].*\"", "age > score",
    "age + 1 > score * 2", "name.length > 3", "uppercase:(name) == \"ANN\"",
    "age > 10 AND name BEGINSWITH \"A\"", "age > 30 OR score < 2 OR name == \"Bob\"",
    "NOT (age > 10 OR name == nil)", "team.name == \"Red\"", "team.name != \"Red\"",
    "team.name BEGINSWITH[c] \"b\"", "team == nil", "team != nil", "team.name == nil",
    "ANY tags.label == \"y\"", "ALL tags.label < \"y\"", "NONE tags.label == \"z\"",
    "tags.@count == 2", "SUBQUERY(tags, $t, $t.label > \"x\").@count > 0",
    "SUBQUERY(team.players, $p, $p.age > SELF.age AND $p.name BEGINSWITH \"A\").@count > 1",
    "team.players.@max.age > 30", "ANY team.players.age == 12", "entity.name == \"Captain\"",
    "NOT team.entity.name == \"Coach\"", "NOT team.entity.name != \"Team\"",
    "TERNARY(age > 10, \"a\", \"b\") == \"a\"", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  @Test("match the same objects as the store, whether clean, faults, changed or saved")
  func agreement() throws {
    let (stack, saved) = try Self.filled()
    let entity = try #require(stack.model.entitiesByName["Player"])
    func numbers(_ objects: [NSManagedObject]) -> [Int] {
      objects.compactMap { $0.value(forKey: "number") as? Int }.sorted()
    }
    let reader = stack.newContext()
    let cases = try Self.formats.map { format in
      let predicate = try NSPredicate(validating: format)
      return (
        format, try CompiledPredicate(predicate, for: entity),
        try reader.performAndWait { numbers(try reader.all("Player", format)) }
      )
    }
    /// - Parameter objects: The closure that returns the objects. It is called for each predicate.
    func check(_ state: String, _ objects: () throws -> [NSManagedObject]) throws {
      for (format, compiled, expected) in cases {
        let objects = try objects()
        #expect(numbers(try compiled.filter(objects)) == expected, "\(format), \(state)")
        #expect(try compiled.count(in: objects) == expected.count, "\(format), \(state)")
        let single = try objects.filter { try compiled.evaluate(with: $0) }
        #expect(numbers(single) == expected, "\(format), \(state)")
      }
    }
    let clean = stack.newContext()
    try clean.performAndWait {
      // Resets the context, so that no object still refers to objects that an earlier predicate has read.
      try check("clean") {
        clean.reset()
        return try clean.all("Player")
      }
      // An object keeps the destinations that were read, in addition to its row.
      let objects = try clean.all("Player")
      for object in objects {
        _ = (object.value(forKey: "team") as? NSManagedObject)?.value(forKey: "name")
      }
      try check("with relationships read") { objects }
    }
    let faults = stack.newContext()
    try faults.performAndWait {
      try check("faults") {
        faults.reset()
        return saved.map { faults.object(with: $0.objectID) }
      }
    }
    let changed = stack.newContext()
    try changed.performAndWait {
      let objects = try changed.all("Player")
      for (index, object) in objects.enumerated() {
        let keys = index % 2 == 0 ? ["age", "name", "score", "isActive"] : ["name"]
        for key in keys { object.setValue(object.value(forKey: key), forKey: key) }
      }
      try check("changed") { objects }
    }
    try stack.context.performAndWait { try check("saved") { saved } }
  }

  @Test("match a star in LIKE as the store does, even before an accent")
  func starBeforeAccent() throws {
    try SampleStack.withContext { context in
      for name in ["Zoe\u{308}", "Zoe"] { context.insert("Player", ["name": name]) }
      try context.save()
      let found = try context.all("Player", "name LIKE \"Z*\u{308}\"")
      #expect(found.map { $0["name"] ?? "" } == ["Zoe\u{308}"])
      let predicate = NSPredicate(format: "name LIKE %@", "Z*\u{308}")
      let entity = try #require(found.first?.entity)
      #expect(try CompiledPredicate(predicate, for: entity).filter(context.all("Player")) == found)
    }
  }

  @Test("read unsaved values, including those of new objects")
  func unsaved() throws {
    let (stack, _) = try Self.filled()
    let context = stack.newContext()
    try context.performAndWait {
      let entity = try #require(stack.model.entitiesByName["Player"])
      let compiled = try CompiledPredicate(
        NSPredicate(format: "age > 1000 AND name BEGINSWITH \"Q\" AND score < 1"), for: entity)
      let new = context.insert("Player", ["age": 2000, "name": "Quentin", "score": 0.5])
      let old = try context.all("Player", "number == 8")[0]
      #expect(try compiled.filter([new, old]) == [new])
      old.setValue(1001, forKey: "age")
      old.setValue("Q", forKey: "name")
      old.setValue(0.25, forKey: "score")
      #expect(try compiled.filter([new, old]) == [new, old])
      new.setValue(nil, forKey: "name")
      old.setValue(Double.nan, forKey: "score")
      #expect(try compiled.filter([new, old]) == [])
    }
  }

  @Test("compare to-one destinations and SELF with objects")
  func objects() throws {
    let (stack, _) = try Self.filled()
    let context = stack.newContext()
    try context.performAndWait {
      let entity = try #require(stack.model.entitiesByName["Player"])
      let red = try context.all("Team", "name == \"Red\"")[0]
      let all = try context.all("Player")
      let ofRed = all.filter { $0.value(forKey: "team") as? NSManagedObject === red }
      #expect(ofRed.count == 14)
      let fresh = stack.newContext()
      try fresh.performAndWait {
        let players = try fresh.all("Player")
        func found(_ format: String, _ arguments: Any...) throws -> Int {
          try CompiledPredicate(
            try NSPredicate(validating: format, arguments: arguments), for: entity
          ).count(in: players)
        }
        #expect(try found("team == %@", red) == 14)
        #expect(try found("team != %@", red.objectID) == 20)
        #expect(try found("team IN %@", [red.objectID]) == 14)
        #expect(try found("SELF == %@", players[3]) == 1)
        #expect(try found("SELF IN %@", [players[3], players[4].objectID]) == 2)
        #expect(try found("NOT SELF IN %@", [players[3]]) == 39)
      }
    }
  }

  @Test("match objects of their entity only")
  func entities() throws {
    let (stack, saved) = try Self.filled()
    let captain = try #require(stack.model.entitiesByName["Captain"])
    let compiled = try CompiledPredicate(NSPredicate(format: "since == nil"), for: captain)
    try stack.context.performAndWait {
      let found = try compiled.filter(saved)
      #expect(found.allSatisfy { $0.entity === captain })
      #expect(found.count == 6)
      #expect(try compiled.evaluate(with: saved[0]))
      #expect(try !compiled.evaluate(with: saved[1]))
    }
  }

  @Test("throw errors that state what a fetch would refuse")
  func errors() throws {
    let (stack, _) = try Self.filled()
    let entity = try #require(stack.model.entitiesByName["Player"])
    func message(_ predicate: NSPredicate, _ entity: NSEntityDescription) -> String {
      failure { _ = try CompiledPredicate(predicate, for: entity) }?.localizedDescription ?? ""
    }
    #expect(message(try NSPredicate(validating: "agee > 3"), entity).contains("agee"))
    #expect(message(try NSPredicate(validating: "age > $x"), entity).contains("x"))
    #expect(!message(NSPredicate { _, _ in true }, entity).isEmpty)
    let stray = NSEntityDescription()
    stray.name = "Stray"
    #expect(message(NSPredicate(value: true), stray).contains("Stray"))
  }

  @Test("can be used on several threads at once")
  func threads() async throws {
    let (stack, _) = try Self.filled()
    let entity = try #require(stack.model.entitiesByName["Player"])
    let compiled = try CompiledPredicate(
      NSPredicate(format: "age > 10 AND ANY tags.label == \"x\""), for: entity)
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        let context = stack.newContext()
        group.addTask {
          try await context.perform {
            let objects = try context.all("Player")
            return try (0..<50).reduce(0) { sum, _ in
              try sum + objects.count { try compiled.evaluate(with: $0) }
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: counts[0], count: 4))
    #expect(counts[0] > 0)
  }
}
