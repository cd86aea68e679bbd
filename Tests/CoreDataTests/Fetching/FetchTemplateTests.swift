import CoreData
import Testing

@Suite("Fetch requests that a model holds")
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
      #expect("\(missing?.localizedDescription ?? "")".contains("NAME"))
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
