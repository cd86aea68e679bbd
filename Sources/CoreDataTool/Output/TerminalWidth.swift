import Foundation
import StoreInspection

enum TerminalWidth {
  /// The number of columns of standard output; nil if it is not a terminal.
  ///
  /// `COLUMNS` takes precedence if it is set: scripts and tests use it to choose a width.
  static func current(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Int? {
    if let text = environment["COLUMNS"], let columns = Int(text), columns > 0 { return columns }
    #if os(Windows)
      return nil
    #else
      var size = winsize()
      guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
      return Int(size.ws_col)
    #endif
  }
}
