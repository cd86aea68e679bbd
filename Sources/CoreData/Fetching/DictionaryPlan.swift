import Foundation
import ObjectModel
import Predicates

/// A request for dictionaries: columns by name, grouped and distinct as asked.
struct DictionaryPlan {
  struct Column {
    let name: String
    let expression: Expression
    /// How the raw value is given out.
    let form: ResultForm
  }

  indirect enum Expression {
    case value(BoundExpression)
    /// `count:`, `sum:`, `average:`, `min:` or `max:` over the rows of a group.
    case aggregate(Aggregate, BoundExpression)
  }

  enum Aggregate: String { case count, sum, average, min, max }

  enum ResultForm {
    case attribute(PropertySlot)
    case reference(EntityLayout)
    case integer
    case double
    case natural
  }

  var rows: FetchPlan
  let columns: [Column]
  let groups: [BoundExpression]
  /// The condition on groups, over the columns by their names.
  let having: NSPredicate?
  let isDistinct: Bool

  init<Result>(_ request: NSFetchRequest<Result>, in model: ModelLayout) throws {
    rows = try FetchPlan(request, in: model)
    let binder = PredicateBinder(rows.layout)
    let layout = rows.layout
    let properties =
      request.propertiesToFetch
      ?? layout.attributeSlots.filter { !layout.slots[$0].isTransient }
      .map { layout.slots[$0].name as Any }
    columns = try properties.map { try Self.column($0, binder) }
    groups = try (request.propertiesToGroupBy ?? []).map { property in
      guard case .value(let expression) = try Self.column(property, binder).expression else {
        throw CoreDataError.badRequest("cannot group by an aggregate: \(property)")
      }
      return expression
    }
    having = request.havingPredicate
    isDistinct = request.returnsDistinctResults
    if having != nil, groups.isEmpty {
      throw CoreDataError.badRequest("havingPredicate needs propertiesToGroupBy")
    }
  }

  /// Whether the rows collapse: every column is of a group or of all rows.
  var isAggregate: Bool {
    if !groups.isEmpty { return true }
    return columns.contains { if case .aggregate = $0.expression { true } else { false } }
  }

  private static func column(_ property: Any, _ binder: PredicateBinder) throws -> Column {
    switch property {
    case let name as String: return try keyPath(name, name, binder)
    case let description as NSExpressionDescription:
      guard let expression = description.expression else {
        throw CoreDataError.badRequest(
          "the expression description \"\(description.name)\" has no expression")
      }
      return try column(expression, of: description, binder)
    case let description as NSPropertyDescription:
      return try keyPath(description.name, description.name, binder)
    default:
      throw CoreDataError.badRequest(
        "propertiesToFetch takes names and property descriptions, not \(type(of: property))")
    }
  }

  private static func keyPath(
    _ keyPath: String, _ name: String, _ binder: PredicateBinder
  ) throws -> Column {
    let resolved = try binder.resolve(keys: keyPath.split(separator: "."), level: 0)
    guard case .single(let bound) = resolved else {
      throw CoreDataError.badRequest(
        "Invalid to-many relationship in setPropertiesToFetch: (\(keyPath))")
    }
    return Column(name: name, expression: .value(bound), form: form(of: bound))
  }

  private static func column(
    _ expression: NSExpression, of description: NSExpressionDescription, _ binder: PredicateBinder
  ) throws -> Column {
    let declared = AttributeStorage(description.expressionResultType)
    if expression.expressionType == .function, let argument = expression.arguments?.first,
      let aggregate = aggregate(named: expression.function),
      case .single(let bound) = try binder.resolve(argument)
    {
      let natural: ResultForm =
        switch aggregate {
        case .count: .integer
        case .min, .max: form(of: bound)
        case .sum, .average: declared.isInteger ? .integer : .double
        }
      return Column(
        name: description.name, expression: .aggregate(aggregate, bound), form: natural)
    }
    guard case .single(let bound) = try binder.resolve(expression) else {
      throw CoreDataError.badRequest("to-many key not allowed here: \(expression)")
    }
    let natural = form(of: bound)
    if case .natural = natural, declared.isInteger {
      return Column(name: description.name, expression: .value(bound), form: .integer)
    }
    return Column(name: description.name, expression: .value(bound), form: natural)
  }

  /// The aggregate of a function of `NSExpression`.
  static func aggregate(named function: String) -> Aggregate? {
    function.hasSuffix(":") ? Aggregate(rawValue: String(function.dropLast())) : nil
  }

  private static func form(of expression: BoundExpression) -> ResultForm {
    switch expression {
    case .property(let path):
      if let slot = path.attribute { return .attribute(slot) }
      return path.destination.map(ResultForm.reference) ?? .natural
    case .aggregate(.min, _, let path), .aggregate(.max, _, let path):
      return path.attribute.map(ResultForm.attribute) ?? .natural
    case .count, .subqueryCount, .function(.length, _): return .integer
    case .aggregate: return .double
    default: return .natural
    }
  }
}

extension AttributeStorage {
  var isInteger: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: true
    default: false
    }
  }
}
