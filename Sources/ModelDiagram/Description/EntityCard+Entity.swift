import ObjectModel

extension EntityCard {
  /// Creates the card of an entity.
  init(_ entity: NSEntityDescription, family: Int?) {
    let name = entity.name ?? "(no name)"
    self.init(
      name: name, className: Self.notableClassName(of: entity), isAbstract: entity.isAbstract,
      family: family)
    // The uniqueness constraints that contain an attribute, by its name.
    var constraints: [String: [[String]]] = [:]
    for group in entity.uniquenessConstraintNames {
      // In a damaged model, an attribute may occur twice in one constraint.
      for name in Set(group) { constraints[name, default: []].append(group) }
    }
    for property in Self.order(entity.ownProperties) {
      switch property {
      case let attribute as NSAttributeDescription:
        append(attribute, constraints: constraints)
      case let relationship as NSRelationshipDescription:
        rows.append(CardRow(relationship))
      case let fetched as NSFetchedPropertyDescription:
        rows.append(CardRow(fetched))
      default:
        continue
      }
    }
  }

  /// Returns the indexes of the rows of an entity's own properties.
  static func rowPlaces(of entity: NSEntityDescription) -> [ObjectIdentifier: Int] {
    var result: [ObjectIdentifier: Int] = [:]
    var place = 0
    for property in order(entity.ownProperties) {
      result[ObjectIdentifier(property)] = place
      // Counts the rows without making them, in the order in which `init` appends them.
      place += rowCount(of: property)
    }
    return result
  }

  /// Returns attributes, relationships and fetched properties, in this order; other properties have no row.
  private static func order(_ properties: [NSPropertyDescription]) -> [NSPropertyDescription] {
    properties.filter { $0 is NSAttributeDescription }
      + properties.filter { $0 is NSRelationshipDescription }
      + properties.filter { $0 is NSFetchedPropertyDescription }
  }

  private static func rowCount(of property: NSPropertyDescription, depth: Int = 0) -> Int {
    guard let composite = property as? NSCompositeAttributeDescription,
      depth < CardRow.deepestComposite
    else { return 1 }
    return composite.elements.reduce(1) { $0 + rowCount(of: $1, depth: depth + 1) }
  }

  private mutating func append(
    _ attribute: NSAttributeDescription, constraints: [String: [[String]]], depth: Int = 0
  ) {
    // Constraints name properties of the entity, so elements have none, even if their names are equal.
    let groups = depth == 0 ? constraints[attribute.name] ?? [] : []
    rows.append(CardRow(attribute, constraints: groups, depth: depth))
    guard let composite = attribute as? NSCompositeAttributeDescription,
      depth < CardRow.deepestComposite
    else { return }
    for element in composite.elements {
      append(element, constraints: constraints, depth: depth + 1)
    }
  }

  /// Returns the class name if it differs from the entity's name, regardless of its module; nil otherwise, and for
  /// `NSManagedObject`.
  private static func notableClassName(of entity: NSEntityDescription) -> String? {
    guard let name = entity.representedClassName, !name.isEmpty, name != "NSManagedObject" else {
      return nil
    }
    // Xcode writes a dot before the name of a class in the current module.
    let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
    let last = plain.split(separator: ".").last.map(String.init)
    return last == entity.name ? nil : plain
  }
}
