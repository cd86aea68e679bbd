package import CoreData

/// The value that `key=value` sets a property to.
package struct PropertyValue {
  package let key: String
  package let value: Any?

  /// Sets the property on an object.
  package func set(on object: NSManagedObject) throws {
    try object.setValidatedValue(value, forKey: key)
  }

  /// Checks the type of a value, and the rules of its property, for a batch request, which validates nothing itself.
  package static func validate(
    _ value: Any?, forKey key: String, of entity: NSEntityDescription
  ) throws {
    // This object without a context only validates the value: a value that it rejects is invalid in every row.
    let object = NSManagedObject(entity: entity, insertInto: nil)
    try object.setValidatedValue(value, forKey: key)
    try object.validateValue(value, forKey: key)
  }

  /// Converts the text of an assignment to a value of an entity's property, and looks up rows that it refers to.
  ///
  /// - Parameter attributesOnly: The option that excludes relationships, for the message; nil if they can be set.
  package init(
    _ assignment: Assignment, of entity: NSEntityDescription, in context: NSManagedObjectContext,
    attributesOnly option: String? = nil
  ) throws {
    key = assignment.key
    guard let property = entity.propertiesByName[key] ?? entity.element(at: key) else {
      throw Diagnostic.unknownKey(
        key, entity: entity.name ?? "", use: "key=value",
        among: Array(entity.propertiesByName.keys))
    }
    switch property {
    case let attribute as NSAttributeDescription:
      value = try Self.value(assignment, attribute)
    case let relationship as NSRelationshipDescription:
      if let option {
        throw Diagnostic(
          .usage, "\(key) is a relationship, and \(option) sets attributes only",
          details: ["Omit \(option)."])
      }
      value = try Self.value(assignment, relationship, context)
    default:
      throw Diagnostic(.usage, "\(key) is a fetched property and cannot be set")
    }
  }

  private static func value(
    _ assignment: Assignment, _ attribute: NSAttributeDescription
  ) throws(Diagnostic) -> Any? {
    guard !(attribute is NSDerivedAttributeDescription) else {
      throw Diagnostic(
        .usage, "\(attribute.name) is derived from other values and cannot be set")
    }
    guard !attribute.isTransient else {
      throw Diagnostic(.usage, "\(attribute.name) is transient and not stored")
    }
    guard let text = assignment.value else { return nil }
    guard attribute.attributeType.expectation != nil else {
      let element = (attribute as? NSCompositeAttributeDescription)?.elements.first
      throw Diagnostic(
        .usage,
        "\(attribute.name) is of type \(attribute.attributeType.modelFileName), which "
          + "cannot be entered as text",
        details: element.map { ["Set its elements one by one: \(attribute.name).\($0.name)=…"] }
          ?? [])
    }
    return try ValueInput.value(of: text, as: attribute.attributeType, for: attribute.name)
      .libraryValue
  }

  private static func value(
    _ assignment: Assignment, _ relationship: NSRelationshipDescription,
    _ context: NSManagedObjectContext
  ) throws -> Any? {
    guard let text = assignment.value else { return nil }
    if relationship.isToMany {
      return try ObjectReference.parseList(text, for: relationship.name).map {
        try find($0, relationship, context)
      } as NSArray
    }
    return try find(
      try ObjectReference.parse(
        text, for: relationship.name, isOptional: relationship.isOptional),
      relationship, context)
  }

  /// Finds the row of a reference.
  private static func find(
    _ reference: ObjectReference, _ relationship: NSRelationshipDescription,
    _ context: NSManagedObjectContext
  ) throws -> NSManagedObject {
    guard let destination = relationship.destinationEntity, let name = destination.name else {
      throw Diagnostic(.data, "\(relationship.name) has no destination entity")
    }
    let wanted = "\(reference.entity ?? name)/p\(reference.key)"
    let missing = Diagnostic(.usage, "there is no row \(wanted)")
    guard let coordinator = context.persistentStoreCoordinator else { throw missing }
    let resolver = ReferenceResolver(coordinator: coordinator)
    if let object = try resolver.object(reference, of: destination, in: context) { return object }
    // If the destination has a row with this key, the entity in the reference is wrong.
    var anyEntity = reference
    anyEntity.entity = nil
    guard reference.entity != nil,
      try resolver.object(anyEntity, of: destination, in: context) != nil
    else { throw missing }
    throw Diagnostic(
      .usage, "there is no row \(wanted) for \(relationship.name), which leads to \(name)")
  }
}

extension NSEntityDescription {
  /// Returns the element of the composite attribute at a key path that begins with the attribute's name; nil for any
  /// other path.
  package func element(at path: String) -> NSAttributeDescription? {
    let attribute = path.split(separator: ".").first.flatMap { attributesByName[String($0)] }
    return (attribute as? NSCompositeAttributeDescription)?.element(at: path)
  }
}

extension NSPropertyDescription {
  /// The type, or the destination of a relationship: `String`, `→ Team`, `→→ Person`; nil for a fetched property.
  package var typeText: String? {
    switch self {
    case let attribute as NSAttributeDescription: attribute.attributeType.modelFileName
    case let relationship as NSRelationshipDescription:
      (relationship.isToMany ? "→→ " : "→ ") + (relationship.destinationEntity?.name ?? "")
    default: nil
    }
  }
}
