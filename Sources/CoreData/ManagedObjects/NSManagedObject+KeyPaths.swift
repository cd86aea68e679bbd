extension NSManagedObject {
  /// Returns the value at a key path, reading one key after another. After a collection, a key returns the collection
  /// of its elements' values. Operators such as `@count` and `@sum` combine these values.
  func readValue(atKeyPath keyPath: String) -> Any? {
    if let count = memberCount(atKeyPath: keyPath) { return NSNumber(value: count) }
    do {
      return BridgedValue.bridged(
        try KeyPathEvaluator.value(of: self, forKeyPath: keyPath, rules: .keyValueCoding))
    } catch {
      stopProgram(error.localizedDescription)
    }
  }

  /// Returns the value at `members.@count` without making objects of prefetched members; nil for other key paths.
  private func memberCount(atKeyPath keyPath: String) -> Int? {
    let suffix = ".@count"
    guard keyPath.hasSuffix(suffix), !flags.contains(.recording),
      let slot = layout.slotNumbers[String(keyPath.dropLast(suffix.count))],
      layout.slots[slot].kind == .toMany
    else { return nil }
    return managedMemberCount(slot)
  }

  /// Sets the property at the end of a key path, unless a to-one relationship on the path is nil. If a relationship on
  /// the path is to-many, sets the property of every member.
  func writeValue(_ value: Any?, atKeyPath keyPath: String) {
    guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    // Recursion over such a long path could overflow the stack, so its relationships must all be to-one.
    if keyPath.utf8.count > 4_096 {
      if let (owner, key) = lastOwner(onKeyPath: keyPath) { owner.setValue(value, forKey: key) }
      return
    }
    // The whole path is the name of an element of a composite attribute.
    if layout.slotNumbers[keyPath] != nil { return setValue(value, forKey: keyPath) }
    let key = String(keyPath[..<dot])
    let rest = String(keyPath[keyPath.index(after: dot)...])
    switch self.value(forKey: key) {
    case let object as NSManagedObject: object.setValue(value, forKeyPath: rest)
    case let objects as NSOrderedSet:
      for case let object as NSManagedObject in objects { object.setValue(value, forKeyPath: rest) }
    case let objects as NSSet:
      for case let object as NSManagedObject in objects { object.setValue(value, forKeyPath: rest) }
    case nil: break
    default: setValue(value, forUndefinedKey: keyPath)
    }
  }

  /// Returns the object to which the last key of a key path applies, and that key; nil if a to-one relationship on the
  /// path is nil.
  func lastOwner(onKeyPath keyPath: String) -> (owner: NSManagedObject, key: String)? {
    var owner = self
    var keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let last = keys.removeLast()
    for key in keys {
      switch owner.value(forKey: key) {
      case let next as NSManagedObject: owner = next
      case nil: return nil
      default:
        stopProgram(
          "the key path \(keyPath) does not lead to a single object: \(owner.layout.name).\(key) is"
            + " not a to-one relationship")
      }
    }
    return (owner, last)
  }

  /// Returns the object at the end of a key path, which validates the value, and the key to validate; nil if a to-one
  /// relationship on the path is nil.
  func ownerToValidate(_ keyPath: String) throws -> (owner: NSManagedObject, key: String)? {
    var owner = self
    var rest = Substring(keyPath)
    while let dot = rest.firstIndex(of: ".") {
      // The rest may be the name of an element of a composite attribute. Longer texts need no lookup, because such
      // names are short.
      if rest.utf8.count < 1_024, owner.layout.slotNumbers[String(rest)] != nil { break }
      let key = String(rest[..<dot])
      guard owner.layout.slotNumbers[key] != nil else {
        throw CoreDataError.unknownKey(key, in: owner.layout)
      }
      switch owner.value(forKey: key) {
      case let next as NSManagedObject: owner = next
      case nil: return nil
      default:
        throw CoreDataError.badRequest(
          "the key path \(keyPath) does not lead to a single object: \(owner.layout.name).\(key) is"
            + " not a to-one relationship")
      }
      rest = rest[rest.index(after: dot)...]
    }
    return (owner, String(rest))
  }

  /// Returns the value of a property as a Swift type: `object.value("age", as: Int.self)`.
  ///
  /// - Returns: Nil if the property has no value.
  /// - Throws: `NSCoreDataError` for an unknown key or a value of another type; the store's errors if a fault is fired.
  ///
  /// ```swift
  /// let age = try person.value("age", as: Int.self)
  /// print(age ?? 0)  // 36
  /// ```
  public final func value<Value>(_ key: String, as type: Value.Type) throws -> Value? {
    if let slot = layout.slotNumbers[key], let value = try plainValue(slot, as: type) {
      return value
    }
    guard let value = try validatedValue(forKey: key) else { return nil }
    if let value = value as? Value { return value }
    throw CoreDataError.badRequest(
      "\(layout.name).\(key) has a value of type \(Swift.type(of: value)) instead of \(Value.self)")
  }

  /// Returns the value of an attribute that is stored in the requested type, without boxing it; nil for other
  /// properties, and if there is no value.
  private func plainValue<Value>(_ slot: Int, as type: Value.Type) throws -> Value? {
    guard type == Int.self || type == Double.self || type == String.self,
      !flags.contains(.recording), let storage = layout.slots[slot].storage
    else { return nil }
    requireQueue()
    noteRead(slot)
    try fire()
    switch (storage, try storedValue(slot)) {
    case (.integer16, .integer(let number)), (.integer32, .integer(let number)),
      (.integer64, .integer(let number)):
      return Int(number) as? Value
    case (.double, .double(let number)): return number as? Value
    case (.string, .text(let text)): return text as? Value
    default: return nil
    }
  }
}
