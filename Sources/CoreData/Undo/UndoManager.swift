/// Records actions that undo a program's changes, in groups.
///
/// ```swift
/// let undoManager = UndoManager()
/// let words = NSMutableArray(array: ["old"])
/// words[0] = "new"
/// undoManager.registerUndo(withTarget: words) { $0[0] = "old" }
/// undoManager.undo()
/// ```
///
/// Use an undo manager on one thread or queue only. Use the undo manager of a context on the context's queue.
///
/// Compared to Apple's class: it does not belong to the main actor. Because not every program runs a
/// run loop, a group that was opened automatically is closed at the end of the context's `perform`
/// block or of the main queue's current work, and by `undo()` and `redo()`. Misuse for which Apple's class raises an
/// exception is logged and has no effect: `endUndoGrouping()` without a group, `undo()` inside nested groups. An action
/// registered without an open group while `groupsByEvent` is off gets a group of its own. Targets are held weakly; an
/// action whose target is gone does nothing.
nonisolated open class UndoManager: NSObject, @unchecked Sendable {
  /// Whether a group is opened automatically if none is open. Defaults to `true`.
  open var groupsByEvent = true
  /// The maximum number of groups to keep; 0 for no limit.
  ///
  /// ```swift
  /// let manager = UndoManager()
  /// manager.levelsOfUndo = 50
  /// context.undoManager = manager
  /// ```
  open var levelsOfUndo = 0 { didSet { trim() } }
  /// Exists for source compatibility. No run loop is used.
  open var runLoopModes: [RunLoop.Mode] = [.default]

  private var undoStack: [UndoGroup] = []
  private var redoStack: [UndoGroup] = []
  private var openGroups: [UndoGroup] = []
  private var isOpenedByEvent = false
  private var disableCount = 0
  private var state = State.normal
  /// The clients, which register their pending changes before a group is opened, closed or undone.
  private var clients: [WeakClient] = []

  private enum State { case normal, undoing, redoing }
  private struct WeakClient { weak var client: (any UndoManagerClient)? }

  /// Creates an undo manager without actions.
  public override init() { super.init() }

  // MARK: Registering

  /// Registers an action that undoes a change.
  ///
  /// During an undo, registers it for redo. Outside of undo and redo, removes all actions that could be redone. Does
  /// nothing while registration is disabled.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) {
    register(
      UndoAction(target: target) { [weak target] in
        if let target { handler(target) }
      })
  }

  private func register(_ action: UndoAction) {
    guard isUndoRegistrationEnabled else { return }
    if state == .normal { redoStack.removeAll() }
    if openGroups.isEmpty {
      if groupsByEvent {
        openEventGroup()
      } else {
        Log.contextNotice(
          "an undo action was registered without beginUndoGrouping(): it gets a group of its own")
        openGroup()
        openGroups[openGroups.count - 1].actions.append(action)
        return closeGroup()
      }
    }
    openGroups[openGroups.count - 1].actions.append(action)
  }

  private func openEventGroup() {
    openGroup()
    isOpenedByEvent = true
    // On other threads, the end of the context's `perform` block closes the group.
    guard Thread.isMainThread else { return }
    let event = EventEnd(manager: self)
    DispatchQueue.main.async { event.manager?.endEvent() }
  }

  private struct EventEnd: @unchecked Sendable { weak var manager: UndoManager? }

  /// Closes the group that was opened automatically, unless the program has opened a nested one.
  package func endEvent() {
    // With more than one open group, the program has to close those that it opened.
    if isOpenedByEvent, openGroups.count == 1, state == .normal { endUndoGrouping() }
  }

  /// Whether registration is enabled.
  open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

  /// Disables registration. Calls may be nested.
  ///
  /// ```swift
  /// let manager = UndoManager()
  /// context.undoManager = manager
  /// manager.disableUndoRegistration()
  /// person.displayOrder = 7
  /// context.processPendingChanges()
  /// manager.enableUndoRegistration()
  /// print(manager.canUndo)  // false
  /// ```
  open func disableUndoRegistration() { disableCount += 1 }

  /// Reverts one call to `disableUndoRegistration()`.
  open func enableUndoRegistration() {
    if disableCount == 0 {
      Log.contextNotice(
        "enableUndoRegistration() was called without disableUndoRegistration(): it is ignored")
    } else {
      disableCount -= 1
    }
  }

  // MARK: Groups

  /// The number of open groups.
  open var groupingLevel: Int { openGroups.count }

  /// Opens a group, nested in the current one.
  ///
  /// ```swift
  /// let manager = UndoManager()
  /// context.undoManager = manager
  /// manager.beginUndoGrouping()
  /// person.age = 37
  /// player.age = 22
  /// manager.endUndoGrouping()
  /// manager.undo()
  /// print(person.age, player.age)  // 36 21
  /// ```
  open func beginUndoGrouping() {
    checkpoint()
    if openGroups.isEmpty, groupsByEvent { openEventGroup() }
    openGroup()
  }

  private func openGroup() {
    openGroups.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Closes the current group. A nested group becomes an action of the outer one.
  open func endUndoGrouping() {
    checkpoint()
    if openGroups.isEmpty {
      return Log.contextNotice(
        "endUndoGrouping() was called without beginUndoGrouping(): it is ignored")
    }
    closeGroup()
  }

  private func closeGroup() {
    post(.NSUndoManagerWillCloseUndoGroup)
    let group = openGroups.removeLast()
    if let outer = openGroups.indices.last {
      if !group.isEmpty {
        openGroups[outer].actions.append(UndoAction(nested: group))
        if openGroups[outer].name.isEmpty { openGroups[outer].name = group.name }
      }
    } else {
      isOpenedByEvent = false
      if !group.isEmpty {
        if state == .undoing { redoStack.append(group) } else { undoStack.append(group) }
        trim()
      }
    }
    post(.NSUndoManagerDidCloseUndoGroup)
  }

  private func trim() {
    guard levelsOfUndo > 0 else { return }
    undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
    redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
  }

  // MARK: Undo and redo

  /// Forgets the actions that could be redone. Call it after undoing the changes of an operation that failed.
  package func forgetRedo() { redoStack.removeAll() }

  /// Whether there are actions to undo.
  open var canUndo: Bool {
    // Pending changes of a context can be undone as well, once they are registered.
    checkpoint()
    return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
  }
  /// Whether there are actions to redo.
  open var canRedo: Bool {
    checkpoint()
    return !redoStack.isEmpty
  }
  /// Whether an undo is running.
  open var isUndoing: Bool { state == .undoing }
  /// Whether a redo is running.
  open var isRedoing: Bool { state == .redoing }
  /// The number of groups that can be undone.
  open var undoCount: Int { undoStack.count }
  /// The number of groups that can be redone.
  open var redoCount: Int { redoStack.count }

  /// Closes the open group, if there is one, and undoes the last group. Does nothing inside nested groups or in an
  /// undo or redo action.
  open func undo() {
    checkpoint()
    if state == .normal, openGroups.count == 1 { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last group. Does nothing if a group is open, or in an undo or redo action.
  open func undoNestedGroup() {
    checkpoint()
    guard state == .normal else {
      return Log.contextNotice("undo was called by an undo or redo action: it is ignored")
    }
    guard openGroups.isEmpty else {
      return Log.contextNotice(
        "undo was called while undo groups are open: it is ignored; call endUndoGrouping() first")
    }
    guard let group = undoStack.popLast() else { return }
    run(group, as: .undoing, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
  }

  /// Closes the group that was opened automatically, if there is one, and redoes the last undone group. Does nothing if
  /// another group is open, or in an undo or redo action.
  open func redo() {
    checkpoint()
    endEvent()
    guard state == .normal, openGroups.isEmpty, let group = redoStack.popLast() else { return }
    run(group, as: .redoing, .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange)
  }

  private func run(
    _ group: UndoGroup, as state: State, _ will: NSNotification.Name, _ did: NSNotification.Name
  ) {
    post(will)
    self.state = state
    openGroup()
    // The actions that this group collects revert the actions of `group`, so it has the same name and user info.
    openGroups[0].name = group.name
    openGroups[0].userInfo = group.userInfo
    openGroups[0].isDiscardable = group.isDiscardable
    group.run()
    checkpoint()
    // The actions may have opened groups without closing them.
    while !openGroups.isEmpty { closeGroup() }
    self.state = .normal
    post(did)
  }

  /// Forgets all actions, and enables registration again if it was disabled.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// person.age = 37
  /// try context.save()
  /// context.undoManager?.removeAllActions()
  /// print(context.undoManager?.canUndo ?? true)  // false
  /// ```
  open func removeAllActions() {
    undoStack.removeAll()
    redoStack.removeAll()
    for index in openGroups.indices { openGroups[index].actions.removeAll() }
    // The group is empty now, so closing it adds nothing that could be undone.
    if isOpenedByEvent, openGroups.count == 1 { closeGroup() }
    disableCount = 0
  }

  /// Forgets the actions of a target.
  ///
  /// ```swift
  /// let manager = UndoManager()
  /// let words = NSMutableArray(array: ["new"])
  /// manager.registerUndo(withTarget: words) { $0[0] = "old" }
  /// manager.removeAllActions(withTarget: words)
  /// print(manager.canUndo)  // false
  /// ```
  open func removeAllActions(withTarget target: Any) {
    let target = ObjectIdentifier(target as AnyObject)
    for index in undoStack.indices { undoStack[index].remove(target) }
    for index in redoStack.indices { redoStack[index].remove(target) }
    for index in openGroups.indices { openGroups[index].remove(target) }
    undoStack.removeAll(where: \.isEmpty)
    redoStack.removeAll(where: \.isEmpty)
  }

  // MARK: The next undo and redo

  /// The group that the next undo reverts, which may be open.
  var nextUndo: UndoGroup? { openGroups.last { !$0.isEmpty } ?? undoStack.last }
  /// The group that the next redo applies again.
  var nextRedo: UndoGroup? { redoStack.last }

  /// Lets a closure change the innermost open group, or the last closed one if none is open.
  func withPresentGroup(_ body: (inout UndoGroup) -> Void) {
    if !openGroups.isEmpty {
      body(&openGroups[openGroups.count - 1])
    } else if !undoStack.isEmpty {
      body(&undoStack[undoStack.count - 1])
    }
  }

  // MARK: Checkpoints

  func add(_ client: any UndoManagerClient) {
    clients.removeAll { $0.client == nil || $0.client === client }
    clients.append(WeakClient(client: client))
  }

  func remove(_ client: any UndoManagerClient) {
    clients.removeAll { $0.client == nil || $0.client === client }
  }

  private func checkpoint() {
    for client in clients.compactMap(\.client) { client.registerPendingChanges() }
    post(.NSUndoManagerCheckpoint)
  }

  private func post(_ name: NSNotification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}

/// An object that collects changes, and registers them as one action at a checkpoint.
protocol UndoManagerClient: AnyObject {
  func registerPendingChanges()
}
