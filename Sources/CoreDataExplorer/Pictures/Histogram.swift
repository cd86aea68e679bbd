import CoreData
import StoreInspection

/// The distribution of a column's values in bins. A bin is a range of numbers, dates or member counts, one of the most
/// frequent strings or objects, a truth value, or the presence of a value.
///
/// Each bin has a condition that selects its rows.
struct Histogram: Encodable {
  struct Bin: Encodable, Equatable {
    let label: String
    let count: Int
    /// The condition for the bin's rows.
    let `where`: String
  }

  /// The kind of values: `number`, `date`, `text`, `boolean`, `members` or `presence`.
  let kind: String
  /// The attribute by which objects are counted; nil if the values themselves are counted.
  @OrNull var by: String?
  let total: Int
  /// The number of rows without a value.
  let empty: Int
  let bins: [Bin]
  /// Whether there are more bins.
  let more: Bool

  /// The approximate number of ranges.
  private static let binCount = 24
  /// The maximum number of strings that are shown.
  private static let textCount = 40

  /// Computes the histogram of a column. Call it on the context's queue.
  init(
    of path: String, _ entity: NSEntityDescription, where condition: String?,
    in context: NSManagedObjectContext
  ) throws {
    let spread = try ColumnSpread(path, of: entity)
    let query = try RowSelection(
      entity: entity, where: condition, in: context.persistentStoreCoordinator)
    var values = BinnedValues(path: path, query: query, context: context)
    var (by, more): (String?, Bool) = (nil, false)
    switch spread {
    case .wholeNumbers, .decimals:
      kind = "number"
      bins = try Self.exactNumbers(values, isWhole: spread == .wholeNumbers)
    case .numbers:
      kind = "number"
      bins = try values.range().map { try Self.numbers($0, $1, values) } ?? []
    case .dates:
      kind = "date"
      bins = try values.range().map { try Self.dates($0, $1, values) } ?? []
    case .truths:
      kind = "boolean"
      bins = try ["YES", "NO"].map { try values.bin($0, "\(values.key) == \($0)") }
    case .names(let attribute):
      kind = "text"
      by = attribute
      values = BinnedValues(path: "\(path).\(attribute)", query: query, context: context)
      (bins, more) = try Self.texts(values)
    case .texts:
      kind = "text"
      (bins, more) = try Self.texts(values)
    case .members:
      kind = "members"
      values = BinnedValues(path: "\(path).@count", query: query, context: context)
      bins = try Self.members(of: path, values)
    case .presence:
      kind = "presence"
      bins = [try values.bin("has a value", "\(values.key) != nil")]
    }
    total = try values.count(nil)
    empty = spread == .members ? 0 : try values.count("\(values.key) == nil")
    self.by = by
    self.more = more
  }

  // MARK: Ranges

  private static func exactNumbers(_ values: BinnedValues, isWhole: Bool) throws -> [Bin] {
    guard let (low, high) = try values.exactRange() else { return [] }
    return try ExactRanges(from: low, to: high, isWhole: isWhole, of: values.key, about: binCount)
      .ranges.map { try values.bin($0.label, $0.condition) }
  }

  private static func numbers(
    _ low: Double, _ high: Double, _ values: BinnedValues
  ) throws -> [Bin] {
    // The numbers are divided before they are subtracted, because their difference may be infinite.
    let step = niceStep(high / Double(binCount) - low / Double(binCount))
    let first = (low / step).rounded(.down)
    let last = (high / step).rounded(.down)
    guard let count = Int(exactly: last - first).map({ $0 + 1 }), abs(first) < 1e15 else {
      // The numbers are too large to be counted in steps, so there is only one range.
      return [
        try values.bin("\(low)–\(high)", "\(values.key) >= \(low) AND \(values.key) <= \(high)")
      ]
    }
    let places = 0..<min(count, binCount * 4)
    return try places.map { place in
      let from = text((first + Double(place)) * step)
      let to = text((first + Double(place) + 1) * step)
      // Multiples of a step are rounded, so the outer ranges are extended to contain the lowest and highest value.
      let lower = place == places.first ? "\(min(low, Double(from) ?? low))" : from
      let upper = place == places.last ? "<= \(max(high, Double(to)?.nextDown ?? high))" : "< \(to)"
      return try values.bin(
        "\(from)–\(to)", "\(values.key) >= \(lower) AND \(values.key) \(upper)")
    }
  }

  /// Returns the smallest number that is 1, 2 or 5 times a power of ten, and not less than `least`.
  private static func niceStep(_ least: Double) -> Double {
    guard least > 0, least.isFinite else { return 1 }
    let power = pow(10, log10(least).rounded(.down))
    return [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? power * 10
  }

  /// Returns the text of a number, rounded to hide the inexactness of multiples of a step.
  private static func text(_ number: Double) -> String {
    if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
    let rounded = Double(String(format: "%.12g", number)) ?? number
    return "\(rounded)"
  }

  private static func dates(
    _ low: Double, _ high: Double, _ values: BinnedValues
  ) throws -> [Bin] {
    let calendar = DateRanges(
      from: Date(timeIntervalSinceReferenceDate: low),
      to: Date(timeIntervalSinceReferenceDate: high),
      about: binCount)
    return try calendar.ranges.map { label, start, end in
      func constant(_ date: Date) -> String {
        "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
      }
      return try values.bin(
        label, "\(values.key) >= \(constant(start)) AND \(values.key) < \(constant(end))")
    }
  }

  // MARK: Members

  /// Returns bins of rows by their number of members. If nothing is unsaved, a single request counts the rows for all
  /// numbers; otherwise each bin has its own request.
  private static func members(of path: String, _ values: BinnedValues) throws -> [Bin] {
    let groups = try values.memberCounts()
    let unsaved = try values.unsavedMemberCounts(of: path)
    let counts = groups.map(\.members) + unsaved
    guard let low = counts.min(), let high = counts.max() else { return [] }
    let ranges = ExactRanges(
      from: Decimal(low), to: Decimal(high), isWhole: true, of: values.key, about: binCount
    ).ranges
    // The store's groups do not include unsaved changes.
    guard !values.context.hasChanges else {
      return try ranges.map { try values.bin($0.label, $0.condition) }
    }
    return ranges.map { range in
      let bounds = range.label.split(separator: "–").compactMap { Int($0) }
      let within = (bounds.first ?? low)...(bounds.last ?? high)
      let count = groups.filter { within.contains($0.members) }.reduce(0) { $0 + $1.rows }
      return Bin(label: range.label, count: count, where: range.condition)
    }
  }

  // MARK: Texts

  private static func texts(_ values: BinnedValues) throws -> ([Bin], Bool) {
    // Read one more than is shown, to know whether there are more.
    let most = try values.mostFrequent(textCount + 1)
    guard let unsaved = values.unsavedTexts() else {
      return (
        most.prefix(textCount).map { bin($0.value, $0.count, values) }, most.count > textCount
      )
    }
    // The store's groups do not include unsaved changes, so the shown texts are counted one by one.
    let texts = unsaved.union(most.map(\.value))
    let bins = try texts.map { try bin($0, values.count(condition(of: $0, values)), values) }
      .filter { $0.count > 0 }.sorted { ($1.count, $0.label) < ($0.count, $1.label) }
    return (Array(bins.prefix(textCount)), max(most.count, bins.count) > textCount)
  }

  private static func condition(of text: String, _ values: BinnedValues) -> String {
    "\(values.key) == \(NSExpression(forConstantValue: text).description)"
  }

  private static func bin(_ text: String, _ count: Int, _ values: BinnedValues) -> Bin {
    Bin(label: text.shortened(to: 100), count: count, where: condition(of: text, values))
  }
}
