import CoreData
import Testing

@Suite("Deep hierarchies of entities")
struct DeepHierarchyTests {
  @Test func `A deep hierarchy of entities is copied and released without recursion`() throws {
    try onSmallStack {
      let root = NSEntityDescription()
      root.name = "E0"
      var last = root
      for number in 1..<100_000 {
        let entity = NSEntityDescription()
        entity.name = "E\(number)"
        last.subentities = [entity]
        last = entity
      }
      weak var end: NSEntityDescription?
      var copy = root.copy() as? NSEntityDescription
      var below = try #require(copy)
      while let next = below.subentities.first { below = next }
      #expect(below.name == "E99999" && below !== last)
      end = below
      below = root
      copy = nil
      #expect(end == nil && copy == nil)
    }
  }
}
