/// The undo manager of a context, and its recorder.
struct ContextUndo {
  private(set) var manager: UndoManager?
  /// Records the changes to register; nil without a manager.
  private(set) var recorder: UndoRecorder?
  /// Whether pending changes are processed now without registering them: while an undo action is being registered, and
  /// inside `withoutUndo`.
  private(set) var isRegistering = false

  /// Replaces the manager and the recorder, and returns the former recorder. The caller retains the former manager.
  @discardableResult
  mutating func use(_ manager: UndoManager?, _ recorder: UndoRecorder?) -> UndoRecorder? {
    self.manager = manager
    return exchange(&self.recorder, with: recorder)
  }

  mutating func setRegistering(_ isRegistering: Bool) { self.isRegistering = isRegistering }

  /// Returns a description of an inconsistency of the manager and the recorder, or nil. Changes nothing.
  func checkInvariants() -> String? {
    if (manager == nil) != (recorder == nil) {
      return manager == nil
        ? "there is an undo recorder without a manager" : "the undo manager has no recorder"
    }
    return recorder?.checkInvariants()
  }
}
