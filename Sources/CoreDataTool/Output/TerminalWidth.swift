import Foundation
import StoreInspection

/// How wide the output is.
enum TerminalWidth {
  /// The columns that standard output shows, nil where it is not a terminal.
  ///
  /// `COLUMNS`, where it is set, wins: it is how scripts and tests ask for a width.
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
