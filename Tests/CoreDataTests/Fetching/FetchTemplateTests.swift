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
    let age = try #require(model.entitiesByName["Player"]?.attributesByName["age"])
    request.propertiesToFetch = ["name", age]
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
    #expect(back.propertiesToFetch?.count == 2)
    #expect(back.propertiesToFetch?.first as? String == "name")
    #expect(back.propertiesToFetch?.last as? NSAttributeDescription === age)
    #expect(back.returnsDistinctResults && !back.includesSubentities)
    #expect(back.relationshipKeyPathsForPrefetching == ["team"])
    #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["Young"])
    model.setFetchRequestTemplate(nil, forName: "Young")
    #expect(model.fetchRequestTemplate(forName: "Young") == nil)
  }

  // Source: NSManagedObjectModel.h: `fetchRequestTemplateForName:` returns the request of that name, and
  // `fetchRequestFromTemplateWithName:substitutionVariables:` a copy of it.
  @Test("are the model's own until it is in use: a change of one is a change of the model")
  func changingInPlace() throws {
    let model = SampleStack.makeModel()
    var template = FetchRequestTemplate(name: "Named", entityName: "Player")
    template.predicateFormat = "name = 'Ann'"
    model.fetchRequestTemplates["Named"] = template
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate(format: "age > $AGE")
    model.setFetchRequestTemplate(request, forName: "Older")
    let named = try #require(model.fetchRequestTemplate(forName: "Named"))
    #expect(model.fetchRequestTemplatesByName["Named"] === named)
    #expect(model.fetchRequestTemplate(forName: "Older") === request)
    // Reading alone changes nothing.
    #expect(model.fetchRequestTemplates["Named"]?.predicateFormat == "name = 'Ann'")

    named.predicate = NSPredicate(format: "name = 'Bea'")
    model.fetchRequestTemplatesByName["Older"]?.fetchLimit = 1
    model.fetchRequestTemplate(forName: "Older")?.sortDescriptors = [
      NSSortDescriptor(key: "age", ascending: false)
    ]
    #expect(model.fetchRequestTemplates["Named"]?.predicateFormat == "name == \"Bea\"")
    let made = try #require(
      model.fetchRequestFromTemplate(withName: "Older", substitutionVariables: ["AGE": 30]))
    made.fetchLimit = 5
    #expect(model.fetchRequestTemplate(forName: "Older")?.fetchLimit == 1)

    let copy = try #require(model.copy() as? NSManagedObjectModel)
    copy.fetchRequestTemplate(forName: "Older")?.fetchLimit = 7
    #expect(copy.fetchRequestTemplate(forName: "Older")?.fetchLimit == 7)
    #expect(model.fetchRequestTemplate(forName: "Older")?.fetchLimit == 1)
    model.setFetchRequestTemplate(nil, forName: "Older")
    model.setFetchRequestTemplate(request, forName: "Older")
    #expect(request.fetchLimit == 1)
    #expect(model.problems.isEmpty)
  }

  // Apple's raises "Can't modify a named fetch request in an immutable model" (Core Data by Tutorials, chapter 4).
  @Test("are read as new requests while the model is in use")
  func readingInUse() throws {
    let model = SampleStack.makeModel()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    model.setFetchRequestTemplate(request, forName: "Older")
    model.fetchRequestTemplate(forName: "Older")?.predicate = NSPredicate(format: "age > 30")
    let stack = try SampleStack(model: model)
    request.predicate = NSPredicate(value: false)
    try stack.context.performAndWait {
      stack.context.insert("Player", ["age": 29])
      let old = stack.context.insert("Player", ["age": 31])
      try stack.context.save()
      let read = try #require(model.fetchRequestTemplate(forName: "Older"))
      #expect(try stack.context.fetch(read) as? [NSManagedObject] == [old])
      read.predicate = NSPredicate(value: false)
      let again = try #require(model.fetchRequestTemplate(forName: "Older"))
      #expect(again !== read && again !== request)
      #expect(try stack.context.fetch(again) as? [NSManagedObject] == [old])
    }
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
