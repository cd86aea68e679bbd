/// Stops the program when a description that is already in use is about to change, also in optimised
/// builds.
///
/// A store, a context and their layouts are built from the model once; a later change would silently
/// disagree with them. The sentence is Apple's.
func requireMutable(_ isImmutable: Bool, _ subject: @autoclosure () -> String = "") {
  guard isImmutable else { return }
  let subject = subject()
  stopProgram(
    "Can't modify an immutable model\(subject.isEmpty ? "" : " (\(subject))"). A coordinator uses it;"
      + " take a copy, and change that.")
}
