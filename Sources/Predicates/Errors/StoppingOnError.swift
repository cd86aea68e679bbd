/// Runs a throwing function for a caller that has Apple's signature and so cannot throw. An error stops the program.
func stoppingOnError<Result>(
  _ body: () throws -> Result, file: StaticString = #fileID, line: UInt = #line
) -> Result {
  do {
    return try body()
  } catch {
    stopProgram(
      (error as? InvalidPredicateError)?.description ?? error.localizedDescription, file: file,
      line: line)
  }
}

/// Stops the program because of a programming error for which Apple's Core Data raises an exception. Unlike
/// `preconditionFailure`, it also prints its message in optimized builds.
package func stopProgram(
  _ message: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(message, file: file, line: line)
}
