/// Stops the program if a description is about to change although it is in use, even in optimized builds.
///
/// Stores, contexts and layouts are created from the model once; a later change would silently
/// contradict them. The first words of the message are Apple's.
func requireMutable(_ isImmutable: Bool, _ subject: @autoclosure () -> String = "") {
  guard isImmutable else { return }
  let subject = subject()
  stopProgram(
    "Can't modify an immutable model\(subject.isEmpty ? "" : " (\(subject))"). A coordinator uses it;"
      + " copy it and change the copy.")
}
