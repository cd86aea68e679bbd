/// Collects the output of a writer.
final class OutputRecorder {
  private(set) var text = ""

  func write(_ part: String) {
    text += part
  }

  /// The lines without their line ends.
  var lines: [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
