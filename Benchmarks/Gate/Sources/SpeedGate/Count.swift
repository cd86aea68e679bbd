import Counting
import Foundation

/// One operation of the library, and the same work in its floor. The gate counts the instructions of both.
struct Operation {
  let name: String
  /// Prepares the floor, and returns the body to count.
  let floor: () throws -> Body
  /// Prepares the library, and returns the body to count.
  let ours: () throws -> Body

  /// Called twice. The first call is not counted, because it includes work that a process does only once.
  typealias Body = (Count) throws -> Void

  /// Runs both, and after each prints a label for the dump that Callgrind wrote.
  func run() throws {
    for (contestant, body) in [("floor", try floor()), ("ours", try ours())] {
      try body(Count(isOn: false))
      try body(Count(isOn: true))
      print("\(contestant)\t\(name)")
    }
  }
}

/// Marks the part of an operation that is counted, without its preparation.
struct Count {
  let isOn: Bool

  func callAsFunction<Result>(_ body: () throws -> Result) rethrows -> Result {
    if isOn { counting_starts() }
    let result = try body()
    if isOn { counting_ends() }
    return result
  }
}
