/// Lets operations on the files of external values fail, as tests do with those of SQLite's own files.
package enum FileFault {
  package enum Operation: Sendable { case open, write, sync, rename }

  /// Says with which number an operation is to fail, 0 for not at all. Set before any store is there, and
  /// nil in every program.
  nonisolated(unsafe) package static var reason: (@Sendable (Operation) -> Int32)?

  /// Whether an operation is to fail: `errno` says why, as if it had been tried.
  package static func happens(to operation: Operation) -> Bool {
    guard let reason else { return false }
    let number = reason(operation)
    if number != 0 { errno = number }
    return number != 0
  }
}
