import Foundation
import StoreInspection

/// Shows the progress of a long operation on one line of the terminal, as a note. Does nothing if the notes go to a file,
/// which would contain every state of the line; whether the output goes to a file does not matter.
final class ProgressBar {
  private let start = Date()
  private let isShown = Console.current.showsNotesInTerminal
  private var last = -1

  /// Shows a fraction from 0 to 1, and estimates the remaining time from the time so far.
  func show(_ fraction: Double) {
    let percent = Int(min(max(fraction, 0), 1) * 100)
    // Most reports of progress do not change the line.
    guard isShown, percent != last else { return }
    last = percent
    // The line may be shorter than the previous one, so the rest of the terminal's line is erased.
    Console.current.note(
      "\r" + Self.line(percent, seconds: -start.timeIntervalSinceNow) + "\u{1b}[K")
  }

  /// Removes the line.
  func end() {
    // This returns to the start of the line and erases it.
    if isShown, last >= 0 { Console.current.note("\r\u{1b}[K") }
  }

  static func line(_ percent: Int, seconds: TimeInterval) -> String {
    let width = 30
    let full = width * percent / 100
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
    guard percent > 0, percent < 100 else { return "[\(bar)] \(percent) %" }
    let left = Int((seconds * Double(100 - percent) / Double(percent)).rounded(.up))
    let time = left < 60 ? "\(left) s" : "\(left / 60) min \(left % 60) s"
    return "[\(bar)] \(percent) %, \(time) left "
  }
}
