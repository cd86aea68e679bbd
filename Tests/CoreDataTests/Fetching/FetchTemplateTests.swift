import CoreData
import Testing

@Suite("Fetch requests that a model holds", .onEveryStore)
struct FetchTemplateTests {
  private func stack() throws -> SampleStack {
    let model = SampleStack.makeModel()
    var older = FetchRequestTemplate(name: "OlderThan", entityName: "Player")
    older.predicateFormat = "age > $AGE AND name != $NAME"
    older.sortKeys = [FetchRequestTemplate.SortKey(keyPath: "age", isAscending: false)]
    older.fetchLimit = 2
    model.fetchRequestTemplates["OlderThan"] = older
    let veterans = NSFetchedPropertyDescription()
    veterans.name = "veterans"
    var template = FetchRequestTemplate(name: "veterans", entityName: "Player")
    template.predicateFormat = "team == $FETCH_SOURCE AND age > 30"
    template.sortKeys = [FetchRequestTemplate.SortKey(keyPath: "age")]
    veterans.fetchTemplate = template
    model.entitiesByName["Team"]?.properties.append(veterans)
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      let red = stack.context.insert("Team", ["name": "Red"])
      for age in [29, 31, 33, 35] {
        stack.context.insert("Player", ["name": "p\(age)", "age": age, "team": red])
      }
      stack.context.insert("Player", ["name": "free", "age": 40])
      try stack.context.save()
    }
    return stack
  }

  @Test("run with a value for each variable")
  func variables() throws {
    let stack = try stack()
    try stack.context.performAndWait {
      let request = try #require(
        stack.model.fetchRequestFromTemplate(
          withName: "OlderThan", substitutionVariables: ["AGE": 30, "NAME": "free"]))
      let found = try stack.context.fetch(request)
      #expect(
        found.map { ($0 as? NSManagedObject)?.value(forKey: "age") as? Int } == [35, 33])
      #expect(stack.model.fetchRequestTemplate(forName: "OlderThan")?.fetchLimit == 2)
      #expect(stack.model.fetchRequestTemplate(forName: "Unknown") == nil)
      let missing = #expect(throws: (any Error).self) {
        try stack.model.fetchRequest(fromTemplate: "OlderThan", variables: ["AGE": 30])
      }
      #expect(missing?.localizedDescription.contains("NAME") == true)
      let misspelt = #expect(throws: NSError.self) {
        try stack.model.fetchRequest(fromTemplate: "OlderThn", variables: [:])
      }
      #expect(misspelt?.localizedDescription.contains("did you mean \"OlderThan\"") == true)
    }
  }

  @Test("give fetched properties their values")
  func fetchedProperty() throws {
    let stack = try stack()
    try stack.context.performAndWait {
      let team = try #require(try stack.context.all("Team").first)
      let veterans = try #require(team.value(forKey: "veterans") as? [NSManagedObject])
      #expect(veterans.map { $0.value(forKey: "age") as? Int } == [31, 33, 35])
    }
  }
}

extension FetchTemplateTests {
  @Test("are set in a model as requests, and come back with everything")
  func setting() throws {
    let model = SampleStack.makeModel()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate(
      format: "age > $AGE AND team.founded < %@", Date(timeIntervalSinceReferenceDate: 12.5))
    request.sortDescriptors = [
      NSSortDescriptor(
        key: "name", ascending: false, selector: Selector("localizedStandardCompare:"))
    ]
    request.fetchLimit = 3
    request.fetchOffset = 1
    request.fetchBatchSize = 20
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [
      "name",
      try #require(
        model.entitiesByName["Player"]?.attributesByName["age"]),
    ]
    request.returnsDistinctResults = true
    request.includesSubentities = false
    request.relationshipKeyPathsForPrefetching = ["team"]
    model.setFetchRequestTemplate(request, forName: "Young")
    #expect(model.problems.isEmpty)
    let back = try #require(model.fetchRequestTemplate(forName: "Young"))
    #expect(back.entity === model.entitiesByName["Player"])
    #expect(back.predicate == request.predicate)
    #expect(back.sortDescriptors == request.sortDescriptors)
    #expect(back.fetchLimit == 3 && back.fetchOffset == 1 && back.fetchBatchSize == 20)
    #expect(back.resultType == .dictionaryResultType)
    #expect(back.propertiesToFetch as? [String] == ["name", "age"])
    #expect(back.returnsDistinctResults && !back.includesSubentities)
    #expect(back.relationshipKeyPathsForPrefetching == ["team"])
    #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["Young"])
    model.setFetchRequestTemplate(nil, forName: "Young")
    #expect(model.fetchRequestTemplate(forName: "Young") == nil)
  }

  // Source: NSFetchedPropertyDescription.h has `fetchRequest` as a strong property: it is the one that was set.
  @Test("of a fetched property may be changed until the model is in use")
  func changingFetchedProperty() throws {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    let rookies = NSFetchedPropertyDescription()
    rookies.name = "rookies"
    rookies.fetchRequest = NSFetchRequest(entityName: "Player")
    team.properties.append(rookies)
    #expect(rookies.fetchRequest === rookies.fetchRequest)
    rookies.fetchRequest?.predicate = NSPredicate(format: "team == $FETCH_SOURCE AND age < 20")
    let copy = try #require(rookies.copy() as? NSFetchedPropertyDescription)
    copy.fetchRequest?.predicate = NSPredicate(value: false)
    #expect(copy.fetchRequest === copy.fetchRequest)
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      let red = stack.context.insert("Team", ["name": "Red"])
      let young = stack.context.insert("Player", ["age": 19, "team": red])
      stack.context.insert("Player", ["age": 40, "team": red])
      try stack.context.save()
      #expect(red.value(forKey: "rookies") as? [NSManagedObject] == [young])
      rookies.fetchRequest?.predicate = NSPredicate(value: false)
      stack.context.refreshAllObjects()
      #expect(red.value(forKey: "rookies") as? [NSManagedObject] == [young])
    }
  }

  @Test("are set in a fetched property, whose value they give")
  func settingFetchedProperty() throws {
    let model = SampleStack.makeModel()
    let team = try #require(model.entitiesByName["Team"])
    let rookies = NSFetchedPropertyDescription()
    rookies.name = "rookies"
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate(format: "team == $FETCH_SOURCE AND age < 20")
    rookies.fetchRequest = request
    team.properties.append(rookies)
    #expect(rookies.fetchRequest?.predicate == request.predicate)
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      let red = stack.context.insert("Team", ["name": "Red"])
      let young = stack.context.insert("Player", ["age": 19, "team": red])
      stack.context.insert("Player", ["age": 40, "team": red])
      try stack.context.save()
      #expect(red.value(forKey: "rookies") as? [NSManagedObject] == [young])
    }
  }

  @Test("with a predicate of code are no requests that a model can keep")
  func blocks() throws {
    let model = SampleStack.makeModel()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate { _, _ in true }
    model.setFetchRequestTemplate(request, forName: "Code")
    #expect(model.problems.map(\.kind) == [.unreadableText])
  }
}
