/// Makes operations on value files fail in tests, as the tests' VFS does for SQLite's own files.
package enum FileFault {
  package enum Operation: Sendable { case open, write, sync, rename }

  /// Returns the `errno` with which an operation must fail, or 0. Tests set this before they open a store; in a
  /// program it is always nil.
  nonisolated(unsafe) package static var reason: (@Sendable (Operation) -> Int32)?

  /// Returns whether an operation must fail. If so, sets `errno`, as the operation would.
  package static func happens(to operation: Operation) -> Bool {
    guard let reason else { return false }
    let number = reason(operation)
    if number != 0 { errno = number }
    return number != 0
  }
}
