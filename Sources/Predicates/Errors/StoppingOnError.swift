/// Runs what Apple's signature does not let throw; a mistake stops the program with its message.
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

/// Stops the program at a programmer's mistake, as Apple's raise an exception. Unlike
/// `preconditionFailure` this prints its message in optimised builds too.
package func stopProgram(
  _ message: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(message, file: file, line: line)
}
