import Foundation
import StoreInspection

enum TerminalWidth {
  /// Returns the number of columns of the terminal; nil if standard output is not a terminal.
  ///
  /// The environment variable `COLUMNS` takes precedence: scripts and tests set it to choose a width.
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
