import CoreData
import Testing

// Apple's page for UndoManager: undo groups may be nested, and no limit is documented.

@Suite("Deep undo groups")
struct DeepUndoTests {
  private static let depth = 100_000

  /// Nests groups, and registers an action in each before its inner group opens and another after it closes.
  private func nest(_ manager: UndoManager, _ target: Counter) {
    for level in 0..<Self.depth {
      manager.beginUndoGrouping()
      manager.registerUndo(withTarget: target) { $0.record(level) }
    }
    for level in 0..<Self.depth {
      manager.registerUndo(withTarget: target) { $0.record(Self.depth + level) }
      manager.endUndoGrouping()
    }
  }

  @Test func `Groups nested 100,000 deep are undone in reverse order, and removed`() throws {
    try onSmallStack {
      let manager = UndoManager()
      manager.groupsByEvent = false
      let target = Counter()
      nest(manager, target)
      manager.undoNestedGroup()
      #expect(target.seen == Array((0..<2 * Self.depth).reversed()))
      #expect(!manager.canUndo)
      target.seen = []
      nest(manager, target)
      manager.removeAllActions()
      #expect(!manager.canUndo)
      manager.undoNestedGroup()
      #expect(target.seen.isEmpty)
    }
  }

  @Test func `What an undo registers in groups nested 100,000 deep is redone`() throws {
    try onSmallStack {
      let manager = UndoManager()
      manager.groupsByEvent = false
      let target = Counter()
      let outer = Counter()
      manager.beginUndoGrouping()
      manager.registerUndo(withTarget: outer) { [unowned manager] outer in
        // The inverse actions are nested as deeply.
        nest(manager, target)
        outer.record(1)
      }
      manager.endUndoGrouping()
      manager.undoNestedGroup()
      #expect(outer.seen == [1] && target.seen.isEmpty && manager.canRedo && !manager.canUndo)
      manager.redo()
      #expect(target.seen == Array((0..<2 * Self.depth).reversed()) && !manager.canRedo)
    }
  }

  @Test func `The actions of one target are removed from groups nested 100,000 deep`() throws {
    try onSmallStack {
      let manager = UndoManager()
      manager.groupsByEvent = false
      let (target, other) = (Counter(), Counter())
      manager.beginUndoGrouping()
      manager.registerUndo(withTarget: other) { $0.record(1) }
      nest(manager, target)
      manager.endUndoGrouping()
      manager.removeAllActions(withTarget: target)
      #expect(manager.canUndo)
      manager.undoNestedGroup()
      #expect(other.seen == [1] && target.seen.isEmpty)
      nest(manager, target)
      manager.removeAllActions(withTarget: target)
      #expect(!manager.canUndo)
    }
  }
}

private final class Counter {
  var seen: [Int] = []
  func record(_ number: Int) { seen.append(number) }
}
