/// The dictionaries that a store must return: named columns, grouped and distinct if requested.
package struct DictionaryQuery {
  package struct Column {
    package let name: String
    package let expression: BoundExpression
    /// The form of the value in the dictionary.
    package let form: ResultForm
    /// The keys of the nested dictionaries for an element of a composite attribute; otherwise empty.
    package var keys: [String] = []

    /// Puts a value into a dictionary.
    package func put(_ value: Any?, into row: inout [String: Any]) {
      if keys.isEmpty {
        row[name] = value
      } else if let value {
        CompositeValue.put(value, keys[...], into: &row)
      }
    }
  }

  package enum ResultForm {
    case attribute(PropertySlot)
    case kind(ValueKind)
  }

  package var rows: RowQuery
  package let columns: [Column]
  package let groups: [BoundExpression]
  /// The condition on groups.
  package let having: BoundPredicate?
  package let isDistinct: Bool

  /// Binds a dictionary request, and throws an error if the request is invalid.
  ///
  /// - Parameters:
  ///   - properties: Names and descriptions; empty for all attributes.
  ///   - groups: The names and descriptions to group by.
  ///   - having: The condition on groups.
  ///   - conversion: Converts the constants of the request.
  package init(
    rows: RowQuery, properties: [Any], groups: [Any], having: NSPredicate?, isDistinct: Bool,
    conversion: ConstantConversion
  ) throws {
    self.rows = rows
    var binder = PredicateBinder(rows.layout, conversion: conversion)
    binder.bindsGroups = true
    let layout = rows.layout
    var properties = properties
    if properties.isEmpty {
      properties = layout.slots.filter {
        // The elements of a composite attribute are in the dictionary of that attribute.
        !$0.isTransient && $0.composite == nil && ($0.storage != nil || $0.kind == .composite)
      }.map { $0.name as Any }
    }
    columns = try properties.flatMap { try Self.columns($0, binder) }
    self.groups = try groups.flatMap { property in
      let expressions = try Self.columns(property, binder).map(\.expression)
      if expressions.contains(where: \.hasGroupAggregate) {
        throw CoreDataError.badRequest("cannot group by an aggregate: \(property)")
      }
      return expressions
    }
    if !self.groups.isEmpty { try Self.requireGrouped(properties, groups) }
    // Set the columns of the binder after binding the columns and groups, because only the condition on
    // groups may refer to columns.
    binder.columns = Dictionary(
      columns.map { ($0.name, $0.expression) }, uniquingKeysWith: { first, _ in first })
    self.having = try having.map(binder.bind)
    self.isDistinct = isDistinct
    if having != nil, groups.isEmpty {
      throw CoreDataError.badRequest("havingPredicate needs propertiesToGroupBy")
    }
  }

  /// Whether each dictionary results from a group of rows, or from all rows, instead of a single row.
  package var isAggregate: Bool {
    if !groups.isEmpty { return true }
    return columns.contains { $0.expression.hasGroupAggregate }
  }

  /// Whether several rows can result in one dictionary.
  package var collapsesRows: Bool { isDistinct || isAggregate }

  /// Throws an error for a property or key path that is not among the group keys, because it has several values in a
  /// group. Other expressions are not checked.
  private static func requireGrouped(_ properties: [Any], _ groups: [Any]) throws {
    func name(_ property: Any) -> String? {
      (property as? String) ?? (property as? NSPropertyDescription)?.name
    }
    let names = Set(groups.compactMap(name))
    for property in properties {
      guard let name = name(property), !names.contains(name) else { continue }
      if let expression = (property as? NSExpressionDescription)?.expression {
        guard expression.expressionType == .keyPath, !names.contains(expression.keyPath) else {
          continue
        }
      }
      throw CoreDataError.badRequest(
        "SELECT clauses in queries with GROUP BY components can only contain properties named in the"
          + " GROUP BY or aggregate functions: \(name) is neither")
    }
  }

  /// Returns the column of a property, or the columns of a composite attribute's elements.
  private static func columns(_ property: Any, _ binder: PredicateBinder) throws -> [Column] {
    switch property {
    case let name as String: return try columns(ofKeyPath: name, binder)
    case let description as NSExpressionDescription:
      guard let expression = description.expression else {
        throw CoreDataError.badRequest(
          "the expression description \"\(description.name)\" has no expression")
      }
      return [try column(expression, of: description, binder)]
    case let description as NSPropertyDescription:
      return try columns(ofKeyPath: description.name, binder)
    default:
      throw CoreDataError.badRequest(
        "propertiesToFetch and propertiesToGroupBy accept names and property descriptions, not"
          + " \(type(of: property))")
    }
  }

  private static func columns(
    ofKeyPath keyPath: String, _ binder: PredicateBinder
  ) throws -> [Column] {
    switch try binder.resolve(keys: BoundPath.keys(of: keyPath), level: 0) {
    case .single(let bound):
      return [Column(name: keyPath, expression: bound, form: form(of: bound))]
    case .composite(let composite):
      return composite.value.elements.map { slot in
        let keys: [String] = [keyPath] + composite.value.keys(of: slot)
        return Column(
          name: keys.joined(separator: "."), expression: composite.element(slot),
          form: .attribute(slot), keys: keys)
      }
    case .collection, .values, .list:
      throw CoreDataError.badRequest(
        "Invalid to-many relationship in setPropertiesToFetch: (\(keyPath))")
    }
  }

  private static func column(
    _ expression: NSExpression, of description: NSExpressionDescription, _ binder: PredicateBinder
  ) throws -> Column {
    let declared = AttributeStorage(description.expressionResultType)
    let bound = try binder.single(expression)
    // A declared integer or decimal type determines the form of a number. Otherwise, the expression does.
    let form: ResultForm =
      switch declared {
      case _ where bound.kind.isNumber && declared.isInteger: .kind(.integer)
      case .decimal where bound.kind.isNumber: .kind(.decimal)
      default: self.form(of: bound)
      }
    return Column(name: description.name, expression: bound, form: form)
  }

  private static func form(of expression: BoundExpression) -> ResultForm {
    switch expression {
    case .property(let path):
      return path.attribute.map(ResultForm.attribute) ?? .kind(path.kind)
    case .groupAggregate(.minimum, let argument), .groupAggregate(.maximum, let argument),
      .element(_, _, let argument):
      return form(of: argument)
    case .statistic(.minimum, let values), .statistic(.maximum, let values):
      return form(of: values.element)
    case .groupAggregate(.sum, _), .statistic(.sum, _):
      // A sum is a double, as the result of SQLite's `total()` is.
      return .kind(.double)
    case .entity: return .kind(.text)
    // The value of an integer expression is a double if it exceeds 64 bits or is a negative power.
    default: return .kind(expression.kind == .integer ? .double : expression.kind)
    }
  }
}

extension AttributeStorage {
  package var isInteger: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: true
    default: false
    }
  }
}
