/// A type in a module above this one that logs predicates that could not be evaluated.
package protocol EvaluationLogging {
  /// Calls ``EvaluationLog/install(_:)`` with the function that logs.
  static func install()
}

/// The log of failed evaluations, for methods whose signatures cannot throw.
package enum EvaluationLog {
  package typealias Sink = @Sendable (String) -> Void

  /// The minimum time between two log lines for the same predicate, because a predicate that fails for one
  /// object usually fails for thousands.
  private static let pause: UInt64 = 1_000_000_000
  private static let mostRemembered = 64

  private static let lock = NSLock()
  nonisolated(unsafe) private static var sink: Sink?
  /// The times of the last log lines by the predicate's text, in nanoseconds of uptime.
  nonisolated(unsafe) private static var recent: [String: UInt64] = [:]

  /// Sets the function that writes lines. Without such a function, lines are written to the
  /// standard error stream.
  package static func install(_ sink: @escaping Sink) { lock.withLock { self.sink = sink } }

  /// The mangled name of the type that writes to the program's logging backend.
  package static let backendName = "11StoreEngine3LogO"

  // The type is in a module above this one, so it is found by its mangled name. It cannot install itself, because its
  // module may not have run any code yet.
  private static let installation: Void = {
    (_typeByName(backendName) as? any EvaluationLogging.Type)?.install()
  }()

  /// Logs the reason why a predicate or expression could not be evaluated.
  static func record(_ error: any Error, of text: @autoclosure () -> String) {
    _ = installation
    let text = shortened(text())
    let now = DispatchTime.now().uptimeNanoseconds
    let (isNew, sink) = lock.withLock { () -> (Bool, Sink?) in
      if let last = recent[text], now &- last < pause { return (false, nil) }
      // Removing all entries costs at most one more line for each predicate.
      if recent.count >= mostRemembered { recent = [:] }
      recent[text] = now
      return (true, self.sink)
    }
    guard isNew else { return }
    let reason = (error as? InvalidPredicateError)?.description ?? error.localizedDescription
    let line = "\(text) cannot be evaluated: \(shortened(reason))"
    // Call the sink outside the lock, which is not recursive, because the sink may itself evaluate
    // a predicate that fails.
    if let sink { sink(line) } else { FileHandle.standardError.write(Data((line + "\n").utf8)) }
  }

  /// Returns the beginning of a string, because a predicate's text may have a million characters.
  private static func shortened(_ text: String) -> String {
    text.utf8.count <= 1000 ? text : text.prefix(1000) + "…"
  }
}
