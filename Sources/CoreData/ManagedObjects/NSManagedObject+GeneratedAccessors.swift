// What the accessors that the plugin ManagedObjectClasses generates read and change properties by,
// beside the typed accessors. Programs that write their classes by hand may use them too.

extension NSManagedObject {
  /// A value of a property whose type is no optional.
  ///
  /// Where there is none: the empty text, collection or data, the number zero. For a type that has no
  /// such value the program is stopped with a message that names the property, as it is for a value of
  /// another type.
  ///
  /// Compared to Apple's Core Data: there the program ends, or goes on with a reference to nothing.
  public final func requiredManagedValue<Value>(_ key: ManagedKey) -> Value {
    let slot = key.slot(in: layout)
    if flags.contains(.recording), let value = KeyPathProbe.value(Value.self, of: self) {
      return required(value, key)
    }
    return required(externalValue(slot), key)
  }

  /// The value that the object itself holds for a property; see `primitiveValue(forKey:)` and, for
  /// a type that is no optional, ``requiredManagedValue(_:)``.
  public final func requiredPrimitiveValue<Value>(_ key: ManagedKey) -> Value {
    if flags.contains(.recording) { return requiredManagedValue(key) }
    return required(primitiveValue(forKey: key.name), key)
  }

  /// Changes the value that the object itself holds for a property; see `setPrimitiveValue(_:forKey:)`.
  /// A date's attribute takes seconds since the reference date too.
  public final func setPrimitiveValue<Value>(_ value: Value?, _ key: ManagedKey) {
    if layout.storage(key.slot(in: layout)) == .date, let seconds = value as? Double {
      setPrimitiveValue(Date(timeIntervalSinceReferenceDate: seconds), forKey: key.name)
    } else {
      setPrimitiveValue(value.map { $0 as Any }, forKey: key.name)
    }
  }

  /// The case of an enumeration whose raw value the object itself holds for a property; nil where it holds
  /// none, or one that is no case's.
  public final func primitiveEnumeration<Value: RawRepresentable>(_ key: ManagedKey) -> Value? {
    if flags.contains(.recording) { return managedEnumeration(key) }
    guard let found = primitiveValue(forKey: key.name) else { return nil }
    return (Self.converted(found) as Value.RawValue?).flatMap(Value.init(rawValue:))
  }

  /// The case of an enumeration whose raw value the object itself holds for a property; without a value,
  /// the case of zero or of the empty text.
  ///
  /// A value that is no case's stops the program.
  public final func requiredPrimitiveEnumeration<Value: RawRepresentable>(
    _ key: ManagedKey
  ) -> Value {
    if flags.contains(.recording) { return requiredManagedEnumeration(key) }
    let raw: Value.RawValue = requiredPrimitiveValue(key)
    guard let value = Value(rawValue: raw) else {
      stopProgram("\(layout.name).\(key.name) is \(raw), which is no case of \(Value.self)")
    }
    return value
  }

  /// A value as another type that it has a form of: a number of any size, a date's seconds.
  private static func converted<Value>(_ found: Any) -> Value? {
    if let value = found as? Value { return value }
    if let date = found as? Date { return date.timeIntervalSinceReferenceDate as? Value }
    guard let number = found as? NSNumber else { return nil }
    let form: Any? =
      switch Value.self {
      case is Int.Type: number.intValue
      case is Int16.Type: number.int16Value
      case is Int32.Type: number.int32Value
      case is Int64.Type: number.int64Value
      case is Double.Type: number.doubleValue
      case is Float.Type: number.floatValue
      case is Bool.Type: number.boolValue
      default: nil
      }
    return form as? Value
  }

  private func required<Value>(_ found: Any?, _ key: ManagedKey) -> Value {
    if let found, let value = Self.converted(found) as Value? { return value }
    if found == nil, let empty = EmptyValue.of(Value.self) {
      return empty
    }
    let name = "\(layout.name).\(key.name)"
    guard let found else {
      stopProgram("\(name) has no value, and its property of type \(Value.self) is no optional")
    }
    stopProgram("\(name) has a \(Swift.type(of: found)), no \(Value.self)")
  }

  /// The case of an enumeration whose raw value a property has; nil where it has none, or one that is
  /// no case's.
  public final func managedEnumeration<Value: RawRepresentable>(_ key: ManagedKey) -> Value? {
    let found = externalValue(key.slot(in: layout))
    if flags.contains(.recording) {
      return KeyPathProbe.enumerationCase(of: Value.self, for: self, key.name)
    }
    return (found as? Value.RawValue).flatMap(Value.init(rawValue:))
  }

  /// The case of an enumeration whose raw value a property has; without a value, the case of zero or of
  /// the empty text.
  ///
  /// A value that is no case's stops the program.
  public final func requiredManagedEnumeration<Value: RawRepresentable>(
    _ key: ManagedKey
  ) -> Value {
    if let value = managedEnumeration(key) as Value? { return value }
    let raw: Value.RawValue = requiredManagedValue(key)
    guard let value = Value(rawValue: raw) else {
      stopProgram("\(layout.name).\(key.name) is \(raw), which is no case of \(Value.self)")
    }
    return value
  }

  /// Adds objects to a to-many relationship; to an ordered one, behind those that it has.
  ///
  /// - Parameter members: a managed object, or a set, ordered set or array of them.
  public final func addManagedMembers(_ members: Any, _ key: ManagedKey) {
    LiveMembers(object: self, slot: toManySlot(key)).add(Self.objects(members))
  }

  /// Takes objects out of a to-many relationship.
  ///
  /// - Parameter members: a managed object, or a set, ordered set or array of them.
  public final func removeManagedMembers(_ members: Any, _ key: ManagedKey) {
    LiveMembers(object: self, slot: toManySlot(key)).remove(Self.objects(members))
  }

  /// Puts objects into an ordered relationship.
  ///
  /// - Parameters:
  ///   - members: a managed object, or an ordered set or array of them.
  ///   - indexes: their places when all are there.
  public final func insertManagedMembers(
    _ members: Any, at indexes: some Sequence<Int>, _ key: ManagedKey
  ) {
    mutableOrderedSetValue(forKey: key.name).insert(Self.objects(members), at: IndexSet(indexes))
  }

  /// Takes objects out of an ordered relationship by their places.
  public final func removeManagedMembers(at indexes: some Sequence<Int>, _ key: ManagedKey) {
    mutableOrderedSetValue(forKey: key.name).removeObjects(at: IndexSet(indexes))
  }

  /// Exchanges objects of an ordered relationship for others.
  ///
  /// - Parameter members: a managed object, or as many in an ordered set or array as there are places.
  public final func replaceManagedMembers(
    at indexes: some Sequence<Int>, with members: Any, _ key: ManagedKey
  ) {
    mutableOrderedSetValue(forKey: key.name).replaceObjects(
      at: IndexSet(indexes), with: Self.objects(members))
  }

  private static func objects(_ members: Any) -> [Any] {
    KeyValueCollection(members)?.elements ?? [members]
  }

  private func toManySlot(_ key: ManagedKey) -> Int {
    let slot = key.slot(in: layout)
    guard layout.slots[slot].kind == .toMany else {
      stopProgram("\(layout.name).\(key.name) is no to-many relationship")
    }
    return slot
  }
}

/// The value that stands for no value in a type without an optional.
private enum EmptyValue {
  static func of<Value>(_ type: Value.Type) -> Value? {
    // An optional's own empty value.
    if let none = Any?.none as? Value { return none }
    let empty: Any? =
      switch type {
      case is String.Type: ""
      case is Data.Type: Data()
      case is Bool.Type: false
      case let number as any Numeric.Type: number.init(exactly: 0)
      case let collection as any SetAlgebra.Type: collection.init()
      case let collection as any RangeReplaceableCollection.Type: collection.init()
      case let dictionary as any EmptyDictionary.Type: dictionary.init()
      default: nil
      }
    return empty as? Value
  }
}

private protocol EmptyDictionary {
  init()
}

extension Dictionary: EmptyDictionary {}
