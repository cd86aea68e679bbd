import Logging

extension Log: EvaluationLogging {
  private static let predicate = Logger(label: "CoreData.predicate")

  /// Logs errors in evaluations of predicates to the program's logging backend.
  package static func install() {
    EvaluationLog.install { predicate.error("\($0)", source: source) }
  }
}
