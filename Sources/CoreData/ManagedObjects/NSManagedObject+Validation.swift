import OrderedCollections

extension NSManagedObject {
  /// Returns an error for each property whose value breaks a rule of the model or of the object's class.
  func brokenRules() -> [NSError] {
    var errors: [NSError] = []
    // As in Apple's Core Data, validation reports the errors of all properties of an object.
    func collect(_ check: () throws -> Void) {
      do { try check() } catch { errors.append(error as NSError) }
    }
    if hasOwnRules {
      // A class may have rules for any property.
      for slot in layout.slots { collect { try checkByOwnRules(slot) } }
    } else {
      for slot in layout.ruledSlots { collect { try checkByModel(layout.slots[slot]) } }
    }
    return errors
  }

  /// Whether the object's class overrides validation.
  private var hasOwnRules: Bool {
    let type = type(of: self)
    // The layout knows this for the entity's class, but the program may have created the object from a subclass.
    return type == layout.managedObjectClass
      ? layout.hasOwnRules : OverriddenMethods.overridesValidation(type)
  }

  /// Checks the model's rules. The type of the value was checked when it was set.
  private func checkByModel(_ slot: PropertySlot) throws {
    guard slot.composite == nil, slot.isValidated || slot.kind == .toMany else {
      return try requireFiniteDate(slot)
    }
    switch slot.kind {
    case .attribute, .composite: try checkRules(externalValue(slot.index), slot)
    case .toOne: try requireDestination(slot)
    case .toMany: try validateCount(slot)
    case .fetched: break
    }
  }

  private func checkByOwnRules(_ slot: PropertySlot) throws {
    if slot.composite != nil { return try requireFiniteDate(slot) }
    switch slot.kind {
    case .attribute, .composite: try validateByOwnRules(externalValue(slot.index), slot)
    case .toOne:
      if let object = writtenDestination(slot) {
        try validateByOwnRules(object, slot)
      } else {
        try requireDestination(slot)
      }
    case .toMany:
      try validateCount(slot)
      if let content = changedMembers(slot) { try validateByOwnRules(content.collection, slot) }
    case .fetched: break
    }
  }

  private func requireDestination(_ slot: PropertySlot) throws {
    if !slot.isOptional, try toOneID(slot.index) == nil {
      throw ValidationErrors.missing(slot, self)
    }
  }

  /// Calls the validation of a subclass, which may replace the value with a valid one.
  private func validateByOwnRules(_ given: Any?, _ slot: PropertySlot) throws {
    // The stack has no room to box and release a value that is nested this deeply.
    if let given, slot.storage == .transformable || slot.storage == .object,
      NestedValues.height(of: given) > LargeStack.safeHeight
    {
      return try validateValue(given, forKey: slot.name)
    }
    // Boxed once, so that a value that the override leaves alone is recognized by its identity.
    let boxed = given.map { $0 as AnyObject }
    var value = boxed
    try validateValue(&value, forKey: slot.name)
    if value === boxed { return }
    if !ValueEquality.areEqual(given, value) { try setExternalValue(value, slot.index) }
  }

  /// Returns the destination that a to-one relationship was set to.
  private func writtenDestination(_ slot: PropertySlot) -> NSManagedObject? {
    guard case .writtenObject(let object) = content(slot.index) else { return nil }
    return object
  }

  /// Returns the members of a to-many relationship if they were changed and are in memory.
  private func changedMembers(_ slot: PropertySlot) -> ToManyContent? {
    guard case .toMany(let content) = content(slot.index), content.isRead, content.isChanged else {
      return nil
    }
    return content
  }

  /// Checks a value whose type was not checked before.
  func check(_ value: Any?, _ slot: PropertySlot) throws {
    if let value, isPlain(value, slot) {
      // The value has the right type.
    } else if let value = flattenOptional(value), !isNullObject(value) {
      try requireType(of: value, slot)
    } else if slot.kind == .toMany {
      return try checkCount([], slot)
    }
    if slot.kind == .toMany {
      let members = try RelationshipCodec.objects(value, slot, in: layout)
      try checkCount(members.elements, slot)
    }
    try checkRules(value, slot)
  }

  /// Checks that a required value is not nil, and checks a value of the right type against the model's rules.
  private func checkRules(_ value: Any?, _ slot: PropertySlot) throws {
    guard let value, isPlain(value, slot) || !isNullObject(value) else {
      if slot.isOptional || slot.kind == .toMany { return }
      throw ValidationErrors.missing(slot, self)
    }
    if slot.storage == .date, let date = value as? Date,
      !date.timeIntervalSinceReferenceDate.isFinite
    {
      throw ValidationErrors.invalidDate(slot, self, date.timeIntervalSinceReferenceDate)
    }
    if slot.kind == .composite { try checkElements(value, slot) }
    for rule in slot.property.validationRules {
      try ValidationErrors.check(rule, value, slot, self)
    }
    if !slot.isOptional, !slot.isTransient, isNotANumber(value, slot) {
      throw ValidationErrors.notANumber(slot, self, value)
    }
  }

  /// Returns whether a value of a number's type is not-a-number, which SQLite stores as NULL. The same rule applies to
  /// every kind of store, because the store of a new object is known only when the root context saves it.
  private func isNotANumber(_ value: Any, _ slot: PropertySlot) -> Bool {
    switch slot.storage {
    case .double, .float, .decimal: Scalar(value).isNotANumber
    default: false
    }
  }

  /// Checks the elements of a composite attribute that has a value.
  private func checkElements(_ value: Any, _ slot: PropertySlot) throws {
    let composite = CompositeValue(slot, in: layout)
    let values = try composite.values(of: value)
    let missing = composite.missingElement { element in
      values.first { $0.slot === element }?.value == nil
    }
    if let missing { throw ValidationErrors.missing(missing, self) }
    for (element, value) in values where value != nil { try checkRules(value, element) }
  }

  /// Returns whether a value is a number or a string and the slot stores such values, so that its type needs no further
  /// check.
  private func isPlain(_ value: Any, _ slot: PropertySlot) -> Bool {
    let type = Swift.type(of: value)
    if type == NSNumber.self { return slot.storage?.isNumber == true }
    return type == String.self && slot.storage == .string
  }

  private func requireType(of value: Any, _ slot: PropertySlot) throws {
    do {
      switch slot.kind {
      case .attribute:
        _ = try AttributeCodec.kept(value, slot, in: layout)
      case .composite:
        for (element, value) in try CompositeValue(slot, in: layout).values(of: value) {
          _ = try AttributeCodec.kept(value, element, in: layout)
        }
      case .toOne: _ = try RelationshipCodec.object(value, slot, in: layout)
      case .toMany: _ = try RelationshipCodec.objects(value, slot, in: layout)
      case .fetched: break
      }
    } catch {
      throw ValidationErrors.invalid(slot, self, value, cause: error)
    }
  }

  /// Checks that a date is finite, even if there are no rules.
  private func requireFiniteDate(_ slot: PropertySlot) throws {
    guard slot.storage == .date, !contents.isEmpty,
      case .written(.double(let seconds)) = contents[slot.index], !seconds.isFinite
    else { return }
    throw ValidationErrors.invalidDate(slot, self, seconds)
  }

  /// Returns members as an ordered set or a set, like the public value of the relationship.
  private func collection(_ members: [NSManagedObject], _ slot: PropertySlot) -> NSObject {
    slot.relationship?.isOrdered == true ? NSOrderedSet(array: members) : NSSet(array: members)
  }

  /// Checks the minimum and maximum count of a to-many relationship. An optional relationship may be empty.
  private func validateCount(_ slot: PropertySlot) throws {
    if slot.countsMembers { try checkCount(try toManyObjects(slot.index), slot) }
  }

  private func checkCount(_ members: [NSManagedObject], _ slot: PropertySlot) throws {
    guard slot.countsMembers, let relationship = slot.relationship else { return }
    // Deleted members do not count, because the same save removes them.
    let members = members.filter { !$0.flags.contains(.deleted) }
    // A required relationship without a minimum may be empty, too.
    if members.isEmpty && slot.isOptional { return }
    func error(_ code: Int, _ message: String) -> NSError {
      ValidationErrors.make(
        code, "\(ValidationErrors.name(of: slot, self)) \(message)", slot, self,
        collection(members, slot))
    }
    let minimum = relationship.minCount
    if members.count < minimum {
      throw error(
        NSValidationRelationshipLacksMinimumCountError,
        "has too few members: \(members.count) of at least \(minimum)")
    }
    if relationship.maxCount > 1, members.count > relationship.maxCount {
      throw error(
        NSValidationRelationshipExceedsMaximumCountError,
        "has too many members: \(members.count) of at most \(relationship.maxCount)")
    }
  }

  /// Returns an error for each Deny rule that prevents the object's deletion.
  func deniedDeletions() throws -> [NSError] {
    var errors: [NSError] = []
    for slot in layout.toOneSlots + layout.toManySlots {
      let property = layout.slots[slot]
      guard property.relationship?.deleteRule == .denyDeleteRule else { continue }
      let members =
        property.kind == .toOne
        ? [try toOneObject(slot)].compactMap { $0 } : try toManyObjects(slot)
      // As in Apple's Core Data, a Deny rule ignores objects that the same save deletes.
      let remaining = members.filter { !$0.flags.contains(.deleted) }
      if !remaining.isEmpty {
        errors.append(
          ValidationErrors.make(
            NSValidationRelationshipDeniedDeleteError,
            "\(layout.model.model.localizedName(of: layout.entity) ?? layout.name) cannot be deleted:"
              + " \(layout.model.model.localizedName(ofProperty: property.name, of: layout.entity) ?? property.name) still has \(remaining.count)"
              + " object\(remaining.count == 1 ? "" : "s").",
            property, self,
            property.kind == .toOne ? remaining[0] : collection(remaining, property)))
      }
    }
    return errors
  }
}
