/// One of the functions over many values, given them one after the other: `sum:`, `count:`,
/// `min:`, `max:`, `average:`, `median:`, `mode:`, `stddev:`.
///
/// The result does not depend on the order of the values: doubles are summed from the smallest to
/// the largest, and of two equal numbers of different types always the same one is taken. The
/// memory used grows with the number of fractions for sums and averages, and with the number of
/// all values for `median:`, `mode:` and `stddev:`.
package struct Statistic {
  let function: PredefinedFunction
  private let nilRule: NilRule
  /// All values that were given, null ones included.
  private var count = 0
  private var sum = ExactSum()
  private var best: Scalar?
  /// The values, for the functions that need all of them.
  private var values: [Scalar] = []
  /// Whether averages and medians are of dates, which are added as seconds; nil before the first
  /// value.
  private var isOfDates: Bool?

  /// Begins one of the functions over many values.
  package init(_ function: PredefinedFunction, nilRule: NilRule) {
    self.function = function
    self.nilRule = nilRule
  }

  /// Takes one value into account. A null, or a number that is none, counts for `count:` alone.
  ///
  /// - Throws: an ``InvalidPredicateError`` for a value that is no number where one is needed (or, by
  ///   `average:` and `median:`, no date), or, by `min:` and `max:`, values without an order between
  ///   them.
  package mutating func add(_ value: Scalar) throws {
    let value = nilRule == .store ? value.keptDigits : value
    count += 1
    if value.isNull || value.isNotANumber { return }
    switch function {
    case .count: break
    case .minimum: try keep(value, if: .orderedAscending)
    case .maximum: try keep(value, if: .orderedDescending)
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

  /// A number, or the seconds of a date; the two are not mixed.
  private mutating func numberOrSeconds(_ value: Scalar) throws -> Scalar {
    var number = value
    var isDate = false
    if case .date(let date) = value {
      isDate = true
      number = .double(date.timeIntervalSinceReferenceDate)
    }
    guard number.isNumber, isOfDates == nil || isOfDates == isDate else {
      throw InvalidPredicateError(
        "\(function.rawValue) needs numbers, or dates alone, not \(describe(value.boxed))")
    }
    isOfDates = isDate
    return number
  }

  /// The result for dates is a date.
  private func date(_ seconds: Scalar) -> Scalar {
    guard isOfDates == true, let seconds = seconds.doubleValue, !seconds.isNaN else {
      return seconds
    }
    return .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  private mutating func keep(_ value: Scalar, if wanted: ComparisonResult) throws {
    guard let best else {
      self.best = value
      return
    }
    guard let order = ValueOrder.compare(value, best) else {
      throw InvalidPredicateError(
        "\(function.rawValue): \(describe(value.boxed)) and \(describe(best.boxed)) have no order")
    }
    if order == wanted || (order == .orderedSame && value.kindRank < best.kindRank) {
      self.best = value
    }
  }

  /// The result: 0 for the sum of nothing, null for the other functions of nothing but `count:`.
  ///
  /// That of `mode:` is a list, ``modes()``. A result that is no number is null.
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

  /// All values that appear most often, in ascending order.
  package func modes() -> [Scalar] {
    var found: [(value: Scalar, count: Int)] = []
    for value in values.sorted(by: Scalar.precedes) {
      if let last = found.last, ValueEquality.areEqual(last.value, value) {
        found[found.count - 1].count += 1
      } else if let index = found.firstIndex(where: {
        // Objects without an order need not stand beside their equals.
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

  /// The standard deviation of all values, as of a whole population.
  private var deviation: Scalar {
    guard !values.isEmpty else { return .null }
    let sorted = values.sorted(by: Scalar.precedes).map { $0.doubleValue ?? .nan }
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    let squares = sorted.map { ($0 - mean) * ($0 - mean) }.sorted()
    return .double((squares.reduce(0, +) / Double(sorted.count)).squareRoot())
  }
}

extension Scalar {
  /// A place among equal numbers of different types, and among values without an order.
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

  /// A total order: that of the values, else that of their types.
  fileprivate static func precedes(_ left: Scalar, _ right: Scalar) -> Bool {
    switch ValueOrder.compare(left, right) {
    case .orderedAscending: true
    case .orderedDescending: false
    default: left.kindRank < right.kindRank
    }
  }
}
