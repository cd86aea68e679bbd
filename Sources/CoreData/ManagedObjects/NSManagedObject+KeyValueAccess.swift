extension NSManagedObject: NSKeyValueCoding {}

extension NSManagedObject: ThrowingKeyValueCoding {
  /// Reads a key for a predicate or an expression.
  ///
  /// - Throws: An error for an unknown key. A subclass may have keys that the model lacks: a key is
  ///   unknown only if reading it reaches `value(forUndefinedKey:)` of this class.
  package final func readValue(forKey key: String) throws -> Any? {
    if layout.slotNumbers[key] != nil || StateKey(rawValue: key) != nil
      || flags.contains(.recording)
    {
      return value(forKey: key)
    }
    guard layout.slot(readBy: key) != nil || OverriddenMethods.overridesKeyAccess(type(of: self))
    else {
      throw CoreDataError.unknownKey(key, in: layout)
    }
    let before = state.beginReadingUndefinedKey()
    defer { state.endReadingUndefinedKey(before) }
    let value = value(forKey: key)
    if flags.contains(.lacksKey) { throw CoreDataError.unknownKey(key, in: layout) }
    return value
  }
}

extension NSManagedObject {
  /// Returns the value of a slot in its public form: nil, a number, string, date, and so on; a
  /// managed object; a set or ordered set of them; the dictionary of a composite attribute; the results of a fetched
  /// property.
  ///
  /// A fault without a row is treated as `shouldDeleteInaccessibleFaults` specifies.
  final func externalValue(_ slot: Int) -> Any? {
    requireQueue()
    if flags.contains(.recording) { return KeyPathProbe.value(for: self, layout.slots[slot]) }
    noteRead(slot)
    do {
      try fire()
      let property = layout.slots[slot]
      switch property.kind {
      case .attribute:
        let value = try storedValue(slot)
        let external = AttributeCodec.external(value, property)
        keepTransformed(external, value, property)
        return external
      case .toOne: return try toOneObject(slot)
      case .toMany: return try toManyContent(slot).collection
      case .fetched: return try fetchedObjects(property)
      case .composite:
        return CompositeValue(property, in: layout).dictionary { externalValue($0.index) }
      }
    } catch {
      let property = layout.slots[slot]
      // Transient attributes need no store.
      if unsafeContext == nil, property.isTransient, property.storage != nil {
        return AttributeCodec.external(AttributeCodec.defaultValue(property), property)
      }
      return inaccessible(error, readingSlot: slot)
    }
  }

  /// Returns the results of a fetched property, which are cached until the object becomes a fault.
  private func fetchedObjects(_ slot: PropertySlot) throws -> Any? {
    if case .cached(.object(let known)) = content(slot.index) { return known.value }
    guard let found = try unsafeContext?.fetchedProperty(slot, of: self) else { return nil }
    setContent(slot.index, .cached(.object(OpaqueValue(found))))
    return found
  }

  /// Caches an unarchived value.
  private func keepTransformed(_ external: Any?, _ value: StoredValue, _ slot: PropertySlot) {
    guard slot.storage == .transformable, let external, case .data = value else { return }
    // Unarchiving is slow, and repeated reads must return the same object.
    if content(slot.index).isUnread {
      setContent(slot.index, .cached(.object(OpaqueValue(external))))
    }
  }

  /// Handles an error that occurred while reading values, and returns nil as the property's value.
  final func inaccessible(_ error: any Error, readingSlot slot: Int? = nil) -> Any? {
    if let context = unsafeContext {
      context.handleInaccessibleFault(self, error, readingSlot: slot)
    } else {
      Log.contextNotice(error.localizedDescription)
      // Without a context, the fault cannot be filled, now or later.
      state.lostItsValues()
    }
    return nil
  }

  /// Returns whether a transformable's new value is the very object that was fetched or saved.
  private func isKnownObject(_ value: StoredValue, _ slot: Int) -> Bool {
    guard case .cached(.object(let known)) = content(slot),
      case .object(let given) = value, Swift.type(of: given.value) is AnyClass,
      // Never cast a Swift value to a class: Foundation converts all values nested in it, by recursion.
      Swift.type(of: known.value) is AnyClass
    else { return false }
    return given.value as AnyObject === known.value as AnyObject
  }

  /// Sets a slot from a value in its public form.
  ///
  /// - Throws: An error if the value has the wrong type or is an object of another context, if the property is a
  ///   fetched property, or if a row cannot be read.
  final func setExternalValue(_ value: Any?, _ slot: Int) throws {
    requireQueue()
    let property = layout.slots[slot]
    try fire()
    switch property.kind {
    case .attribute:
      let kept = try AttributeCodec.kept(value, property, in: layout)
      // As in Apple's Core Data, setting the same object does not change the value, even if the object was mutated.
      if property.storage == .transformable, isKnownObject(kept, slot) {
        noteChange()
      } else {
        setStoredValue(slot, kept)
      }
    case .toOne:
      try setToOne(slot, try RelationshipCodec.object(value, property, in: layout))
    case .toMany:
      try setToMany(slot, try RelationshipCodec.objects(value, property, in: layout))
    case .fetched:
      throw CoreDataError.badRequest(
        "\(layout.name).\(property.name) is a fetched property and cannot be set")
    case .composite:
      // All elements are converted before the first one is set, so that an error leaves them
      // unchanged.
      let kept = try CompositeValue(property, in: layout).values(of: value).map {
        ($0.slot.index, try AttributeCodec.kept($0.value, $0.slot, in: layout))
      }
      for (element, value) in kept { setStoredValue(element, value) }
    }
  }
}

extension NSManagedObject {
  /// Returns the value of a property, like `value(forKey:)` for keys of the model.
  ///
  /// - Throws: An error for an unknown key, or if a fault cannot be filled.
  ///
  /// ```swift
  /// for key in ["age", "agge"] {
  ///   do {
  ///     print(try person.validatedValue(forKey: key) ?? "none")
  ///   } catch {
  ///     print(error.localizedDescription)
  ///   }
  /// }
  /// ```
  public final func validatedValue(forKey key: String) throws -> Any? {
    guard let slot = layout.slotNumbers[key] ?? layout.slot(readBy: key) else {
      throw CoreDataError.unknownKey(key, in: layout)
    }
    try fire()
    return externalValue(slot)
  }

  /// Sets a property, like `setValue(_:forKey:)`, for a key or value that a user typed.
  ///
  /// - Throws: `NSCoreDataError` for an unknown key, a fetched property, a value of the wrong type, or an object of
  ///   another context; another error if a fault cannot be filled.
  ///
  /// ```swift
  /// do {
  ///   try person.setValidatedValue("old", forKey: "age")
  /// } catch {
  ///   print(error.localizedDescription)
  /// }
  /// ```
  public final func setValidatedValue(_ value: Any?, forKey key: String) throws {
    guard let slot = layout.slot(setBy: key) else {
      throw CoreDataError.unknownKey(key, in: layout)
    }
    try setExternalValue(value, slot)
  }

  /// Sets a property of the model. Stops the program if the property cannot have the value.
  final func setCheckedValue(_ value: Any?, forKey key: String) {
    stoppingOnMisuse { try setValidatedValue(value, forKey: key) }
  }

  /// Runs `body`, which sets a value. Stops the program if the model does not allow the key or
  /// value; if the object cannot be read, leaves it unchanged.
  final func stoppingOnMisuse(_ body: () throws -> Void) {
    do {
      try body()
    } catch let error as NSError where error.code == NSCoreDataError {
      stopProgram(error.localizedDescription)
    } catch {
      _ = inaccessible(error)
    }
  }
}

extension PropertySlot {
  /// Whether the property may be a scalar in the object's class: an attribute of integers, floating-point numbers or
  /// Booleans, unless the model says otherwise, or a date attribute that the model declares to be a scalar.
  var mayBeScalar: Bool {
    guard composite == nil, let attribute = property as? NSAttributeDescription else {
      return false
    }
    return switch storage {
    case .integer16, .integer32, .integer64, .float, .double, .boolean:
      attribute.usesScalarValueType != false
    case .date: attribute.usesScalarValueType == true
    default: false
    }
  }
}
