import FixtureSupport
import Testing

@testable import CoreData

@Suite("Random walks over parents and children")
struct ChildWalkTests {
  @Test("each parent, and finally the store, has what its child saved", arguments: 0..<6)
  func walk(round: Int) throws {
    var random = SeededGenerator("child walk \(round)")
    let stack = try SampleStack(.round(round))
    let middle = ChildContextTests.child(of: stack.context)
    let chain = [stack.context, middle, ChildContextTests.child(of: middle)]
    try stack.context.performAndWait {
      for label in ["x", "y", "z"] { stack.context.insert("Tag", ["label": label]) }
      try stack.context.save()
    }
    var held: [NSManagedObject] = []
    for step in 0..<WholeRun.steps(25, whole: 60) {
      let level = Int.random(in: 0..<3, using: &random)
      let text = "step \(step) of round \(round), level \(level)"
      try chain[level].performAndWait {
        let context = chain[level]
        let before = try GraphPicture.of(context)
        for number in 0..<Int.random(in: 1...4, using: &random) {
          try GraphPicture.change(context, step * 10 + number, &random)
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
          context.rollback()
          #expect(try GraphPicture.of(context) == before, "rollback, \(text)")
          return
        }
        // Retained objects of a child must receive the permanent IDs that its parents obtain.
        held += try context.all("Player").filter { _ in Int.random(in: 0..<5, using: &random) == 0 }
        let expected = try GraphPicture.of(context)
        for above in chain[0...level].reversed() {
          try above.performAndWait {
            above.refreshAllObjects()
            try GraphPicture.expect(above, expected, "before the save of a level, \(text)")
            if Bool.random(using: &random) { try above.obtainPermanentIDs(for: above.newObjects) }
            try above.save()
            #expect(!above.hasChanges)
          }
        }
        for context in chain {
          try context.performAndWait {
            context.refreshAllObjects()
            try GraphPicture.expect(context, expected, "after the saves, \(text)")
            #expect(context.checkInvariants() == nil, "\(text)")
          }
        }
        let fresh = stack.newContext()
        try fresh.performAndWait {
          try GraphPicture.expect(fresh, expected, "in the store, \(text)")
        }
      }
      for object in held where object.managedObjectContext != nil {
        try object.managedObjectContext?.performAndWait {
          let context = try #require(object.managedObjectContext)
          #expect(!object.objectID.isTemporaryID, "\(text)")
          #expect(context.registeredObject(for: object.objectID) === object, "\(text)")
        }
      }
    }
  }
}

extension NSManagedObjectContext {
  fileprivate var newObjects: [NSManagedObject] { Array(insertedObjects) }
}
