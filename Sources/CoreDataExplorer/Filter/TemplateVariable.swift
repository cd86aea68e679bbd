import CoreData

/// A variable of a fetch request template, which the user fills in.
struct TemplateVariable: Encodable, Equatable {
  let name: String
  /// The type of the attribute that the variable is compared with; `String` if the type is unknown.
  let type: String

  /// Returns the variables of a predicate, in order and without duplicates.
  static func variables(of predicate: NSPredicate?, entity: NSEntityDescription?) -> [Self] {
    var found: [Self] = []
    for (name, path) in predicate.map(comparisons) ?? [] {
      let type = path.flatMap { attributeType(of: $0, entity) } ?? "String"
      if let known = found.firstIndex(where: { $0.name == name }) {
        if path != nil { found[known] = Self(name: name, type: type) }
      } else {
        found.append(Self(name: name, type: type))
      }
    }
    return found
  }

  /// Returns the variables with the key paths that they are compared with.
  private static func comparisons(_ predicate: NSPredicate) -> [(String, String?)] {
    switch predicate {
    case let compound as NSCompoundPredicate:
      return compound.subpredicates.flatMap(comparisons)
    case let comparison as NSComparisonPredicate:
      let sides = [comparison.leftExpression, comparison.rightExpression]
      let path = sides.first { $0.expressionType == .keyPath }?.keyPath
      return sides.flatMap(variables).map { ($0, path) }
    default: return []
    }
  }

  private static func variables(_ expression: NSExpression) -> [String] {
    switch expression.expressionType {
    case .variable: [expression.variable]
    case .function: (expression.arguments ?? []).flatMap(variables)
    case .aggregate: (expression.collection as? [NSExpression] ?? []).flatMap(variables)
    default: []
    }
  }

  private static func attributeType(of path: String, _ entity: NSEntityDescription?) -> String? {
    var entity = entity
    for key in path.split(separator: ".") {
      let property = entity?.propertiesByName[String(key)]
      if let attribute = property as? NSAttributeDescription {
        return attribute.attributeType.modelFileName
      }
      entity = (property as? NSRelationshipDescription)?.destinationEntity
    }
    return nil
  }
}
