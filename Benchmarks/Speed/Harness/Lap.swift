import Floor
import Foundation

/// One run of a contestant: what it took, and how often it asked for memory.
final class Lap {
  /// Whose time counts.
  enum Clock {
    /// The processor's for this program: other programs count less in it.
    case processor
    /// The wall's, where waiting for a disk or for another thread is what is measured.
    case wall

    /// Nanoseconds since some moment.
    var now: Double {
      var time = timespec()
      clock_gettime(self == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
      return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
  }

  /// What the run took, or gave; nil until something was measured.
  private(set) var value: Double?
  private var allocations = 0.0
  private var isOfOneItem = false
  private let clock: Clock

  init(_ clock: Clock) { self.clock = clock }

  /// Measures what `body` does. A contestant that does so counts with what it measured alone, added
  /// up, else with all that it does.
  func measured<Result>(_ body: () throws -> Result) rethrows -> Result {
    let (start, before) = (clock.now, floor_allocations())
    defer {
      value = (value ?? 0) + clock.now - start
      allocations += Double(floor_allocations() - before)
    }
    return try body()
  }

  /// A value of one item that the contestant found out itself: the median of many times, or bytes.
  func gives(_ value: Double) {
    self.value = value
    isOfOneItem = true
  }

  /// What a run comes to for one item.
  struct Turn {
    let value: Double
    /// nil where the value is the contestant's own.
    let allocations: Double?
  }

  /// What was measured, for one of `items`.
  func turn(of items: Int) -> Turn {
    let items = Double(items)
    return isOfOneItem
      ? Turn(value: value ?? 0, allocations: nil)
      : Turn(value: (value ?? 0) / items, allocations: allocations / items)
  }

  /// The nanoseconds of the processor that `body` takes.
  static func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = Clock.processor.now
    try body()
    return Clock.processor.now - start
  }
}
