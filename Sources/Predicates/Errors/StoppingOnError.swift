import Foundation

/// Runs what Apple's signature does not let throw; a mistake stops the program with its message.
func stoppingOnError<Result>(
  _ body: () throws -> Result, file: StaticString = #fileID, line: UInt = #line
) -> Result {
  do {
    return try body()
  } catch {
    preconditionFailure(
      (error as? InvalidPredicateError)?.description ?? error.localizedDescription, file: file,
      line: line)
  }
}
