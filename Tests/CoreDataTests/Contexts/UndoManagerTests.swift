import CoreData
import Testing

/// Source: Apple's "UndoManager" page.
@Suite("Undo manager")
struct UndoManagerTests {
  final class Counter {
    let manager = UndoManager()
    var value = 0 {
      didSet { manager.registerUndo(withTarget: self) { $0.value = oldValue } }
    }
  }

  @Test("explicit groups nest, and are undone and redone as one")
  func groups() {
    let counter = Counter()
    let manager = counter.manager
    manager.groupsByEvent = false
    manager.beginUndoGrouping()
    counter.value = 1
    manager.beginUndoGrouping()
    counter.value = 2
    #expect(manager.groupingLevel == 2)
    manager.endUndoGrouping()
    counter.value = 3
    manager.setActionName("Count")
    manager.endUndoGrouping()
    #expect(manager.undoCount == 1 && manager.undoMenuItemTitle == "Undo Count")
    manager.undo()
    #expect(counter.value == 0 && !manager.canUndo && manager.canRedo)
    #expect(manager.redoActionName == "Count" && manager.undoMenuItemTitle == "Undo")
    manager.redo()
    #expect(counter.value == 3)
  }

  @Test("a group by event is closed by undo")
  func byEvent() {
    let counter = Counter()
    counter.value = 1
    counter.value = 2
    #expect(counter.manager.groupingLevel == 1 && counter.manager.canUndo)
    counter.manager.undo()
    #expect(counter.value == 0 && counter.manager.groupingLevel == 0)
    counter.manager.redo()
    #expect(counter.value == 2)
  }

  @Test("undo and redo in an action are ignored, and its other changes are redone as one")
  func undoInAction() {
    let counter = Counter()
    let manager = counter.manager
    counter.value = 1
    manager.registerUndo(withTarget: counter) { counter in
      counter.value = 5
      counter.manager.undo()
      counter.manager.redo()
      counter.value = 6
    }
    manager.undo()
    #expect(counter.value == 0 && manager.redoCount == 1 && manager.undoCount == 0)
    manager.redo()
    #expect(counter.value == 1 && !manager.canRedo)
  }

  @Test("levelsOfUndo, disabled registration and removal apply, and a new action clears redo")
  func limits() {
    let counter = Counter()
    let manager = counter.manager
    manager.groupsByEvent = false
    manager.levelsOfUndo = 2
    for value in 1...4 {
      manager.beginUndoGrouping()
      counter.value = value
      manager.endUndoGrouping()
    }
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(counter.value == 3)
    manager.disableUndoRegistration()
    counter.value = 8
    #expect(!manager.isUndoRegistrationEnabled && manager.canRedo)
    manager.enableUndoRegistration()
    manager.beginUndoGrouping()
    counter.value = 9
    manager.endUndoGrouping()
    #expect(!manager.canRedo && manager.undoCount == 2)
    manager.removeAllActions(withTarget: counter)
    #expect(!manager.canUndo)
    counter.value = 1
    manager.removeAllActions()
    #expect(!manager.canUndo && !manager.canRedo)
  }

  @Test("misuse that raises in Apple's Foundation has no effect")
  func misuse() {
    let counter = Counter()
    let manager = counter.manager
    manager.endUndoGrouping()
    manager.enableUndoRegistration()
    manager.groupsByEvent = false
    counter.value = 1
    #expect(manager.undoCount == 1)
    manager.beginUndoGrouping()
    manager.beginUndoGrouping()
    manager.undo()
    #expect(counter.value == 1)
    manager.endUndoGrouping()
    manager.endUndoGrouping()
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test("notifications are posted in order around an undo")
  func notifications() {
    let counter = Counter()
    counter.value = 1
    let recorders = Recorder(
      [
        .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerDidOpenUndoGroup,
        .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
      ], of: counter.manager)
    counter.manager.undo()
    let names = recorders.notifications.map(\.name.rawValue)
    #expect(
      names.map { $0.replacing("NSUndoManager", with: "").replacing("Notification", with: "") } == [
        "WillCloseUndoGroup", "DidCloseUndoGroup", "WillUndoChange", "DidOpenUndoGroup",
        "WillCloseUndoGroup", "DidCloseUndoGroup", "DidUndoChange",
      ])
  }
}
