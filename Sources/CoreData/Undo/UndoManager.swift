/// Remembers how to take back what a program did, group by group.
///
/// ```swift
/// let undoManager = UndoManager()
/// let words = NSMutableArray(array: ["old"])
/// words[0] = "new"
/// undoManager.registerUndo(withTarget: words) { $0[0] = "old" }
/// undoManager.undo()
/// ```
///
/// An undo manager belongs to the thread or queue of those who use it; a context's to the context's
/// queue.
///
/// Compared to Apple's: it is not the main actor's, whose isolation makes Apple's `Sendable`. There is no run loop that every program passes through. A group that is
/// opened by event is closed when the context's `perform` block or the main queue's present work
/// ends, and by `undo()`. Misuse that raises there (`endUndoGrouping()` without a group, a
/// registration with no group open and `groupsByEvent` off, `undo()` inside nested groups) is
/// logged and does no harm. Targets are held weakly: an action whose target is gone is passed over.
nonisolated open class UndoManager: NSObject, @unchecked Sendable {
  /// Whether a group is opened by itself when there is none; true.
  open var groupsByEvent = true
  /// How many groups are kept at most; 0 means all.
  open var levelsOfUndo = 0 { didSet { trim() } }
  /// Kept for source compatibility; no run loop is waited for.
  open var runLoopModes: [RunLoop.Mode] = [.default]

  private var undoStack: [UndoGroup] = []
  private var redoStack: [UndoGroup] = []
  private var openGroups: [UndoGroup] = []
  private var isOpenedByEvent = false
  private var disableCount = 0
  private var state = State.normal
  /// Who has changes to register before a group is opened, closed or undone.
  private var clients: [WeakClient] = []

  private enum State { case normal, undoing, redoing }
  private struct WeakClient { weak var client: (any UndoManagerClient)? }

  /// Makes an undo manager without actions.
  public override init() { super.init() }

  // MARK: Registering

  /// Registers what takes a change back.
  ///
  /// While undoing, it is registered for redo; otherwise nothing is left to redo.
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
        Log.contextNotice("must begin a group before registering undo; the action is its own group")
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
    guard Thread.isMainThread else { return }
    let event = EventEnd(manager: self)
    DispatchQueue.main.async { event.manager?.endEvent() }
  }

  private struct EventEnd: @unchecked Sendable { weak var manager: UndoManager? }

  /// Closes the group that was opened by event.
  package func endEvent() {
    if isOpenedByEvent, openGroups.count == 1, state == .normal { endUndoGrouping() }
  }

  /// Whether actions are registered.
  open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

  /// From here on nothing is registered; may be nested.
  open func disableUndoRegistration() { disableCount += 1 }

  /// Takes one `disableUndoRegistration()` back.
  open func enableUndoRegistration() {
    if disableCount == 0 {
      Log.contextNotice("enableUndoRegistration() without disableUndoRegistration()")
    } else {
      disableCount -= 1
    }
  }

  // MARK: Groups

  /// How many groups are open.
  open var groupingLevel: Int { openGroups.count }

  /// Opens a group, inside the one that is open.
  open func beginUndoGrouping() {
    checkpoint()
    if openGroups.isEmpty, groupsByEvent { openEventGroup() }
    openGroup()
  }

  private func openGroup() {
    openGroups.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Closes the group that was opened last. What is in a nested one goes into the one around it.
  open func endUndoGrouping() {
    checkpoint()
    if openGroups.isEmpty {
      return Log.contextNotice("endUndoGrouping() without beginUndoGrouping()")
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

  /// Forgets what could be redone: what was taken back because it went wrong is nothing to come back to.
  package func forgetRedo() { redoStack.removeAll() }

  /// Whether there is something to undo.
  open var canUndo: Bool {
    checkpoint()
    return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
  }
  /// Whether there is something to redo.
  open var canRedo: Bool {
    checkpoint()
    return !redoStack.isEmpty
  }
  /// Whether an undo is under way.
  open var isUndoing: Bool { state == .undoing }
  /// Whether a redo is under way.
  open var isRedoing: Bool { state == .redoing }
  /// How many groups there are to undo.
  open var undoCount: Int { undoStack.count }
  /// How many groups there are to redo.
  open var redoCount: Int { redoStack.count }

  /// Closes the group that is open, and takes the last one back.
  open func undo() {
    checkpoint()
    if openGroups.count == 1 { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Takes the last group back. No group may be open.
  open func undoNestedGroup() {
    checkpoint()
    guard state == .normal, openGroups.isEmpty else {
      return Log.contextNotice("undo was called with too many nested undo groups")
    }
    guard let group = undoStack.popLast() else { return }
    run(group, as: .undoing, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
  }

  /// Does again what was taken back last.
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
    openGroups[0].name = group.name
    openGroups[0].userInfo = group.userInfo
    openGroups[0].isDiscardable = group.isDiscardable
    group.run()
    checkpoint()
    while !openGroups.isEmpty { closeGroup() }
    self.state = .normal
    post(did)
  }

  /// Forgets all actions, and registers again if that was disabled.
  open func removeAllActions() {
    undoStack.removeAll()
    redoStack.removeAll()
    for index in openGroups.indices { openGroups[index].actions.removeAll() }
    if isOpenedByEvent, openGroups.count == 1 { closeGroup() }
    disableCount = 0
  }

  /// Forgets the actions of a target.
  open func removeAllActions(withTarget target: Any) {
    let target = ObjectIdentifier(target as AnyObject)
    for index in undoStack.indices { undoStack[index].remove(target) }
    for index in redoStack.indices { redoStack[index].remove(target) }
    for index in openGroups.indices { openGroups[index].remove(target) }
    undoStack.removeAll(where: \.isEmpty)
    redoStack.removeAll(where: \.isEmpty)
  }

  // MARK: What the next undo and redo are

  /// The group that the next undo takes back; an open one counts.
  var nextUndo: UndoGroup? { openGroups.last { !$0.isEmpty } ?? undoStack.last }
  /// The group that the next redo does again.
  var nextRedo: UndoGroup? { redoStack.last }

  /// Changes the group that is open, or else the last one.
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

/// Has changes that are registered when they are looked at together.
protocol UndoManagerClient: AnyObject {
  func registerPendingChanges()
}
