// The accessors that the plugin ManagedObjectClasses generates call these methods, in addition to the typed
// accessors. Handwritten classes may call them, too.

extension NSManagedObject {
  /// Returns the value of a property with a non-optional type.
  ///
  /// A missing value reads as the empty string, collection or data, as zero, or as false. Numbers are converted to the
  /// type of number, and dates to seconds since the reference date. If the type has no empty value, or a value of
  /// another type cannot be converted, the program stops with a message that identifies the property.
  ///
  /// Compared to Apple's Core Data: there, the program crashes or continues with a null reference.
  public final func requiredManagedValue<Value>(_ key: ManagedKey) -> Value {
    let slot = key.slot(in: layout)
    if flags.contains(.recording), let value = KeyPathProbe.value(Value.self, of: self) {
      return required(value, key)
    }
    return mutableMembers(slot) ?? required(externalValue(slot), key)
  }

  /// Returns the primitive value of a property with a non-optional type; see
  /// `primitiveValue(forKey:)` and ``requiredManagedValue(_:)``.
  public final func requiredPrimitiveValue<Value>(_ key: ManagedKey) -> Value {
    if flags.contains(.recording) { return requiredManagedValue(key) }
    return required(primitiveValue(forKey: key.name), key)
  }

  /// Sets the primitive value of a property; see `setPrimitiveValue(_:forKey:)`. A date attribute
  /// also accepts seconds since the reference date.
  public final func setPrimitiveValue<Value>(_ value: Value?, _ key: ManagedKey) {
    if layout.storage(key.slot(in: layout)) == .date, let seconds = value as? Double {
      setPrimitiveValue(Date(timeIntervalSinceReferenceDate: seconds), forKey: key.name)
    } else {
      setPrimitiveValue(value.map { $0 as Any }, forKey: key.name)
    }
  }

  /// Returns the enumeration case of a property's primitive raw value, or nil if there is none.
  public final func primitiveEnumeration<Value: RawRepresentable>(_ key: ManagedKey) -> Value? {
    if flags.contains(.recording) { return managedEnumeration(key) }
    guard let found = primitiveValue(forKey: key.name) else { return nil }
    return (Self.converted(found) as Value.RawValue?).flatMap(Value.init(rawValue:))
  }

  /// Returns the enumeration case of a property's primitive raw value. A missing raw value reads as zero
  /// or `""`.
  ///
  /// Stops the program if no case has the value.
  public final func requiredPrimitiveEnumeration<Value: RawRepresentable>(
    _ key: ManagedKey
  ) -> Value {
    if flags.contains(.recording) { return requiredManagedEnumeration(key) }
    let raw: Value.RawValue = requiredPrimitiveValue(key)
    guard let value = Value(rawValue: raw) else {
      stopProgram("\(layout.name).\(key.name) is \(raw), but \(Value.self) has no such case")
    }
    return value
  }

  /// Converts a value to another type: a number to one of any size, a date to seconds.
  private static func converted<Value>(_ found: Any) -> Value? {
    if let value = found as? Value { return value }
    if let date = found as? Date { return date.timeIntervalSinceReferenceDate as? Value }
    guard let number = found as? NSNumber else { return nil }
    // A cast succeeds only if the type represents the number exactly. Generated properties truncate it instead.
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
      stopProgram("\(name) has no value, but its property has the non-optional type \(Value.self)")
    }
    stopProgram("\(name) has a value of type \(Swift.type(of: found)) instead of \(Value.self)")
  }

  /// Returns the enumeration case of a property's raw value, or nil if there is none.
  ///
  /// ```swift
  /// enum Level: Int16 { case junior, senior }
  /// final class Member: NSManagedObject {
  ///   private static let levelKey = ManagedKey("level")
  ///   var level: Level? { managedEnumeration(Self.levelKey) }
  /// }
  /// ```
  public final func managedEnumeration<Value: RawRepresentable>(_ key: ManagedKey) -> Value? {
    // The value is read before the check for a probe, because reading records the step that
    // `enumerationCase` looks for.
    let found = externalValue(key.slot(in: layout))
    if flags.contains(.recording) {
      return KeyPathProbe.enumerationCase(of: Value.self, for: self, key.name)
    }
    return (found as? Value.RawValue).flatMap(Value.init(rawValue:))
  }

  /// Returns the enumeration case of a property's raw value. A missing raw value reads as zero or `""`.
  ///
  /// Stops the program if no case has the value.
  public final func requiredManagedEnumeration<Value: RawRepresentable>(
    _ key: ManagedKey
  ) -> Value {
    if let value = managedEnumeration(key) as Value? { return value }
    let raw: Value.RawValue = requiredManagedValue(key)
    guard let value = Value(rawValue: raw) else {
      stopProgram("\(layout.name).\(key.name) is \(raw), but \(Value.self) has no such case")
    }
    return value
  }

  /// Adds objects to a to-many relationship; to an ordered one, at the end.
  ///
  /// - Parameters:
  ///   - members: A managed object, or a set, ordered set or array of them.
  ///   - key: The key of the relationship.
  public final func addManagedMembers(_ members: Any, _ key: ManagedKey) {
    LiveMembers(object: self, slot: toManySlot(key)).add(Self.objects(members))
  }

  /// Removes objects from a to-many relationship.
  ///
  /// - Parameters:
  ///   - members: A managed object, or a set, ordered set or array of them.
  ///   - key: The key of the relationship.
  public final func removeManagedMembers(_ members: Any, _ key: ManagedKey) {
    LiveMembers(object: self, slot: toManySlot(key)).remove(Self.objects(members))
  }

  /// Inserts objects into an ordered relationship.
  ///
  /// - Parameters:
  ///   - members: A managed object, or an ordered set or array of them.
  ///   - indexes: The objects' indexes after the insertion.
  ///   - key: The key of the relationship.
  public final func insertManagedMembers(
    _ members: Any, at indexes: some Sequence<Int>, _ key: ManagedKey
  ) {
    mutableOrderedSetValue(forKey: key.name).insert(Self.objects(members), at: IndexSet(indexes))
  }

  /// Removes the objects at some indexes from an ordered relationship.
  public final func removeManagedMembers(at indexes: some Sequence<Int>, _ key: ManagedKey) {
    mutableOrderedSetValue(forKey: key.name).removeObjects(at: IndexSet(indexes))
  }

  /// Replaces the objects at some indexes of an ordered relationship.
  ///
  /// - Parameters:
  ///   - indexes: The indexes of the objects to replace.
  ///   - members: A managed object, or an ordered set or array with an object for each index.
  ///   - key: The key of the relationship.
  public final func replaceManagedMembers(
    at indexes: some Sequence<Int>, with members: Any, _ key: ManagedKey
  ) {
    mutableOrderedSetValue(forKey: key.name).replaceObjects(
      at: IndexSet(indexes), with: Self.objects(members))
  }

  private static func objects(_ members: Any) -> [Any] {
    KeyValueCollection(members)?.elements ?? [members]
  }

  /// Returns the slot of a to-many relationship. Stops the program for any other property, whose value the slot's
  /// members would overwrite.
  final func toManySlot(_ key: ManagedKey) -> Int {
    let slot = key.slot(in: layout)
    guard layout.slots[slot].kind == .toMany else {
      stopProgram("\(layout.name).\(key.name) is not a to-many relationship")
    }
    return slot
  }
}

/// The value of a non-optional type that replaces a missing value.
private enum EmptyValue {
  static func of<Value>(_ type: Value.Type) -> Value? {
    // For an optional type, the empty value is nil.
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
