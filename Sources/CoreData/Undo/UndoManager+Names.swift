extension NSNotification.Name {
  /// Posted before `beginUndoGrouping()` opens a group, before `endUndoGrouping()` closes one, before an undo or redo,
  /// after the actions of an undo or redo have run, and by `canUndo` and `canRedo`.
  public static let NSUndoManagerCheckpoint = NSNotification.Name(
    "NSUndoManagerCheckpointNotification")
  /// Posted before an undo.
  public static let NSUndoManagerWillUndoChange = NSNotification.Name(
    "NSUndoManagerWillUndoChangeNotification")
  /// Posted before a redo.
  public static let NSUndoManagerWillRedoChange = NSNotification.Name(
    "NSUndoManagerWillRedoChangeNotification")
  /// Posted after an undo.
  public static let NSUndoManagerDidUndoChange = NSNotification.Name(
    "NSUndoManagerDidUndoChangeNotification")
  /// Posted after a redo.
  public static let NSUndoManagerDidRedoChange = NSNotification.Name(
    "NSUndoManagerDidRedoChangeNotification")
  /// Posted after a group was opened.
  public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
    "NSUndoManagerDidOpenUndoGroupNotification")
  /// Posted before a group is closed.
  public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerWillCloseUndoGroupNotification")
  /// Posted after a group was closed.
  public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerDidCloseUndoGroupNotification")
}

extension UndoManager {
  /// Names the innermost open group, or the last closed group if none is open.
  ///
  /// ```swift
  /// let manager = UndoManager()
  /// context.undoManager = manager
  /// person.age = 37
  /// context.processPendingChanges()
  /// manager.setActionName("Change Age")
  /// print(manager.undoMenuItemTitle)  // Undo Change Age
  /// ```
  public func setActionName(_ actionName: String) { withPresentGroup { $0.name = actionName } }

  /// The name of the group that the next undo reverts; empty if there is no such group or it has no
  /// name.
  public var undoActionName: String { nextUndo?.name ?? "" }
  /// The name of the group that the next redo applies again; empty if there is no such group or it
  /// has no name.
  public var redoActionName: String { nextRedo?.name ?? "" }

  /// The title of the Undo menu item: "Undo", followed by the name of the action.
  public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
  /// The title of the Redo menu item: "Redo", followed by the name of the action.
  public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// Returns the title of a menu item that undoes an action with a name.
  ///
  /// ```swift
  /// print(UndoManager().undoMenuTitle(forUndoActionName: "Rename"))  // Undo Rename
  /// ```
  public func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// Returns the title of a menu item that redoes an action with a name.
  public func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  /// Sets whether the changes of the innermost open group, or of the last closed group if none is open, may be lost if
  /// a document cannot be saved.
  public func setActionIsDiscardable(_ discardable: Bool) {
    withPresentGroup { $0.isDiscardable = discardable }
  }

  /// Whether the next undo reverts a discardable group.
  public var undoActionIsDiscardable: Bool { nextUndo?.isDiscardable ?? false }
  /// Whether the next redo applies a discardable group again.
  public var redoActionIsDiscardable: Bool { nextRedo?.isDiscardable ?? false }

  /// Stores a value in the user info of the innermost open group, or of the last closed group if none is open.
  ///
  /// ```swift
  /// let manager = UndoManager()
  /// manager.registerUndo(withTarget: person) { $0.age = 36 }
  /// manager.setActionUserInfoValue(3, forKey: "page")
  /// print(manager.undoActionUserInfoValue(forKey: "page") as? Int ?? 0)  // 3
  /// ```
  public func setActionUserInfoValue(_ value: Any?, forKey key: String) {
    withPresentGroup { $0.userInfo[key] = value }
  }

  /// Returns a user info value of the group that the next undo reverts; nil if there is no such group or value. A
  /// number is returned as an `NSNumber`.
  public func undoActionUserInfoValue(forKey key: String) -> Any? {
    BridgedValue.bridgedNumber(nextUndo?.userInfo[key])
  }
  /// Returns a user info value of the group that the next redo applies again; nil if there is no such group or value. A
  /// number is returned as an `NSNumber`.
  public func redoActionUserInfoValue(forKey key: String) -> Any? {
    BridgedValue.bridgedNumber(nextRedo?.userInfo[key])
  }
}
