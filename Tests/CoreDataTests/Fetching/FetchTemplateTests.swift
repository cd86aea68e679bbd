import CoreData
import Testing

@Suite("Fetch request templates of a model", .onEveryStore)
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

  @Test("can be fetched with a value for each variable")
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
      let misspelled = #expect(throws: NSError.self) {
        try stack.model.fetchRequest(fromTemplate: "OlderThn", variables: [:])
      }
      #expect(misspelled?.localizedDescription.contains("did you mean \"OlderThan\"") == true)
    }
  }

  @Test("provide the values of fetched properties")
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
  @Test("keep all properties of the request that was set")
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
  @Test("are part of a model that is not in use: changing a template changes the model")
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
    // Reading a template does not change it.
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

  // Apple's Core Data raises "Can't modify a named fetch request in an immutable model" (Core Data by Tutorials,
  // chapter 4).
  @Test("are returned as new requests while the model is in use")
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

  @Test("keep shouldRefreshRefetchedObjects, and sort descriptors that make a fetch fail")
  func refreshingAndRefusing() throws {
    let model = SampleStack.makeModel()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.shouldRefreshRefetchedObjects = true
    model.setFetchRequestTemplate(request, forName: "Fresh")
    let unsortable = [
      NSSortDescriptor(), NSSortDescriptor(key: nil, ascending: true) { _, _ in .orderedSame },
      NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame },
    ]
    for (number, descriptor) in unsortable.enumerated() {
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      request.sortDescriptors = [descriptor]
      model.setFetchRequestTemplate(request, forName: "\(number)")
    }
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait {
      let fresh = try model.fetchRequest(fromTemplate: "Fresh", variables: [:])
      #expect(fresh.shouldRefreshRefetchedObjects)
      for number in unsortable.indices {
        let request = try model.fetchRequest(fromTemplate: "\(number)", variables: [:])
        #expect(throws: NSError.self) { try stack.context.fetch(request) }
      }
    }
  }

  // Source: NSFetchedPropertyDescription.h, where `fetchRequest` is a strong property, so it returns the request that was
  // set.
  @Test("can be changed in a fetched property until the model is in use")
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

  @Test("can be set in a fetched property, and provide its value")
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

  // Source: NSManagedObjectModel.h: `fetchRequestFromTemplateWithName:substitutionVariables:` returns a copy of the
  // template with values for its variables. The copy must have the whole predicate.
  @Test("keep predicates that a format string cannot express")
  func predicatesWithoutText() throws {
    let model = SampleStack.makeModel()
    let source = try SampleStack()
    let id = try source.context.performAndWait {
      let player = source.context.insert("Player")
      try source.context.save()
      return player.objectID
    }
    func decimal(_ digits: String) -> NSExpression {
      NSExpression(forConstantValue: NSDecimalNumber(string: digits))
    }
    var deep = NSPredicate(format: "name == 'x'")
    for level in 0..<300 {
      deep = NSCompoundPredicate(
        type: level.isMultiple(of: 2) ? .and : .or,
        subpredicates: [deep, NSPredicate(format: "age == nil")])
    }
    let predicates: [NSPredicate] = [
      NSPredicate(value: true), NSPredicate(value: false), NSPredicate { _, _ in true },
      NSPredicate(format: "SELF == %@", id), NSPredicate(format: "SELF IN %@", [id]),
      NSPredicate(format: "name != %@", NSNull()),
      NSPredicate(format: "name IN %@", ["x", NSNull()] as [Any]),
      NSPredicate(format: "name != %@", ["a": 1]), deep,
      NSComparisonPredicate(
        leftExpression: decimal("12345678901234567890123456789012345678"),
        rightExpression: decimal("12345678901234567890123456789012345677"),
        modifier: .direct, type: .greaterThan),
    ]
    for (number, predicate) in predicates.enumerated() {
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      request.predicate = predicate
      model.setFetchRequestTemplate(request, forName: "\(number)")
      let property = NSFetchedPropertyDescription()
      property.name = "fetched\(number)"
      property.fetchRequest = request
      model.entitiesByName["Team"]?.properties.append(property)
    }
    #expect(model.problems.isEmpty)
    try model.validate()
    func requirePredicates() throws {
      for (number, predicate) in predicates.enumerated() {
        let made = try #require(
          model.fetchRequestFromTemplate(withName: "\(number)", substitutionVariables: [:]))
        #expect(made.predicate == predicate)
        #expect(model.fetchRequestTemplate(forName: "\(number)")?.predicate == predicate)
        let property = model.entitiesByName["Team"]?.propertiesByName["fetched\(number)"]
        let fetched = try #require(property as? NSFetchedPropertyDescription)
        #expect(fetched.fetchRequest?.predicate == predicate)
      }
    }
    try requirePredicates()
    let stack = try SampleStack(model: model)
    try requirePredicates()
    try stack.context.performAndWait {
      stack.context.insert("Player", ["name": "x"])
      try stack.context.save()
      let all = try model.fetchRequest(fromTemplate: "0", variables: [:])
      #expect(try stack.context.count(for: all) == 1)
      let precise = try model.fetchRequest(
        fromTemplate: "\(predicates.count - 1)", variables: [:])
      #expect(precise.predicate?.evaluate(with: nil) == true)
    }
  }

  @Test("accept NSNull and object IDs for their variables")
  func unusualVariables() throws {
    let stack = try stack()
    try stack.context.performAndWait {
      let id = try #require(try stack.context.all("Team").first).objectID
      for value in [NSNull(), id] as [Any] {
        let request = try stack.model.fetchRequest(
          fromTemplate: "OlderThan", variables: ["AGE": value, "NAME": "x"])
        let compound = try #require(request.predicate as? NSCompoundPredicate)
        let comparison = try #require(compound.subpredicates.first as? NSComparisonPredicate)
        #expect(
          comparison.rightExpression.constantValue is NSManagedObjectID
            == (value is NSManagedObjectID))
      }
    }
  }

  // NSPredicate.h: a block cannot be archived.
  @Test("with a block predicate work in memory, and cannot be written to a file")
  func blocks() throws {
    let model = SampleStack.makeModel()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate { _, _ in true }
    model.setFetchRequestTemplate(request, forName: "Code")
    #expect(model.problems.isEmpty)
    let error = #expect(throws: NSError.self) {
      try VersionedModel(versions: [.init(name: "m", model: model)]).json()
    }
    #expect(error?.localizedDescription.contains("Code") == true)
  }
}
