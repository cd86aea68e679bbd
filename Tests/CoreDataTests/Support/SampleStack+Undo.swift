import CoreData
import Testing

extension SampleStack {
  /// A stack whose context has an undo manager.
  static func withUndo(model: NSManagedObjectModel = makeModel()) throws -> SampleStack {
    let stack = try SampleStack(model: model)
    stack.context.undoManager = UndoManager()
    return stack
  }
}

extension NSManagedObjectContext {
  /// Ends the step that goes on, and forgets what was done so far.
  @discardableResult
  func forgetSteps() throws -> UndoManager {
    processPendingChanges()
    let manager = try #require(undoManager)
    manager.removeAllActions()
    return manager
  }
}
