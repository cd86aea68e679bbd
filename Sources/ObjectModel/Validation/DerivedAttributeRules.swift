/// Requires that a derived attribute has an expression that a store can compute and that refers to existing properties.
///
/// The header of `NSDerivedAttributeDescription` allows "a keypath expression (including @operation components) or a
/// function expression using one of the predefined functions". `ExpressionDerivation` also checks whether a store's
/// statements can compute the expression.
enum DerivedAttributeRules: PropertyRule {
  static func inspect(
    _ property: NSPropertyDescription, of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) {
    guard let derived = property as? NSDerivedAttributeDescription else { return }
    guard let text = derived.derivationText, !text.isEmpty else {
      inspection.report(
        .invalidDerivation, entity, derived, "the derived attribute has no expression")
      return
    }
    if let defect = defect(in: text, of: entity, &inspection) {
      inspection.report(.invalidDerivation, entity, derived, defect)
    }
    if let defect = ModelInspection.defect(inPredicate: derived.filterText) {
      inspection.report(.unreadableText, entity, derived, defect)
    }
  }

  private static func defect(
    in text: String, of entity: NSEntityDescription, _ inspection: inout ModelInspection
  ) -> String? {
    if let defect = ModelInspection.defect(inExpression: text) { return defect }
    guard let expression = try? NSExpression(validating: text) else { return nil }
    return defect(in: expression, of: entity, &inspection)
  }

  private static func defect(
    in expression: NSExpression, of entity: NSEntityDescription, isInFunction: Bool = false,
    _ inspection: inout ModelInspection
  ) -> String? {
    switch expression.node {
    case .keyPath(let path): return defect(inPath: path, of: entity, &inspection)
    case .constant where isInFunction: return nil
    case .aggregate(let parts) where isInFunction:
      return defect(in: parts, of: entity, &inspection)
    case .function(let name, let operand, let arguments) where operand == nil:
      switch PredefinedFunction(rawValue: name) {
      // A random value is not derived from a row.
      case .random, .randomBelow: break
      case .now where isInFunction: return "'now()' can only be the whole expression"
      default: return defect(in: arguments, of: entity, &inspection)
      }
    default: break
    }
    return
      "'\(expression.description)' is neither a key path nor a function that a store can compute"
  }

  private static func defect(
    in expressions: [NSExpression], of entity: NSEntityDescription,
    _ inspection: inout ModelInspection
  ) -> String? {
    for expression in expressions {
      if let defect = defect(in: expression, of: entity, isInFunction: true, &inspection) {
        return defect
      }
    }
    return nil
  }

  private static func defect(
    inPath path: String, of entity: NSEntityDescription, _ inspection: inout ModelInspection
  ) -> String? {
    let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      // Operators such as `@count` are not names of properties.
      .filter { !$0.hasPrefix("@") }
    var current: NSEntityDescription? = entity
    for (place, step) in steps.enumerated() {
      guard let here = current else {
        return "the expression's path '\(path)' continues after an attribute"
      }
      let properties = inspection.properties(of: here)
      guard let property = properties[step] else {
        return
          "the expression uses a property that '\(ModelInspection.name(of: here))' does not have:"
          + " \(inspection.quoted(step, among: properties.keys))"
      }
      if let composite = property as? NSCompositeAttributeDescription,
        composite.element(at: steps[place...].joined(separator: ".")) != nil
      {
        return nil
      }
      current = (property as? NSRelationshipDescription)?.destinationEntity
    }
    return nil
  }
}
