/// Requires that uniqueness constraints consist of stored attributes and to-one relationships.
///
/// A merge policy can resolve a conflict only if the store finds it when it writes the row. At that time, a derived
/// attribute has a value only if it normalizes a string of the same row, such as `lowercase:(name)`.
enum ConstraintRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    var seen: Set<Set<String>> = []
    for (group, names) in zip(entity.uniquenessConstraints, entity.uniquenessConstraintNames) {
      if group.isEmpty {
        // Apple's Core Data accepts an empty constraint, and some programs set one for every entity.
        inspection.report(
          .emptyConstraint, entity, "a uniqueness constraint is empty, and constrains nothing")
      } else if names.count < group.count {
        inspection.report(
          .invalidConstraint, entity,
          "a uniqueness constraint has a member that is neither a property nor a name")
      }
      for name in names {
        if let defect = defect(of: name, entity, &inspection) {
          inspection.report(.invalidConstraint, entity, defect)
        }
      }
      if !names.isEmpty, !seen.insert(Set(names)).inserted {
        inspection.report(
          .repeatedConstraint, entity,
          "the uniqueness constraint (\(names.joined(separator: ", "))) occurs twice")
      }
    }
  }

  private static func defect(
    of name: String, _ entity: NSEntityDescription, _ inspection: inout ModelInspection
  ) -> String? {
    let properties = inspection.properties(of: entity)
    if let composite = properties.composite(containing: name) {
      return composite.reasonForNoColumn.map {
        "a uniqueness constraint contains '\(name)', which is \($0)"
      }
    }
    guard let property = properties[name] else {
      return "a uniqueness constraint contains the unknown property"
        + " \(inspection.quoted(name, among: properties.keys))"
    }
    let reason =
      isComputedLate(property, properties)
      ? "derived, but not by 'canonical:', 'lowercase:' or 'uppercase:' from the same object"
      : property.reasonForNoColumn
    return reason.map { "a uniqueness constraint contains '\(name)', which is \($0)" }
  }

  /// Returns whether a property is a derived attribute that a store computes after it has written the row, or whose
  /// value is the time of the save.
  private static func isComputedLate(
    _ property: NSPropertyDescription, _ properties: [String: NSPropertyDescription]
  ) -> Bool {
    // Another rule reports an attribute without an expression.
    guard let text = (property as? NSDerivedAttributeDescription)?.derivationText, !text.isEmpty
    else { return false }
    guard let path = DerivationExpression(text: text).formedText else { return true }
    if properties.composite(containing: path) != nil { return false }
    let source = properties[path]
    return !(source is NSAttributeDescription) || source is NSDerivedAttributeDescription
  }
}

extension NSPropertyDescription {
  /// The reason why the property has no column for a constraint or an index; nil if it has one.
  final var reasonForNoColumn: String? {
    switch self {
    case is NSFetchedPropertyDescription: "a fetched property"
    case _ where isTransient: "transient"
    case let relationship as NSRelationshipDescription where relationship.isToMany:
      "a to-many relationship"
    default: nil
    }
  }
}
