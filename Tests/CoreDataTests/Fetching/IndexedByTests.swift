import CoreData
import Testing

/// `indexed:by:` specifies the R-tree index that a condition should use. Source: "What's New in Core Data", WWDC 2017.
@Suite("Conditions that specify a fetch index", .onEveryStore)
struct IndexedByTests {
  private static func model() -> NSManagedObjectModel {
    func index(
      _ name: String, _ keys: [String], _ type: NSFetchIndexElementType
    ) -> NSFetchIndexDescription {
      NSFetchIndexDescription(
        name: name,
        elements: keys.map { NSFetchIndexElementDescription(propertyName: $0, collationType: type) }
      )
    }
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.indexes = [
      index("loc", ["score", "number"], .rTree), index("byAge", ["age"], .binary),
    ]
    model.entitiesByName["Captain"]?.indexes = [index("start", ["since"], .rTree)]
    return model
  }

  /// Saves players with numbers from 0, every fifth of them without a score.
  private func filled() throws -> SampleStack {
    let stack = try SampleStack(model: Self.model())
    try stack.context.performAndWait {
      let team = stack.context.insert("Team", ["name": "Red"])
      for index in 0..<20 {
        stack.context.insert(
          index % 4 == 3 ? "Captain" : "Player",
          [
            "name": "n\(index)", "age": index, "number": index,
            "score": index % 5 == 4 ? nil : Double(index) / 3, "team": index < 4 ? team : nil,
          ])
      }
      try stack.context.save()
      stack.context.reset()
    }
    return stack
  }

  private static let cases: [(format: String, numbers: [Int], readsTree: Bool)] = [
    ("indexed:by:(score, 'loc') BETWEEN {1, 2}", [3, 5, 6], true),
    ("indexed:by:(score, \"loc\") < 1", [0, 1, 2], true),
    ("indexed:by:(score, 'loc') <= 1", [0, 1, 2, 3], true),
    ("indexed:by:(score, 'loc') > 5.9", [18], true),
    ("indexed:by:(score, 'loc') >= 5", [15, 16, 17, 18], true),
    ("indexed:by:(score, 'loc') == 2", [6], true),
    ("2 == indexed:by:(score, 'loc')", [6], true),
    ("5 < indexed:by:(score, 'loc')", [16, 17, 18], true),
    (
      "indexed:by:(score, 'loc') BETWEEN {0, 3} AND indexed:by:(number, 'loc') BETWEEN {3, 7}",
      [3, 5, 6, 7], true
    ),
    ("indexed:by:(score, 'loc') BETWEEN {0, 3} AND name ENDSWITH '5' AND age < 9", [5], true),
    ("indexed:by:(score, 'loc') BETWEEN {0, 0.5} OR name == 'n9'", [0, 1, 9], true),
    ("indexed:by:(score, 'loc') == 0", [0], true),
    ("indexed:by:(score, 'loc') BETWEEN {2, 1}", [], true),
    ("NOT indexed:by:(score, 'loc') > 1", [0, 1, 2, 3], false),
    (
      "NOT (indexed:by:(score, 'loc') > 1 AND indexed:by:(number, 'loc') > 9)",
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], false
    ),
    ("indexed:by:(score, 'loc') != 1 AND age < 3", [0, 1, 2], false),
    ("indexed:by:(score, 'loc') == nil AND age < 5", [4], false),
    ("indexed:by:(score, 'loc') IN {1, 2}", [3, 6], false),
    ("indexed:by:(age, 'byAge') BETWEEN {3, 4}", [3, 4], false),
    ("indexed:by:(age, 'loc') BETWEEN {3, 4}", [3, 4], false),
    ("ANY team.players.number == 1 AND indexed:by:(score, 'loc') > 0.5", [2, 3], true),
    (
      "SUBQUERY(team.players, $p, indexed:by:($p.score, 'loc') > 0.5).@count == 2", [0, 1, 2, 3],
      true
    ),
  ]

  @Test(
    "match the same rows as without an index, in memory and in the store")
  func rows() throws {
    let stack = try filled()
    for (format, numbers, _) in Self.cases { try expectRows(format, numbers, stack) }
  }

  private func expectRows(_ format: String, _ numbers: [Int], _ stack: SampleStack) throws {
    let predicate = NSPredicate(format: format)
    try stack.context.performAndWait {
      // The next case uses the saved values.
      defer { stack.context.reset() }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = predicate
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      #expect(try stack.context.fetch(request).map { $0["number"] } == numbers, "\(format)")
      #expect(try stack.context.count(for: request) == numbers.count, "\(format)")
      let all = try stack.context.all("Player", sort: ["number"])
      // Foundation's rule for nil differs.
      let known = all.filter { $0["score"] as Double? != nil }
      if !format.contains("ANY"), !format.contains("nil") {
        #expect(
          known.filter { predicate.evaluate(with: $0) }.map { $0["number"] }
            == numbers.filter { $0 % 5 != 4 }, "\(format)")
      }
      all[18].setValue(2, forKey: "score")
      let changed = try stack.context.fetch(request).contains { $0["number"] == 18 }
      let compiled = try stack.context.all("Player", "number == 18 AND (\(format))").count == 1
      #expect(changed == compiled, "\(format)")
    }
  }

  @Test(
    "read the index's R-tree", .only([.sqlite], "only SQLite stores have indexes"),
    arguments: cases.indices)
  func plans(_ number: Int) throws {
    let (format, _, readsTree) = Self.cases[number]
    let stack = try filled()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(format: format)
      let explanation = try #require(try stack.context.explain(request).first)
      let text = explanation.sql + "\(explanation.plan)"
      #expect(explanation.sql.contains("Z_RT_Player_loc") == readsTree, "\(explanation.sql)")
      #expect(text.contains("VIRTUAL TABLE INDEX") == readsTree, "\(explanation.plan)")
      if readsTree, !format.contains("SUBQUERY"), !format.contains(" OR ") {
        #expect(explanation.scans == [], "\(explanation.plan)")
      }
    }
  }

  @Test(
    "read an R-tree of two keys once for all bounds",
    .only([.sqlite], "only SQLite stores have indexes"))
  func once() throws {
    let stack = try filled()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.predicate = NSPredicate(
        format: "indexed:by:(score, 'loc') BETWEEN {0, 3} AND indexed:by:(number, 'loc') > 7")
      let sql = try #require(try stack.context.explain(request).first?.sql)
      #expect(sql.components(separatedBy: "Z_RT_Player_loc").count == 2)
    }
  }

  /// Source: SQLite's page "The SQLite R*Tree Module": the coordinates are 32-bit floats. SQLite's own comparisons, which
  /// a request without an index uses, are the reference.
  @Test(
    "match numbers that are too large or too small for 32-bit floats",
    arguments: [
      ("<", 1e301, [0, 1, 2, 3, 4, 5]), (">", -1e301, [0, 1, 2, 3, 4, 5]), (">=", 1e300, [0]),
      ("<=", -1e300, [1]), ("==", 1e300, [0]), (">=", 1e-46, [0, 2, 5]), ("<=", -1e-46, [1, 3]),
      ("==", 1e-46, [2]), ("==", -1e-46, [3]), ("<=", 0.0, [1, 3, 4]), (">=", 0.0, [0, 2, 4, 5]),
    ])
  func extremes(_ sign: String, _ bound: Double, _ numbers: [Int]) throws {
    let stack = try SampleStack(model: Self.model())
    try stack.context.performAndWait {
      for (number, score) in [1e300, -1e300, 1e-46, -1e-46, 0, 1].enumerated() {
        stack.context.insert("Player", ["number": number, "score": score])
      }
      try stack.context.save()
      stack.context.reset()
      let found = try stack.context.all(
        "Player", "indexed:by:(score, 'loc') \(sign) %@", [bound], sort: ["number"])
      #expect(found.map { $0["number"] } == numbers)
    }
  }

  // MARK: Through relationships

  /// Saves teams with latitudes from 0, ten players, every fifth of them without a team, and five lockers.
  private func placed() throws -> SampleStack {
    let model = Self.model()
    let team = try #require(model.entitiesByName["Team"])
    let keys = ["latitude", "longitude"]
    team.properties += keys.map { SampleStack.attribute($0, .doubleAttributeType) }
    team.indexes = [
      NSFetchIndexDescription(
        name: "place",
        elements: keys.map {
          NSFetchIndexElementDescription(propertyName: $0, collationType: .rTree)
        })
    ]
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let teams = (0..<4).map {
        context.insert("Team", ["latitude": Double($0), "longitude": Double($0 * 10)])
      }
      for index in 0..<10 {
        let player = context.insert(
          index % 2 == 0 ? "Player" : "Captain",
          [
            "number": index, "score": Double(index),
            "team": index % 5 == 4 ? nil : teams[index % 5],
          ])
        if index < 5 { context.insert("Locker", ["number": index, "owner": player]) }
      }
      try context.save()
      context.reset()
    }
    return stack
  }

  private static let relatedCases: [(entity: String, format: String, numbers: [Int])] = [
    ("Player", "indexed:by:(team.latitude, 'place') BETWEEN {1, 2}", [1, 2, 6, 7]),
    ("Captain", "indexed:by:(team.latitude, 'place') BETWEEN {1, 2}", [1, 7]),
    ("Player", "2 < indexed:by:(team.latitude, 'place')", [3, 8]),
    (
      "Player",
      "indexed:by:(team.latitude, 'place') > 1 AND indexed:by:(team.longitude, 'place') < 30",
      [2, 7]
    ),
    (
      "Player", "indexed:by:(team.latitude, 'place') < 1 AND indexed:by:(number, 'loc') > 3", [5]
    ),
    ("Player", "indexed:by:(team.latitude, 'place') == 3 OR number == 9", [3, 8, 9]),
    (
      "Player",
      "ANY team.players.number == 1 AND indexed:by:(team.latitude, 'place') < 2", [1, 6]
    ),
    ("Locker", "indexed:by:(owner.team.latitude, 'place') >= 2", [2, 3]),
    (
      "Locker",
      "SUBQUERY(owner.team.players, $p, indexed:by:($p.team.latitude, 'place') > 2).@count == 2",
      [3]
    ), ("Player", "NOT indexed:by:(team.latitude, 'place') > 1", [0, 1, 5, 6]),
  ]

  /// Apple's session shows only an index of the fetched entity. An index of an entity at the end of a
  /// to-one relationship is an extension that key paths suggest.
  @Test(
    "can use an index of an entity at the end of to-one relationships, in memory and in the store",
    arguments: relatedCases.indices)
  func related(_ number: Int) throws {
    let (entity, format, numbers) = Self.relatedCases[number]
    let stack = try placed()
    let context = stack.context
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.predicate = NSPredicate(format: format)
      request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
      #expect(try context.fetch(request).map { $0["number"] } == numbers)
      #expect(try context.count(for: request) == numbers.count)
      // The results must be the same while the change is unsaved and after the save.
      let team = try #require(try context.all("Team", "latitude == 3").first)
      team.setValue(-5.0, forKey: "latitude")
      let changed = try context.fetch(request).map { $0["number"] as Int? }
      try context.save()
      #expect(try context.fetch(request).map { $0["number"] as Int? } == changed)
      let evaluated = try context.all(entity, "number >= 0", sort: ["number"]).filter {
        ($0.value(forKeyPath: entity == "Locker" ? "owner.team" : "team") as? NSManagedObject)
          != nil && request.predicate?.evaluate(with: $0) == true
      }
      #expect(evaluated.map { $0["number"] as Int? } == changed.filter { $0 != 9 })
    }
  }

  @Test(
    "read the R-tree of an entity behind to-one relationships",
    .only([.sqlite], "only SQLite stores have indexes"), arguments: relatedCases.indices)
  func relatedPlans(_ number: Int) throws {
    let (entity, format, _) = Self.relatedCases[number]
    let stack = try placed()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.predicate = NSPredicate(format: format)
      let explanation = try #require(try stack.context.explain(request).first)
      let readsTree = !format.hasPrefix("NOT")
      #expect(explanation.sql.contains("Z_RT_Team_place") == readsTree, "\(explanation.sql)")
      #expect(
        "\(explanation.plan)".contains("VIRTUAL TABLE INDEX") == readsTree, "\(explanation.plan)")
      if readsTree, !format.contains("SUBQUERY"), !format.contains(" OR ") {
        #expect(explanation.scans == [], "\(explanation.plan)")
      }
    }
  }

  // MARK: Inheritance and batch requests

  @Test(
    "can use an index of a subentity or its superentity"
  )
  func inheritance() throws {
    let stack = try filled()
    try stack.context.performAndWait {
      #expect(
        try stack.context.all("Captain", "indexed:by:(score, 'loc') < 3", sort: ["number"])
          .map { $0["number"] } == [3, 7])
      let captain = try #require(try stack.context.all("Captain", "number == 7").first)
      captain.setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "since")
      try stack.context.save()
      let since = NSPredicate(
        format: "indexed:by:(since, 'start') >= %@",
        Date(timeIntervalSinceReferenceDate: 5) as NSDate)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Captain")
      request.predicate = since
      #expect(try stack.context.fetch(request) == [captain])
    }
  }

  @Test(
    "can be used in batch requests",
    .only(TestedStore.sqlKinds, "only SQLite stores have batch requests"))
  func batches() throws {
    let stack = try filled()
    try stack.context.performAndWait {
      let update = NSBatchUpdateRequest(entityName: "Player")
      update.predicate = NSPredicate(format: "indexed:by:(score, 'loc') BETWEEN {1, 2}")
      update.propertiesToUpdate = ["name": "x"]
      update.resultType = .updatedObjectsCountResultType
      let updated = try stack.context.execute(update) as? NSBatchUpdateResult
      #expect(updated?.result as? Int == 3)
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      request.predicate = NSPredicate(format: "indexed:by:(score, 'loc') < 1 AND age > 0")
      let deletion = NSBatchDeleteRequest(fetchRequest: request)
      deletion.resultType = .resultTypeCount
      let deleted = try stack.context.execute(deletion) as? NSBatchDeleteResult
      #expect(deleted?.result as? Int == 2)
    }
  }

  @Test("are printed in a form that can be parsed")
  func printing() {
    let text = "indexed:by:(score, \"loc\") BETWEEN {1, 2} AND age > 3"
    let predicate = NSPredicate(format: "indexed:by:(score, 'loc') between {1, 2} && age > 3")
    let format = (predicate as? NSCompoundPredicate)?.predicateFormat
    #expect(format == text)
    #expect(NSPredicate(format: format ?? "") == predicate)
    let built = NSExpression(
      forFunction: "indexed:by:",
      arguments: [NSExpression(forKeyPath: "score"), NSExpression(forConstantValue: "loc")])
    #expect(built.description == "indexed:by:(score, \"loc\")")
    #expect(built.expressionValue(with: ["score": 4], context: nil) as? Int == 4)
  }

  @Test("throw an error for an unknown index that suggests a known one")
  func unknownIndexes() throws {
    let stack = try filled()
    stack.context.performAndWait {
      for (format, message) in [
        ("indexed:by:(score, 'lok') > 1", "did you mean \"loc\""),
        ("indexed:by:(team.name, 'loc') == 'x'", "Team has no fetch index named \"loc\""),
        ("indexed:by:(score, name) > 1", "requires the name of a fetch index"),
        ("indexed:by:(skore, 'loc') > 1", "keypath skore not found"),
      ] {
        let error = #expect(throws: NSError.self) { try stack.context.all("Player", format) }
        #expect(error?.code == NSCoreDataError, "\(format)")
        #expect(
          error?.localizedDescription.contains(message) == true,
          "\(error?.localizedDescription ?? "")")
      }
    }
    #expect(throws: (any Error).self) {
      try NSPredicate(validating: "indexed:by:(score) > 1", arguments: [])
    }
  }
}
