/// A function over many values that are added one by one: `sum:`, `count:`, `min:`, `max:`, `average:`,
/// `median:`, `mode:`, `stddev:`.
///
/// The result does not depend on the order of the values: doubles are summed from the smallest to the largest, and
/// among equal numbers of different types the same one always wins. Sums and averages use memory for each double and
/// decimal; `median:`, `mode:` and `stddev:` for every value.
package struct Statistic {
  let function: PredefinedFunction
  private let nilRule: NilRule
  /// The number of all values, null values included.
  private var count = 0
  private var sum = ExactSum()
  private var best: Scalar?
  /// The values, for the functions that need all of them.
  private var values: [Scalar] = []
  /// Whether the values of an average or median are dates, which are added as seconds; nil before the first value.
  private var isOfDates: Bool?

  /// Creates a statistic without values.
  package init(_ function: PredefinedFunction, nilRule: NilRule) {
    self.function = function
    self.nilRule = nilRule
  }

  /// Adds a value. Only `count:` counts null and not-a-number; the other functions ignore them.
  ///
  /// - Throws: An ``InvalidPredicateError`` if the function needs a number (for `average:` and
  ///   `median:` a number or a date) and the value is not one, or if the values of `min:` or `max:`
  ///   have no common order.
  package mutating func add(_ value: Scalar) throws {
    var value = nilRule == .store ? value.keptDigits : value
    // Negative zero equals zero, so the result could depend on which of the two is added first.
    if case .double(0) = value { value = .double(0) }
    // Count the value before null values are ignored, because `count:` includes them.
    count += 1
    if value.isNull || value.isNotANumber { return }
    switch function {
    case .count: break
    case .minimum: try updateBest(value, if: .orderedAscending)
    case .maximum: try updateBest(value, if: .orderedDescending)
    case .mode: values.append(value)
    case .average: sum.add(try numberOrSeconds(value))
    case .median: values.append(try numberOrSeconds(value))
    case .sum:
      try Arithmetic.checkNumber(value, function)
      sum.add(value)
    case .standardDeviation:
      try Arithmetic.checkNumber(value, function)
      values.append(value)
    default:
      throw InvalidPredicateError("\(function.rawValue) is not a function of many values")
    }
  }

  /// Returns a number, or a date's seconds. A statistic cannot mix numbers and dates.
  private mutating func numberOrSeconds(_ value: Scalar) throws -> Scalar {
    var number = value
    var isDate = false
    if case .date(let date) = value {
      isDate = true
      number = .double(date.timeIntervalSinceReferenceDate)
    }
    guard number.isNumber, isOfDates == nil || isOfDates == isDate else {
      throw InvalidPredicateError(
        "\(function.rawValue) needs only numbers or only dates, not \(describe(value.boxed))")
    }
    isOfDates = isDate
    return number
  }

  /// Converts the result to a date if the values are dates.
  private func date(_ seconds: Scalar) -> Scalar {
    guard isOfDates == true, let seconds = seconds.doubleValue, !seconds.isNaN else {
      return seconds
    }
    return .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  private mutating func updateBest(_ value: Scalar, if wanted: ComparisonResult) throws {
    guard let best else {
      self.best = value
      return
    }
    guard let order = ValueOrder.compare(value, best) else {
      throw InvalidPredicateError(
        "\(function.rawValue): \(describe(value.boxed)) and \(describe(best.boxed)) have no order")
    }
    // Equal numbers may have different types. The rank decides, so that the order of the rows does not matter.
    if order == wanted || (order == .orderedSame && value.kindRank < best.kindRank) {
      self.best = value
    }
  }

  /// Returns the result. If there are no values, it is 0 for `sum:` and `count:`, an empty list for `mode:`, and null
  /// for the other functions.
  ///
  /// The result of `mode:` is the list ``modes()``. Not-a-number becomes null.
  package func result() throws -> Scalar {
    let result: Scalar =
      switch function {
      case .count: .integer(Int64(count))
      case .sum: sum.total
      case .average: date(sum.average)
      case .minimum, .maximum: best ?? .null
      case .median: date(median)
      case .mode: .other(modes().map { $0.boxed ?? NSNull() })
      case .standardDeviation: deviation
      default:
        throw InvalidPredicateError("\(function.rawValue) is not a function of many values")
      }
    return result.isNotANumber ? .null : result
  }

  /// Returns all values that occur most often, in ascending order.
  package func modes() -> [Scalar] {
    var found: [(value: Scalar, count: Int)] = []
    for value in values.sorted(by: Scalar.precedes) {
      if let last = found.last, ValueEquality.areEqual(last.value, value) {
        found[found.count - 1].count += 1
      } else if let index = found.firstIndex(where: {
        // Equal objects without an order may not be adjacent.
        if case .other = value { return ValueEquality.areEqual($0.value, value) }
        return false
      }) {
        found[index].count += 1
      } else {
        found.append((value, 1))
      }
    }
    let most = found.map(\.count).max() ?? 0
    return found.filter { $0.count == most }.map(\.value)
  }

  private var median: Scalar {
    guard !values.isEmpty else { return .null }
    let sorted = values.sorted(by: Scalar.precedes)
    let middle = sorted.count / 2
    if sorted.count % 2 == 1 { return sorted[middle] }
    var both = ExactSum()
    both.add(sorted[middle - 1])
    both.add(sorted[middle])
    return both.average
  }

  /// The population standard deviation of the values.
  private var deviation: Scalar {
    guard !values.isEmpty else { return .null }
    // The values are sorted before their sum is computed, for the same reason as the squares below.
    let sorted = values.sorted(by: Scalar.precedes).map { $0.doubleValue ?? .nan }
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    // Added in ascending order, so that rounding does not depend on the order of the rows.
    let squares = sorted.map { ($0 - mean) * ($0 - mean) }.sorted()
    return .double((squares.reduce(0, +) / Double(sorted.count)).squareRoot())
  }
}

extension Scalar {
  /// The rank that orders equal numbers of different types, and values without an order.
  fileprivate var kindRank: Int {
    switch self {
    case .null: 0
    case .integer, .unsigned: 1
    case .decimal: 2
    case .double: 3
    case .text: 4
    case .date: 5
    case .data: 6
    case .uuid: 7
    case .url: 8
    case .other: 9
    }
  }

  /// A total order: by value, otherwise by the rank of the type.
  fileprivate static func precedes(_ left: Scalar, _ right: Scalar) -> Bool {
    switch ValueOrder.compare(left, right) {
    case .orderedAscending: true
    case .orderedDescending: false
    default: left.kindRank < right.kindRank
    }
  }
}
