extension NSManagedObject {
  /// The value at a key path, read step by step; collections give the collection of their
  /// elements' values, and `@count`, `@sum` and the other operators work on them.
  func readValue(atKeyPath keyPath: String) -> Any? {
    if let count = memberCount(atKeyPath: keyPath) { return NSNumber(value: count) }
    do {
      return BridgedValue.bridged(try KeyPathEvaluator.value(of: self, forKeyPath: keyPath))
    } catch {
      stopProgram(error.localizedDescription)
    }
  }

  /// The value at `members.@count`, for which no object is made; nil for other key paths.
  private func memberCount(atKeyPath keyPath: String) -> Int? {
    let suffix = ".@count"
    guard keyPath.hasSuffix(suffix), !flags.contains(.recording),
      let slot = layout.slotNumbers[String(keyPath.dropLast(suffix.count))],
      layout.slots[slot].kind == .toMany
    else { return nil }
    return managedMemberCount(slot)
  }

  /// Sets the property at the end of a key path of to-one relationships; nothing happens where one
  /// of them leads nowhere.
  func writeValue(_ value: Any?, atKeyPath keyPath: String) {
    guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
    // Longer than the stack has room for, step by step.
    if keyPath.utf8.count > 4_096 {
      if let (owner, key) = lastOwner(onKeyPath: keyPath) { owner.setValue(value, forKey: key) }
      return
    }
    // An element of a composite attribute.
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

  /// The object whose property the last key of a key path means, and that key; nil where a to-one
  /// relationship before it leads nowhere.
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
          "the key path \(keyPath) leads to no one object: \(owner.layout.name).\(key) is no"
            + " to-one relationship")
      }
    }
    return (owner, last)
  }

  /// The object that is to check a value for the property at the end of a key path, and its key; nil where
  /// a to-one relationship before it leads nowhere.
  func ownerToValidate(_ keyPath: String) throws -> (owner: NSManagedObject, key: String)? {
    var owner = self
    var rest = Substring(keyPath)
    while let dot = rest.firstIndex(of: ".") {
      // An element of a composite attribute; its name is no longer than a path of some steps.
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
          "the key path \(keyPath) leads to no one object: \(owner.layout.name).\(key) is no to-one"
            + " relationship")
      }
      rest = rest[rest.index(after: dot)...]
    }
    return (owner, String(rest))
  }

  /// The value of a property as a Swift type: `object.value("age", as: Int.self)`.
  ///
  /// - Returns: nil where the property has no value.
  /// - Throws: `NSCoreDataError` for a key that the model does not have or a value of another type;
  ///   what filling in a fault throws.
  public final func value<Value>(_ key: String, as type: Value.Type) throws -> Value? {
    if let slot = layout.slotNumbers[key], let value = try plainValue(slot, as: type) {
      return value
    }
    guard let value = try validatedValue(forKey: key) else { return nil }
    if let value = value as? Value { return value }
    throw CoreDataError.badRequest(
      "\(layout.name).\(key) is no \(Value.self): its value is of type \(Swift.type(of: value))")
  }

  /// The value of an attribute that is kept in the type that is asked for, without a box between;
  /// nil for others.
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
