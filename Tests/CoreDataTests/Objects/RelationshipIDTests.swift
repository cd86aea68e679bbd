import CoreData
import Testing

/// Defects that random walks found.
@Suite("IDs of relationships")
struct RelationshipIDTests {
  @Test("The IDs of an ordered relationship have its changed order after a refresh")
  func order() throws {
    let context = try SampleStack().context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let cups = ["a", "b", "c"].map { context.insert("Trophy", ["title": $0]) }
      red.setValue(NSOrderedSet(array: cups), forKey: "trophies")
      try context.save()
      let turned = [cups[2], cups[0], cups[1]]
      red.setValue(NSOrderedSet(array: turned), forKey: "trophies")
      context.refreshAllObjects()
      #expect(red.hasFault(forRelationshipNamed: "trophies"))
      #expect(red.objectIDs(forRelationshipNamed: "trophies") == turned.map(\.objectID))
    }
  }
}
