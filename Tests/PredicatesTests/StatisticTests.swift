import FixtureSupport
import Foundation
import Testing

@testable import Predicates

@Suite struct StatisticTests {
  private func result(
    _ function: PredefinedFunction, _ values: [Any?], _ nilRule: NilRule = .foundation
  ) throws -> Any? {
    var statistic = Statistic(function, nilRule: nilRule)
    for value in values { try statistic.add(Scalar(value)) }
    return try statistic.result().boxed
  }

  @Test func `integers remain integers`() throws {
    #expect(try result(.sum, [1, 2, 3]) as? Int == 6)
    #expect(try result(.sum, []) as? Int == 0)
    #expect(try result(.minimum, [3, 1, 2]) as? Int == 1)
    #expect(try result(.maximum, [3, 1, 2]) as? Int == 3)
    #expect(try result(.median, [3, 1, 2]) as? Int == 2)
    #expect(try result(.sum, [Int.max, 1, -1]) as? Int == Int.max)
    #expect(try result(.sum, [Int.max, 1]) as? Double == 0x1p63)
    #expect(try result(.average, [Int.max, Int.max]) as? Double == 0x1p63)
  }

  @Test func `decimals remain decimals`() throws {
    let tenth = Decimal(string: "0.1")
    #expect(try result(.sum, [tenth, tenth, 1]) as? Decimal == Decimal(string: "1.2"))
    #expect(try result(.average, [tenth, tenth]) as? Decimal == tenth)
    #expect(try result(.sum, [tenth, Double.infinity]) as? Double == .infinity)
  }

  @Test func `a double beyond the range of decimals makes the result a double`() throws {
    let one = Decimal(1)
    #expect(try result(.sum, [one, 1e200]) as? Double == 1e200)
    #expect(try result(.sum, [-1e200, 2, one]) as? Double == -1e200)
    #expect(try result(.average, [one, 1e200]) as? Double == 5e199)
    #expect(try result(.median, [one, 1e200]) as? Double == 5e199)
    // A double too small for a decimal is rounded to 0.
    #expect(try result(.sum, [one, 1e-200]) as? Decimal == 1)
  }

  @Test func `only count includes null values`() throws {
    #expect(try result(.count, [1, nil, NSNull()]) as? Int == 3)
    #expect(try result(.average, [1, nil, 2]) as? Double == 1.5)
    #expect(try result(.sum, [1, nil]) as? Int == 1)
    #expect(try result(.minimum, [nil]) == nil)
    #expect(try result(.standardDeviation, []) == nil)
    #expect(try result(.median, []) == nil)
    #expect(try result(.average, []) == nil)
  }

  @Test(arguments: [NilRule.store, .foundation])
  func `not-a-number is ignored as a value, and is nil as a result`(rule: NilRule) throws {
    #expect(try result(.sum, [1.5, Double.nan], rule) as? Double == 1.5)
    #expect(try result(.sum, [Double.infinity, -Double.infinity], rule) == nil)
  }

  @Test func `the average and the median of dates are dates`() throws {
    let dates = [0, 10, 50].map { Date(timeIntervalSinceReferenceDate: $0) }
    #expect(try result(.average, dates) as? Date == Date(timeIntervalSinceReferenceDate: 20))
    #expect(try result(.median, dates) as? Date == Date(timeIntervalSinceReferenceDate: 10))
    #expect(try result(.average, [nil, dates[1]]) as? Date == dates[1])
    for function in [PredefinedFunction.sum, .standardDeviation] {
      #expect(throws: InvalidPredicateError.self) { try result(function, dates) }
    }
    for mixed in [[dates[0], 1], [1, dates[0]]] as [[Any]] {
      #expect(throws: InvalidPredicateError.self) { try result(.average, mixed) }
    }
  }

  @Test func `the deviation is that of an entire population`() throws {
    #expect(try result(.standardDeviation, [2, 4, 4, 4, 5, 5, 7, 9]) as? Double == 2)
    #expect(try result(.median, [1, 2, 3, 10]) as? Double == 2.5)
  }

  @Test func `modes are all values that appear most often`() throws {
    #expect(try result(.mode, [3, 1, 3, 1, 2]) as? [Int] == [1, 3])
    #expect(try result(.mode, ["b", "a", "b"]) as? [String] == ["b"])
    #expect((try result(.mode, []) as? [Any])?.isEmpty == true)
  }

  @Test func `values of the wrong type are rejected`() {
    #expect(throws: InvalidPredicateError("sum: needs numbers, not \"a\" of type String")) {
      try result(.sum, [1, "a"])
    }
    #expect(throws: InvalidPredicateError.self) { try result(.maximum, [1, "a"]) }
    #expect(throws: InvalidPredicateError.self) { try result(.uppercase, ["a"]) }
  }

  @Test func `zero and negative zero have the same result in either order`() throws {
    let orders: [[Any?]] = [[0.0, -0.0], [-0.0, 0.0]]
    for function: PredefinedFunction in [.minimum, .maximum, .median, .mode] {
      let results = try orders.map { String(describing: try result(function, $0)) }
      #expect(results[0] == results[1], "\(function)")
    }
  }

  @Test func `no result depends on the order of the values`() throws {
    var generator = SeededGenerator("order of statistics")
    let choices: [Any?] = [
      1, 1.0, Decimal(1), nil, 0.1, 1e16, -1e16, 0.3, Int.max, UInt64.max, -7, 1e-9, 2.5,
    ]
    for round in 0..<500 {
      var values = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        choices.randomElement(using: &generator).flatMap(\.self)
      }
      // Every other round omits decimals, which would hide the rounding of doubles.
      if round % 2 == 0 { values.removeAll { $0 is Decimal } }
      for function: PredefinedFunction in [
        .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation,
      ] {
        let first = try result(function, values).map { "\($0) \(type(of: $0))" }
        values.shuffle(using: &generator)
        let second = try result(function, values).map { "\($0) \(type(of: $0))" }
        #expect(first == second, "\(function) of \(values), OPENCOREDATA_SEED=\(generator.seed)")
      }
    }
  }
}
