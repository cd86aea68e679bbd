import Counting
import Foundation

/// One operation, whose instructions are counted for the library and for its floor.
struct Operation {
  let name: String
  /// Prepares the floor, and returns what is counted.
  let floor: () throws -> Body
  /// Prepares the library, and returns what is counted.
  let ours: () throws -> Body

  /// Called twice: the first time makes whatever is made once.
  typealias Body = (Count) throws -> Void

  /// Runs both, and prints what the next dump of Callgrind is of.
  func run() throws {
    for (contestant, body) in [("floor", try floor()), ("ours", try ours())] {
      try body(Count(isOn: false))
      try body(Count(isOn: true))
      print("\(contestant)\t\(name)")
    }
  }
}

/// What of an operation is counted: not what prepares it.
struct Count {
  let isOn: Bool

  func callAsFunction<Result>(_ body: () throws -> Result) rethrows -> Result {
    if isOn { counting_starts() }
    let result = try body()
    if isOn { counting_ends() }
    return result
  }
}
