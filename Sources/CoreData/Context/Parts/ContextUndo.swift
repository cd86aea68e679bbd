/// What takes a context's changes back.
struct ContextUndo {
  var manager: UndoManager?
  private(set) var recorder: UndoRecorder?
  /// Whether changes are processed that are not registered, or are being registered.
  private(set) var isRegistering = false

  @discardableResult
  mutating func record(with recorder: UndoRecorder?) -> UndoRecorder? {
    exchange(&self.recorder, with: recorder)
  }

  mutating func setRegistering(_ isRegistering: Bool) { self.isRegistering = isRegistering }
}
