import CoreData
import Testing

extension SampleStack {
  /// Returns a stack whose context has an undo manager.
  static func withUndo(model: NSManagedObjectModel = makeModel()) throws -> SampleStack {
    let stack = try SampleStack(model: model)
    stack.context.undoManager = UndoManager()
    return stack
  }
}

extension NSManagedObjectContext {
  /// Ends the current undo step, and removes all recorded actions.
  @discardableResult
  func forgetSteps() throws -> UndoManager {
    processPendingChanges()
    let manager = try #require(undoManager)
    manager.removeAllActions()
    return manager
  }
}
