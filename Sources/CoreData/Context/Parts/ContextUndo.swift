/// The undo manager of a context, and its recorder.
struct ContextUndo {
  var manager: UndoManager?
  private(set) var recorder: UndoRecorder?
  /// Whether changes processed now are not recorded, because an undo registers them or they are excluded.
  private(set) var isRegistering = false

  @discardableResult
  mutating func record(with recorder: UndoRecorder?) -> UndoRecorder? {
    exchange(&self.recorder, with: recorder)
  }

  mutating func setRegistering(_ isRegistering: Bool) { self.isRegistering = isRegistering }
}
