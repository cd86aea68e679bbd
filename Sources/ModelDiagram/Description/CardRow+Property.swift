import ObjectModel

extension CardRow {
  /// The maximum nesting of composite attributes that is shown. The limit is necessary because code can make one
  /// contain itself.
  static let deepestComposite = 4

  /// Creates the row of an attribute.
  init(_ attribute: NSAttributeDescription, constraints: [[String]], depth: Int) {
    var type = attribute.attributeType.modelFileName
    if attribute.attributeType == .transformableAttributeType,
      let className = attribute.customValueClassName, !className.isEmpty
    {
      type = className
    }
    if let composite = attribute as? NSCompositeAttributeDescription,
      let name = composite.compositeName, !name.isEmpty
    {
      type = name
    }
    var marks: [Mark] = []
    if attribute.isTransient { marks.append(.transient) }
    if attribute is NSDerivedAttributeDescription { marks.append(.derived) }
    if attribute.allowsExternalBinaryDataStorage { marks.append(.external) }
    if attribute.allowsCloudEncryption { marks.append(.encrypted) }

    var facts = [type, attribute.isOptional ? "optional" : "required"]
    facts += marks.map(\.rawValue)
    if let derived = attribute as? NSDerivedAttributeDescription,
      let expression = derived.derivationText
    {
      facts.append("computed as \(expression)")
    }
    if let value = attribute.defaultValue { facts.append("default \(value)") }
    for group in constraints {
      facts.append(
        group.count == 1 ? "unique" : "unique together: \(group.joined(separator: " + "))")
    }
    self.init(
      kind: .attribute, name: attribute.name, type: attribute.isOptional ? type + "?" : type,
      isKey: !constraints.isEmpty, marks: marks, depth: depth,
      explanation: "\(attribute.name): \(facts.joined(separator: ", "))")
  }

  /// Creates the row of a relationship.
  init(_ relationship: NSRelationshipDescription) {
    let counts = RelationLine.Cardinality(relationship).text
    let destination = relationship.destinationEntity?.name ?? "(nothing)"
    var marks: [Mark] = []
    if relationship.isTransient { marks.append(.transient) }
    if relationship.isOrdered { marks.append(.ordered) }
    switch relationship.deleteRule {
    case .nullifyDeleteRule: break
    case .cascadeDeleteRule: marks.append(.cascade)
    case .denyDeleteRule: marks.append(.deny)
    case .noActionDeleteRule: marks.append(.noAction)
    }
    var facts = ["\(counts) \(destination)"]
    if relationship.isTransient { facts.append("transient") }
    if relationship.isOrdered { facts.append("ordered") }
    facts.append("delete rule \(relationship.deleteRule.modelFileName)")
    if let inverse = relationship.inverseRelationship {
      facts.append("inverse \(inverse.owner?.name ?? destination).\(inverse.name)")
    } else {
      facts.append("no inverse")
    }
    self.init(
      kind: .relationship, name: relationship.name, type: "\(destination) \(counts)", marks: marks,
      explanation: "\(relationship.name): \(facts.joined(separator: ", "))")
  }

  /// Creates the row of a fetched property.
  init(_ property: NSFetchedPropertyDescription) {
    let entity = property.fetchTemplate?.entityName ?? "(nothing)"
    var facts = ["fetched from \(entity)"]
    if let condition = property.fetchTemplate?.predicateFormat, !condition.isEmpty {
      facts.append("where \(condition)")
    }
    self.init(
      kind: .fetchedProperty, name: property.name, type: "\(entity) 0..*", marks: [.fetched],
      explanation: "\(property.name): \(facts.joined(separator: " "))")
  }
}
