import OrderedCollections

/// Sets the properties of destination objects as the property mappings of an entity mapping define.
///
/// Each property mapping is resolved to a slot and a way to set it only once, not for each object. It is resolved again
/// only if a migration policy has changed it in the meantime.
final class MappedValues {
  private enum Step {
    /// Copies a stored value without converting it to an object.
    case copy(from: Int)
    /// Copies a composite attribute element by element, because names of elements may have changed.
    case elements([(to: PropertySlot, from: PropertySlot)])
    case evaluate(Predicates.NSExpression)
    case nothing
  }

  private struct Plan {
    let property: NSPropertyMapping
    /// The name and expression of the mapping when the plan was made.
    let name: String?
    let expression: Predicates.NSExpression?
    let slot: PropertySlot
    let step: Step
  }

  private struct Key: Hashable {
    let source: Int
    let destination: Int
  }

  let mapping: NSEntityMapping
  /// The relationships that are set by setting their inverses.
  var implied: Set<String> = []
  private var attributes: [Key: [Plan]] = [:]
  private var relationships: [Key: [Plan]] = [:]

  init(_ mapping: NSEntityMapping) { self.mapping = mapping }

  // MARK: Attributes

  func setAttributes(
    of object: NSManagedObject, from source: NSManagedObject, _ policy: NSEntityMigrationPolicy,
    _ manager: NSMigrationManager
  ) throws {
    for plan in try plans(\.attributes, mapping.attributeMappings, object, source) {
      do {
        switch plan.step {
        case .nothing: continue
        case .copy(let slot):
          let value = try source.storedValue(slot)
          if value.isNull, keepsDefault(plan.slot) { continue }
          object.setStoredValue(plan.slot.index, value)
        case .elements(let pairs):
          for (slot, origin) in pairs { try setElement(slot, of: object, origin, of: source) }
        case .evaluate(let expression):
          let value = try manager.value(
            of: expression, for: plan.property, in: mapping, source, object, policy)
          if isNone(value), keepsDefault(plan.slot) { continue }
          try object.setExternalValue(fitted(value, plan.slot), plan.slot.index)
        }
      } catch {
        throw MigrationErrors.property(mapping, plan.property, error)
      }
    }
  }

  private func setElement(
    _ slot: PropertySlot, of object: NSManagedObject, _ origin: PropertySlot,
    of source: NSManagedObject
  ) throws {
    let value = try source.storedValue(origin.index)
    if value.isNull, keepsDefault(slot) { return }
    if hasSameStorage(origin, slot) {
      object.setStoredValue(slot.index, value)
    } else {
      try object.setExternalValue(fitted(source.externalValue(origin.index), slot), slot.index)
    }
  }

  private func isNone(_ value: Any?) -> Bool {
    guard let value = flattenOptional(value) else { return true }
    return value is NSNull
  }

  private func keepsDefault(_ slot: PropertySlot) -> Bool {
    !slot.isOptional && slot.defaultValue != nil
  }

  /// Keeps only the low bits of integers that the attribute type cannot represent, as reading the column would. For a
  /// boolean attribute, any number except zero is converted to true.
  private func fitted(_ value: Any?, _ slot: PropertySlot) -> Any? {
    guard slot.storage == .integer16 || slot.storage == .integer32 || slot.storage == .boolean,
      let number = flattenOptional(value) as? NSNumber
    else { return value }
    if slot.storage == .boolean { return number.doubleValue != 0 }
    // Integers are not converted to doubles, which would lose bits of large ones.
    let whole =
      number.scalar.integerValue ?? Int64(exactly: number.doubleValue.rounded(.towardZero))
      ?? number.int64Value
    return slot.storage == .integer16
      ? Int(Int16(truncatingIfNeeded: whole)) : Int(Int32(truncatingIfNeeded: whole))
  }

  // MARK: Relationships

  func setRelationships(
    of object: NSManagedObject, from source: NSManagedObject, _ policy: NSEntityMigrationPolicy,
    _ manager: NSMigrationManager
  ) throws {
    for plan in try plans(\.relationships, mapping.relationshipMappings, object, source) {
      guard case .evaluate(let expression) = plan.step, !implied.contains(plan.slot.name) else {
        continue
      }
      do {
        let value = try manager.value(
          of: expression, for: plan.property, in: mapping, source, object, policy)
        let members = try MigrationObjects.objects(of: value)
        // Setting the inverse may already have set this relationship, so an empty result must not clear it.
        if members.isEmpty { continue }
        try requireMembers(members, of: plan.slot, in: object)
        if plan.slot.kind == .toOne {
          try object.setToOne(plan.slot.index, members[0])
        } else {
          try object.setToMany(plan.slot.index, OrderedSet(members))
        }
      } catch {
        throw MigrationErrors.property(mapping, plan.property, error)
      }
    }
  }

  /// - Throws: An error for an object that is not of the relationship's destination entity. Objects of another context
  ///   are detected when the relationship is set.
  private func requireMembers(
    _ members: [NSManagedObject], of slot: PropertySlot, in object: NSManagedObject
  ) throws {
    guard let destination = slot.relationship?.destination else { return }
    // The key of such an object would be interpreted as the key of a row of the destination entity.
    for member in members
    where member.unsafeContext === object.unsafeContext
      && !member.layout.isKind(of: destination)
    {
      throw MigrationFailure(
        reason: "its expression returns an object of \(member.layout.name) instead of one of"
          + " \(destination.name)")
    }
  }

  /// Whether the second pass sets any relationship.
  var hasRelationships: Bool {
    mapping.relationshipMappings?.contains {
      $0.valueExpression != nil && !implied.contains($0.name ?? "")
    } ?? false
  }

  /// The first keys of the expressions' key paths from source objects. The to-many relationships among them are read
  /// for many objects together.
  var followedKeys: Set<String> {
    Set(
      (mapping.relationshipMappings ?? []).filter { !implied.contains($0.name ?? "") }
        .compactMap(\.valueExpression).flatMap(Self.sourceKeys))
  }

  private static func sourceKeys(_ expression: Predicates.NSExpression) -> [String] {
    if let (name, path) = expression.variableKeyPath {
      return name == NSMigrationSourceObjectKey
        ? path.split(separator: ".").prefix(1).map(String.init) : []
    }
    guard case .function(_, _, let arguments) = expression.node else { return [] }
    return arguments.flatMap(sourceKeys)
  }

  // MARK: Plans

  private func plans(
    _ path: ReferenceWritableKeyPath<MappedValues, [Key: [Plan]]>,
    _ properties: [NSPropertyMapping]?, _ object: NSManagedObject, _ source: NSManagedObject
  ) throws -> [Plan] {
    let properties = properties ?? []
    // Objects may be of subentities, whose slots differ.
    let key = Key(source: source.layout.index, destination: object.layout.index)
    if let known = self[keyPath: path][key], known.count == properties.count,
      zip(known, properties).allSatisfy({
        $0.property === $1 && $0.expression === $1.valueExpression && $0.name == $1.name
      })
    {
      return known
    }
    let plans = try properties.map { try plan($0, object.layout, source.layout) }
    self[keyPath: path][key] = plans
    return plans
  }

  private func plan(
    _ property: NSPropertyMapping, _ layout: EntityLayout, _ source: EntityLayout
  ) throws -> Plan {
    guard let slot = layout.slot(named: property.name ?? "") else {
      throw MigrationErrors.property(
        mapping, property,
        MigrationFailure(reason: "the entity \(layout.name) has no such property"))
    }
    if let expression = property.valueExpression, let key = unknownKey(expression, source) {
      throw MigrationErrors.property(
        mapping, property,
        MigrationFailure(
          reason: "the source entity \(source.name) has no property for the key path \(key)"))
    }
    return Plan(
      property: property, name: property.name, expression: property.valueExpression, slot: slot,
      step: step(property.valueExpression, slot, layout, source))
  }

  /// Returns the first key path of the source object that is not in the source model; nil if there is none. Reading
  /// such a key path would stop the program.
  private func unknownKey(_ expression: Predicates.NSExpression, _ source: EntityLayout) -> String?
  {
    if let (name, path) = expression.variableKeyPath {
      return name == NSMigrationSourceObjectKey && !isValidKeyPath(path, from: source)
        ? "$source.\(path)" : nil
    }
    guard case .function(_, _, let arguments) = expression.node else { return nil }
    for argument in arguments {
      if let key = unknownKey(argument, source) { return key }
    }
    return nil
  }

  private func isValidKeyPath(_ path: String, from source: EntityLayout) -> Bool {
    var layout = source
    // Operators, such as `@count`, are not properties.
    var keys = path.split(separator: ".").filter { $0.first != "@" }[...]
    while let key = keys.popFirst() {
      guard let slot = layout.slot(named: String(key)) else {
        return ["objectID", "entity", "self"].contains(String(key))
      }
      if slot.kind == .composite {
        return (try? CompositeValue(slot, in: layout).target(of: keys)) != nil
      }
      // Keys after an attribute belong to its value, not to the model.
      guard let destination = slot.relationship?.destination else { return true }
      layout = destination
    }
    return true
  }

  private func step(
    _ expression: Predicates.NSExpression?, _ slot: PropertySlot, _ layout: EntityLayout,
    _ source: EntityLayout
  ) -> Step {
    // The store computes derived attributes, and fetched properties have no stored values.
    guard let expression, !(slot.property is NSDerivedAttributeDescription), slot.kind != .fetched
    else { return .nothing }
    guard let (name, path) = expression.variableKeyPath, name == NSMigrationSourceObjectKey,
      let origin = source.slot(named: path)
    else { return .evaluate(expression) }
    if slot.kind == .composite, origin.kind == .composite {
      return .elements(
        layout.slots[slot.elements].compactMap { element in
          source.element(ofOld: origin, for: element, of: slot).map { (element, $0) }
        })
    }
    return hasSameStorage(origin, slot) ? .copy(from: origin.index) : .evaluate(expression)
  }

  /// Returns whether two attributes store equal values in the same way.
  private func hasSameStorage(_ origin: PropertySlot, _ slot: PropertySlot) -> Bool {
    guard let storage = origin.storage, storage == slot.storage, storage != .object,
      !origin.isTransient
    else { return false }
    // Two transformers may produce different bytes for one value.
    return storage != .transformable || hasSameTransformer(origin.property, slot.property)
  }

  private func hasSameTransformer(
    _ one: NSPropertyDescription, _ other: NSPropertyDescription
  ) -> Bool {
    guard let one = one as? NSAttributeDescription, let other = other as? NSAttributeDescription
    else { return false }
    return one.valueTransformerName == other.valueTransformerName
  }
}

/// Extracts objects from the value of an expression.
enum MigrationObjects {
  /// Returns the managed objects in a value, which is one object, a collection of objects, or nil.
  ///
  /// - Throws: A ``MigrationFailure`` for any other value.
  static func objects(of value: Any?) throws -> [NSManagedObject] {
    guard let value = flattenOptional(value), !(value is NSNull) else { return [] }
    if let objects = value as? [NSManagedObject] { return objects }
    if let object = value as? NSManagedObject { return [object] }
    guard let elements = KeyValueCollection(value)?.elements else {
      throw MigrationFailure(
        reason: "its expression returns a \(type(of: value)) instead of objects")
    }
    return try elements.compactMap { element in
      if element is NSNull { return nil }
      guard let object = element as? NSManagedObject else {
        throw MigrationFailure(
          reason: "its expression returns a collection with a \(type(of: element)) instead of"
            + " objects")
      }
      return object
    }
  }
}
