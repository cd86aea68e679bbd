import CoreData
import Foundation
import ObjectModel
import StoreInspection

/// How the values of a column are spread: ranges of numbers and dates, the most frequent texts.
///
/// Each bin has the condition that its rows meet, and is counted with it.
struct Histogram: Encodable {
  struct Bin: Encodable, Equatable {
    let label: String
    let count: Int
    /// The condition of the bin's rows.
    let `where`: String
  }

  /// `number`, `date`, `text` or `boolean`.
  let kind: String
  let total: Int
  /// How many rows have no value.
  let empty: Int
  let bins: [Bin]
  /// Whether there are more bins than these.
  let more: Bool

  /// About so many ranges are made.
  private static let binCount = 24
  /// So many texts are shown.
  private static let textCount = 40
  /// Of so many different texts the most frequent ones are looked for.
  private static let groupedCount = 100_000

  /// To be made on the context's queue.
  init(
    of path: String, _ entity: NSEntityDescription, where condition: String?,
    in context: NSManagedObjectContext
  ) throws {
    let column = try ResultColumn.column(path, of: entity, use: "column")
    let values = BinnedValues(
      path: path, query: try RowQuery(entity: entity, where: condition), context: context)
    guard case .attribute(_, let type) = column.end else {
      throw Diagnostic(.usage, "\(path) is no attribute, so its values have no spread")
    }
    try SortCheck.requireSortable(path, of: entity, use: "column")
    total = try values.count(nil)
    empty = try values.count("\(path) == nil")
    var more = false
    switch type {
    case .booleanAttributeType:
      kind = "boolean"
      bins = try ["YES", "NO"].map { try values.bin($0, "\(path) == \($0)") }
    case .dateAttributeType:
      kind = "date"
      bins = try values.range().map { try Self.dates($0, $1, values) } ?? []
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
      kind = "number"
      let isWhole = ![.doubleAttributeType, .floatAttributeType, .decimalAttributeType].contains(
        type)
      bins = try values.range().map { try Self.numbers($0, $1, isWhole: isWhole, values) } ?? []
    case .stringAttributeType:
      kind = "text"
      (bins, more) = try Self.texts(values)
    default:
      throw Diagnostic(.usage, "values of type \(type.modelFileName) have no spread")
    }
    self.more = more
  }

  // MARK: Ranges

  private static func numbers(
    _ low: Double, _ high: Double, isWhole: Bool, _ values: BinnedValues
  ) throws -> [Bin] {
    let step =
      isWhole
      ? max(1, niceStep(high / Double(binCount) - low / Double(binCount)))
      : niceStep(high / Double(binCount) - low / Double(binCount))
    let first = (low / step).rounded(.down)
    let last = (high / step).rounded(.down)
    guard let count = Int(exactly: last - first).map({ $0 + 1 }), abs(first) < 1e15 else {
      // Too large to be counted by steps: all are one range.
      return [
        try values.bin(
          "\(low)–\(high)", "\(values.path) >= \(low) AND \(values.path) <= \(high)")
      ]
    }
    return try (0..<min(count, binCount * 4)).map { place in
      let from = (first + Double(place)) * step
      let to = (first + Double(place) + 1) * step
      if isWhole, step == 1 {
        return try values.bin(text(from), "\(values.path) == \(text(from))")
      }
      return try values.bin(
        isWhole ? "\(text(from))–\(text(to - 1))" : "\(text(from))–\(text(to))",
        "\(values.path) >= \(text(from)) AND \(values.path) < \(text(to))")
    }
  }

  /// A step of 1, 2 or 5 times a power of ten.
  private static func niceStep(_ least: Double) -> Double {
    guard least > 0, least.isFinite else { return 1 }
    let power = pow(10, log10(least).rounded(.down))
    return [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? power * 10
  }

  /// A number without what adding up left behind the digits that matter.
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
        label, "\(values.path) >= \(constant(start)) AND \(values.path) < \(constant(end))")
    }
  }

  // MARK: Texts

  private static func texts(_ values: BinnedValues) throws -> ([Bin], Bool) {
    let groups = try values.groups(limit: groupedCount)
    let most = groups.sorted { ($1.count, $0.value) < ($0.count, $1.value) }.prefix(textCount)
    guard let unsaved = values.unsavedTexts() else {
      return (most.map { bin($0.value, $0.count, values) }, groups.count > textCount)
    }
    // The store's groups lack what is not saved and have what is to go: those that are shown are counted one by one.
    let texts = unsaved.union(most.map(\.value))
    let bins = try texts.map { try bin($0, values.count(condition(of: $0, values)), values) }
      .filter { $0.count > 0 }.sorted { ($1.count, $0.label) < ($0.count, $1.label) }
    return (
      Array(bins.prefix(textCount)), max(groups.count, texts.count) > textCount
    )
  }

  private static func condition(of text: String, _ values: BinnedValues) -> String {
    "\(values.path) == \(NSExpression(forConstantValue: text).description)"
  }

  private static func bin(_ text: String, _ count: Int, _ values: BinnedValues) -> Bin {
    Bin(label: text.cut(to: 100), count: count, where: condition(of: text, values))
  }
}
