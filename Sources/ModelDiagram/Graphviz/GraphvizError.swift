import Foundation

/// The reason why Graphviz could not lay out a diagram.
package enum GraphvizError: Error, Equatable, LocalizedError {
  /// No program `dot` is on the search path.
  case notInstalled
  /// Graphviz did not finish within the time limit.
  case timedOut(seconds: Double)
  /// Graphviz failed with an error message.
  case failed(String)
  /// The output of Graphviz is invalid.
  case unreadable

  package var errorDescription: String? {
    switch self {
    case .notInstalled: "Graphviz is not installed: there is no 'dot' on the PATH"
    case .timedOut(let seconds):
      "Graphviz did not finish within \(Int(seconds.rounded())) seconds"
    case .failed(let reason):
      reason.isEmpty ? "Graphviz failed" : "Graphviz failed: \(reason)"
    case .unreadable: "the output of Graphviz is invalid"
    }
  }
}
