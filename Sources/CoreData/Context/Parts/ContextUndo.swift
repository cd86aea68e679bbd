/// The undo manager of a context, and its recorder.
struct ContextUndo {
  var manager: UndoManager?
  private(set) var recorder: UndoRecorder?
  /// Whether pending changes are processed now without registering them: while an undo action is being registered, and
  /// inside `withoutUndo`.
  private(set) var isRegistering = false

  @discardableResult
  mutating func record(with recorder: UndoRecorder?) -> UndoRecorder? {
    exchange(&self.recorder, with: recorder)
  }

  mutating func setRegistering(_ isRegistering: Bool) { self.isRegistering = isRegistering }
}
