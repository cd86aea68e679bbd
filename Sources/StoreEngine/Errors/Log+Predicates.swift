import Logging

extension Log: EvaluationLogging {
  private static let predicate = Logger(label: "CoreData.predicate")

  /// Logs what predicates could not evaluate through the program's logging backend.
  package static func install() {
    EvaluationLog.install { predicate.error("\($0)", source: source) }
  }
}
