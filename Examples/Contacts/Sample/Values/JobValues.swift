public import Foundation

/// The values of one `Job` row.
public struct JobValues: Equatable, Sendable {
  /// What was done.
  public var title: String
  /// The job's position among its customer's jobs: 0, 1, 2 …
  public var displayOrder: Int32
  /// The price in US dollars, in a range that fits the title.
  public var amount: Decimal
  /// In whole hours, after ``CustomerValues/customerSince`` and before 2026. The jobs of a customer are ordered by date.
  public var date: Date
}

extension SamplePlan {
  /// Returns the values of all jobs of one customer, in order.
  public func jobs(of customer: CustomerValues) -> [JobValues] {
    let hours = Int(SampleDates.lastDay.timeIntervalSince(customer.customerSince)) / 3600
    let drawn = customer.jobs.map { index in
      var generator = SeededGenerator(seed: seed, stream: Stream.job, index: index)
      return (hour: generator.number(in: 1...hours), generator: generator)
    }
    return drawn.sorted { $0.hour < $1.hour }.enumerated().map { order, draw in
      var generator = draw.generator
      let kind = generator.frequentElement(of: JobLists.kinds)
      let start = customer.customerSince.timeIntervalSinceReferenceDate
      // If `customerSince` is a full hour, the last hour that can be drawn is already in 2026.
      let hour = min(
        (start / 3600).rounded(.down) + Double(draw.hour),
        SampleDates.lastDay.timeIntervalSinceReferenceDate / 3600 - 1)
      return JobValues(
        title: kind.title,
        displayOrder: Int32(order),
        amount: drawAmount(of: kind, &generator),
        date: Date(timeIntervalSinceReferenceDate: hour * 3600)
      )
    }
  }

  private func drawAmount(of kind: JobLists.Kind, _ generator: inout SeededGenerator) -> Decimal {
    let dollars = min(generator.number(in: kind.dollars), generator.number(in: kind.dollars))
    let cents = generator.frequentElement(of: [0, 50, 95, 99, 25, 75])
    return Decimal(sign: .plus, exponent: -2, significand: Decimal(dollars * 100 + cents))
  }
}
