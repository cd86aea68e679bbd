import CoreData
import Testing

@Suite("Derived attributes")
struct DerivedAttributeTests {
  @Test("are computed by the store and there to be read after the save")
  func count() throws {
    let model = SampleStack.makeModel()
    let count = NSDerivedAttributeDescription()
    count.name = "playerCount"
    count.attributeType = .integer64AttributeType
    count.derivationExpression = NSExpression(format: "count:(players)")
    model.entitiesByName["Team"]?.properties.append(count)
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let ann = context.insert("Player", ["name": "Ann", "team": red])
      context.insert("Player", ["name": "Bob", "team": red])
      #expect(red.value(forKey: "playerCount") == nil)
      try context.save()
      #expect(red.value(forKey: "playerCount") as? Int == 2)
      #expect(try context.all("Team", "playerCount == 2").count == 1)
      context.delete(ann)
      try context.save()
      #expect(red.value(forKey: "playerCount") as? Int == 1)
    }
  }
}
