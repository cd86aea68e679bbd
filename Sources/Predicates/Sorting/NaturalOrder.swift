import Foundation

/// The order in which file managers list names: by the user's locale, without regard to case, with
/// numbers inside by their amount.
///
/// Names are cut into runs of digits and runs of anything else, and compared run by run; what is
/// still the same is ordered by the locale with regard to case, then by code points. Foundation's
/// own comparison with these options is no order: there are strings of which each comes before the
/// other.
enum NaturalOrder {
  static func compare(_ left: String, _ right: String) -> ComparisonResult {
    if left.utf8.elementsEqual(right.utf8) { return .orderedSame }
    let result = compareRuns(left, right)
    if result != .orderedSame { return result }
    let localized = StringComparison.localized.compare(left, right)
    return localized == .orderedSame
      ? StringComparison.literal.compare(left, right) : localized
  }

  private static func compareRuns(_ left: String, _ right: String) -> ComparisonResult {
    var rest = left.unicodeScalars[...]
    var otherRest = right.unicodeScalars[...]
    while true {
      switch (nextRun(&rest), nextRun(&otherRest)) {
      case (nil, nil): return .orderedSame
      case (nil, _): return .orderedAscending
      case (_, nil): return .orderedDescending
      case (let run?, let otherRun?):
        let result = compare(run, otherRun)
        if result != .orderedSame { return result }
      }
    }
  }

  private enum Run {
    /// Digits without leading zeros.
    case number([UInt8])
    case text(String)
  }

  private static func nextRun(_ rest: inout Substring.UnicodeScalarView) -> Run? {
    guard let first = rest.first else { return nil }
    let isNumber = digit(first) != nil
    let end = rest.firstIndex { (digit($0) != nil) != isNumber } ?? rest.endIndex
    let run = rest[..<end]
    rest = rest[end...]
    return isNumber
      ? .number(run.compactMap(digit).drop { $0 == 0 }.map { $0 })
      : .text(String(String.UnicodeScalarView(run)))
  }

  private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
    if scalar.isASCII {
      return ("0"..."9").contains(scalar) ? UInt8(scalar.value) - 48 : nil
    }
    guard scalar.properties.generalCategory == .decimalNumber else { return nil }
    return scalar.properties.numericValue.map { UInt8($0) }
  }

  private static func compare(_ left: Run, _ right: Run) -> ComparisonResult {
    switch (left, right) {
    case (.number, .text): return .orderedAscending
    case (.text, .number): return .orderedDescending
    case (.text(let a), .text(let b)):
      return StringComparison.localizedCaseInsensitive.compare(a, b)
    case (.number(let a), .number(let b)):
      if a.count != b.count { return a.count < b.count ? .orderedAscending : .orderedDescending }
      return a.lexicographicallyPrecedes(b)
        ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
    }
  }
}
