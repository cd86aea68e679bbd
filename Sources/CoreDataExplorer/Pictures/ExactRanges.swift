import Foundation
import ObjectModel

/// Ranges of equal length over integers or decimals, computed exactly. Floating-point numbers have a precision of 15
/// digits and would put rows with longer numbers into a neighboring range or into none.
struct ExactRanges {
  struct Range: Equatable {
    let label: String
    let condition: String
  }

  let ranges: [Range]

  /// - Parameters:
  ///   - key: The column, as a key path in the predicate language.
  ///   - isWhole: Whether the numbers are integers.
  init(
    from low: Decimal, to high: Decimal, isWhole: Bool, of key: String, about count: Int
  ) {
    var step = Self.niceStep((high - low) / Decimal(count))
    if isWhole { step = max(1, step) }
    // If the precision does not suffice to count in steps, there is only one range.
    guard step.isFinite, step > 0, let first = Self.start(low, step), first + step > first else {
      let (from, to) = (Self.literal(low), Self.literal(high))
      ranges = [Range(label: "\(low)–\(high)", condition: "\(key) >= \(from) AND \(key) <= \(to)")]
      return
    }
    var ranges: [Range] = []
    var from = first
    while from <= high, ranges.count < count * 4 {
      let to = from + step
      ranges.append(
        isWhole
          ? Self.whole(from, to, key) : Self.decimal(from, to, key, high: to > high ? high : nil))
      from = to
    }
    self.ranges = ranges
  }

  private static func whole(_ from: Decimal, _ to: Decimal, _ key: String) -> Range {
    if to - from == 1 { return Range(label: "\(from)", condition: "\(key) == \(from)") }
    // A condition cannot contain a bound outside the range of `Int64`, and does not need one.
    let bounds = [
      from >= Decimal(Int64.min) ? "\(key) >= \(from)" : nil,
      to <= Decimal(Int64.max) ? "\(key) < \(to)" : nil,
    ].compactMap { $0 }
    return Range(
      label: "\(from)–\(to - 1)",
      condition: bounds.isEmpty ? "\(key) != nil" : bounds.joined(separator: " AND "))
  }

  /// - Parameter high: The maximum, for the last range.
  private static func decimal(
    _ from: Decimal, _ to: Decimal, _ key: String, high: Decimal?
  ) -> Range {
    // A store keeps 15 digits. A longer end of the range may round to the maximum, which `<` would then exclude.
    let end =
      if let high, isLong(to) { "\(key) <= \(literal(high))" } else { "\(key) < \(literal(to))" }
    return Range(label: "\(from)–\(to)", condition: "\(key) >= \(literal(from)) AND \(end)")
  }

  /// Returns the largest multiple of a step that does not exceed a number; nil if the precision does not suffice.
  private static func start(_ low: Decimal, _ step: Decimal) -> Decimal? {
    var (quotient, rounded) = (low / step, Decimal())
    NSDecimalRound(&rounded, &quotient, 0, .plain)
    var start = rounded * step
    // The quotient was rounded, possibly twice.
    for _ in 0..<3 where start > low { start -= step }
    return start.isFinite && start <= low && start + step > low ? start : nil
  }

  /// Returns the smallest step of 1, 2 or 5 times a power of ten that is not less than a number.
  private static func niceStep(_ least: Decimal) -> Decimal {
    guard least.isFinite, least > 0 else { return 1 }
    let digits = "\(least.significand)".count
    let power = Decimal(sign: .plus, exponent: least.exponent + digits - 1, significand: 1)
    return [1, 2, 5].map { $0 * power }.first { $0 >= least } ?? 10 * power
  }

  /// Returns a decimal number in the predicate language: as a plain literal if it can be read without loss.
  private static func literal(_ number: Decimal) -> String {
    isLong(number) ? "CAST(\"\(number)\", \"NSDecimalNumber\")" : "\(number)"
  }

  private static func isLong(_ number: Decimal) -> Bool { "\(number.significand)".count > 15 }
}
