import Floor
import Foundation

/// One run of a contestant: its time, and its number of allocations.
final class Lap {
  /// The clock that measures.
  enum Clock {
    /// The processor time of this process, which other programs affect less.
    case processor
    /// Elapsed time, for rows that measure waiting for a disk or another thread.
    case wall

    /// The nanoseconds since a fixed moment.
    var now: Double {
      var time = timespec()
      clock_gettime(self == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
      return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
  }

  /// The nanoseconds measured, or the value recorded; nil until then.
  private(set) var value: Double?
  private var allocations = 0.0
  private var isOfOneItem = false
  private let clock: Clock

  init(_ clock: Clock) { self.clock = clock }

  /// Measures `body`. The value of a run is the sum of its calls to this method, or the time of the whole run if
  /// there is no call.
  func measured<Result>(_ body: () throws -> Result) rethrows -> Result {
    let (start, before) = (clock.now, floor_allocations())
    defer {
      value = (value ?? 0) + clock.now - start
      allocations += Double(floor_allocations() - before)
    }
    return try body()
  }

  /// Records a value for one item that the contestant measured itself: the median of many times, or bytes.
  func record(_ value: Double) {
    self.value = value
    isOfOneItem = true
  }

  /// The measurement of a run, for one item.
  struct Turn {
    let value: Double
    /// Nil if the contestant measured the value itself.
    let allocations: Double?
  }

  /// Returns the measurement divided by the number of items.
  func turn(of items: Int) -> Turn {
    let items = Double(items)
    return isOfOneItem
      ? Turn(value: value ?? 0, allocations: nil)
      : Turn(value: (value ?? 0) / items, allocations: allocations / items)
  }

  /// Returns the processor time of `body` in nanoseconds.
  static func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = Clock.processor.now
    try body()
    return Clock.processor.now - start
  }
}
