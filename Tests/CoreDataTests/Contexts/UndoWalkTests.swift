import FixtureSupport
import Testing

@testable import CoreData

@Suite("Random undo and redo")
struct UndoWalkTests {
  @Test("every undo and redo restores the earlier graph", arguments: 0..<8)
  func walk(round: Int) throws {
    var random = SeededGenerator("undo walk \(round)")
    let stack = try StoreScope.$current.withValue(.round(round)) { try SampleStack.withUndo() }
    let context = stack.context
    let manager = try #require(context.undoManager)
    manager.groupsByEvent = false
    try context.performAndWait {
      manager.disableUndoRegistration()
      for label in ["x", "y", "z"] { context.insert("Tag", ["label": label]) }
      try context.save()
      manager.enableUndoRegistration()
      // The expected states: snapshots of the whole graph.
      var past: [[String]] = []
      var future: [[String]] = []
      var number = 0
      var present = try GraphPicture.of(context)
      for step in 0..<150 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...5:
          let count = manager.undoCount
          manager.beginUndoGrouping()
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            number += 1
            try GraphPicture.change(context, number, &random)
          }
          manager.endUndoGrouping()
          // A group without changes is not a step.
          if manager.undoCount > count {
            past.append(present)
            future = []
          }
        case 6, 7:
          manager.undo()
          if let last = past.popLast() {
            future.append(present)
            present = last
          }
          try GraphPicture.expect(context, present, "undo, step \(step) of round \(round)")
        case 8:
          manager.redo()
          if let next = future.popLast() {
            past.append(present)
            present = next
          }
          try GraphPicture.expect(context, present, "redo, step \(step) of round \(round)")
        default:
          try context.save()
          try GraphPicture.expect(
            stack.newContext(), present, "save, step \(step) of round \(round)")
        }
        present = try GraphPicture.of(context)
        #expect(context.checkInvariants() == nil, "step \(step) of round \(round)")
        #expect(manager.undoCount == past.count && manager.redoCount == future.count)
      }
      while manager.canUndo { manager.undo() }
      #expect(try GraphPicture.of(context) == [])
      while manager.canRedo { manager.redo() }
      while manager.canUndo { manager.undo() }
      try context.save()
      #expect(try stack.reading { try $0.all("Player").isEmpty })
    }
  }
}
