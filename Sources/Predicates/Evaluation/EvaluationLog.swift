/// Writes what predicates could not evaluate to a log; see ``EvaluationLog/install(_:)``.
package protocol EvaluationLogging {
  /// Makes itself the log.
  static func install()
}

/// The log of evaluations that had no result, where the signature cannot throw.
package enum EvaluationLog {
  package typealias Sink = @Sendable (String) -> Void

  /// A predicate that fails for one object mostly fails for thousands: it is logged again after
  /// this time only.
  private static let pause: UInt64 = 1_000_000_000
  private static let mostRemembered = 64

  private static let lock = NSLock()
  nonisolated(unsafe) private static var sink: Sink?
  /// When the texts that were logged last were logged, on the machine's clock.
  nonisolated(unsafe) private static var recent: [String: UInt64] = [:]

  /// Sets where lines are written; without one it is the standard error stream.
  package static func install(_ sink: @escaping Sink) { lock.withLock { self.sink = sink } }

  /// The program's logging backend is known in a module above, of which nothing may have run yet.
  private static let installation: Void = {
    (_typeByName("8CoreData3LogO") as? any EvaluationLogging.Type)?.install()
  }()

  /// Logs why a predicate or expression could not be evaluated.
  static func record(_ error: any Error, of text: @autoclosure () -> String) {
    _ = installation
    let text = shortened(text())
    let now = DispatchTime.now().uptimeNanoseconds
    let (isNew, sink) = lock.withLock { () -> (Bool, Sink?) in
      if let last = recent[text], now &- last < pause { return (false, nil) }
      if recent.count >= mostRemembered { recent = [:] }
      recent[text] = now
      return (true, self.sink)
    }
    guard isNew else { return }
    let reason = (error as? InvalidPredicateError)?.description ?? error.localizedDescription
    let line = "\(text) cannot be evaluated: \(shortened(reason))"
    if let sink { sink(line) } else { FileHandle.standardError.write(Data((line + "\n").utf8)) }
  }

  /// A text of which a line shows the beginning: predicates may have a million characters.
  private static func shortened(_ text: String) -> String {
    text.utf8.count <= 1000 ? text : text.prefix(1000) + "…"
  }
}
