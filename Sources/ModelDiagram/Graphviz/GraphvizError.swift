import Foundation

/// Why Graphviz has not placed a diagram.
package enum GraphvizError: Error, Equatable, LocalizedError {
  /// No program `dot` is on the search path.
  case notInstalled
  /// It took longer than allowed.
  case tookTooLong(seconds: Double)
  /// It ended with an error; what it said.
  case failed(String)
  /// What it wrote is not understood.
  case unreadable

  package var errorDescription: String? {
    switch self {
    case .notInstalled: "Graphviz is not installed: there is no 'dot' on the PATH"
    case .tookTooLong(let seconds):
      "Graphviz had not finished after \(Int(seconds.rounded())) seconds"
    case .failed(let reason):
      reason.isEmpty ? "Graphviz failed" : "Graphviz failed: \(reason)"
    case .unreadable: "the output of Graphviz was not understood"
    }
  }
}
