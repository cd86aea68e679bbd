/// A derived attribute whose value is computed by a statement: a value of the row itself, or one at the end of
/// several to-one relationships, or a function of such values and of values of members.
///
/// Triggers record the rows whose values may change, and the transaction computes them at its end
/// (`LateDerivations`). Simpler attributes are `RowDerivation`s and `StoreDerivation`s. Migration and verification
/// compute the same expression, so that they agree with a save.
package struct ExpressionDerivation {
  package let slot: Int
  package let expression: BoundExpression
  package let sources: RelationshipDependency.Sources

  /// - Throws: An error with the reason why no statement can compute the value, or why the attribute cannot store it.
  package init(_ slot: PropertySlot, in layout: EntityLayout) throws {
    self.slot = slot.index
    expression = Self.rounded(try Self.expression(of: slot, in: layout), slot)
    sources = RelationshipDependency.sources(of: expression)
    if sources.needsObjects {
      throw CoreDataError.badRequest("its expression can only be evaluated with objects")
    }
    // Its value would depend on how often it was computed.
    if sources.slots.contains(slot.index) {
      throw CoreDataError.badRequest("its expression refers to the attribute itself")
    }
    guard BatchUpdate.fits(expression.kind, slot) else {
      let type = (slot.property as? NSAttributeDescription)?.attributeType
      throw CoreDataError.badRequest(
        "its expression returns \(expression.kind.nameWithArticle), which an attribute of the type"
          + " \(type?.modelFileName ?? "")\(slot.mayBeExternal ? " with external storage" : "")"
          + " cannot store")
    }
  }

  /// Returns the expression of a derived attribute as statements compute it.
  ///
  /// - Throws: An error with the reason why no statement can compute it.
  package static func expression(
    of slot: PropertySlot, in layout: EntityLayout
  ) throws -> BoundExpression {
    guard
      let given = (slot.property as? NSDerivedAttributeDescription)?.derivationExpression
    else {
      throw CoreDataError.badRequest("its expression is missing or cannot be read")
    }
    try given.checkNesting()
    return try PredicateBinder(layout).single(ofEachMember(given, in: layout))
  }

  /// Returns an expression whose numbers have the precision of the attribute. SQL has no operator that rounds to a
  /// Float.
  private static func rounded(
    _ expression: BoundExpression, _ slot: PropertySlot
  ) -> BoundExpression {
    guard slot.storage == .float, expression.kind.isNumber else { return expression }
    let function = BoundFunction(operation: .key("floatValue"), argumentKinds: [expression.kind])
    return .function(function, [expression])
  }

  // MARK: Operators

  private static let operators = [
    "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg",
  ]

  /// Returns an expression whose operators use the value of each member.
  private static func ofEachMember(
    _ expression: NSExpression, in layout: EntityLayout
  ) -> NSExpression {
    // As a key path, `players.age.@sum` adds up only different ages, because the ages of a set's
    // members are a set. Derived attributes add up the age of each player, as Apple's triggers do.
    switch expression.node {
    case .keyPath(let path):
      let keys = path.split(separator: ".").map(String.init)
      guard let name = keys.last, operators.values.contains(name),
        let whole = keyPath(keys.dropLast(), name, in: layout)
      else { return expression }
      return NSExpression(forKeyPath: whole)
    case .function(let function, let operand, let arguments) where operand == nil:
      if let name = operators[function], arguments.count == 1,
        case .keyPath(let path) = arguments[0].node,
        let whole = keyPath(path.split(separator: ".").map(String.init)[...], name, in: layout)
      {
        return NSExpression(forKeyPath: whole)
      }
      return NSExpression(
        forFunction: function, arguments: arguments.map { ofEachMember($0, in: layout) })
    case .aggregate(let elements):
      return NSExpression(node: .aggregate(elements.map { ofEachMember($0, in: layout) }))
    default: return expression
    }
  }

  /// Returns a key path with an operator after its to-many relationship; nil for a path without one, or with an
  /// operator or nothing after it.
  private static func keyPath(
    _ keys: ArraySlice<String>, _ name: String, in layout: EntityLayout
  ) -> String? {
    var layout = layout
    for (place, key) in keys.enumerated() {
      guard let slot = layout.slot(named: key), let relationship = slot.relationship else {
        return nil
      }
      layout = relationship.destination
      let rest = keys.dropFirst(place + 1)
      if slot.kind == .toMany, !rest.isEmpty, !rest.contains(where: { $0.hasPrefix("@") }) {
        return (keys.prefix(place + 1) + [name] + rest).joined(separator: ".")
      }
    }
    return nil
  }
}
