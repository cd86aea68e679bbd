// Foundation's collections know no keys here; programs ask them for those of managed objects:
// `team.players?.value(forKey: "name")`, `(results as NSArray).value(forKeyPath: "@max.age")`.

extension NSArray {
  /// What each element has for a key, in their order; `NSNull` where it has nothing. A key that an element
  /// does not know stops the program.
  public func value(forKey key: String) -> Any {
    CollectionKeys.value(of: self, forKeyPath: key) ?? [Any]()
  }

  /// The value at a key path, which may end in an operator on the collection: `@sum.age`, `@count`.
  /// A mistake in the path stops the program.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }

  /// Sets a property of each of the managed objects in the collection.
  public func setValue(_ value: Any?, forKey key: String) {
    CollectionKeys.setValue(value, forKey: key, of: Array(self))
  }
}

extension NSSet {
  /// The different values that the elements have for a key. A key that an element does not know stops the
  /// program.
  public func value(forKey key: String) -> Any {
    CollectionKeys.value(of: self, forKeyPath: key) ?? Set<AnyHashable>()
  }

  /// The value at a key path, which may end in an operator on the collection: `@sum.age`, `@count`.
  /// A mistake in the path stops the program.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }

  /// Sets a property of each of the managed objects in the collection.
  public func setValue(_ value: Any?, forKey key: String) {
    CollectionKeys.setValue(value, forKey: key, of: Array(self))
  }
}

extension NSOrderedSet {
  /// The different values that the elements have for a key, in their order, `NSNull` where one has nothing.
  /// A key that an element does not know stops the program.
  public func value(forKey key: String) -> Any {
    CollectionKeys.value(of: self, forKeyPath: key) ?? NSOrderedSet()
  }

  /// The value at a key path, which may end in an operator on the collection: `@sum.age`, `@count`.
  /// A mistake in the path stops the program.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }

  /// Sets a property of each of the managed objects in the collection.
  public func setValue(_ value: Any?, forKey key: String) {
    CollectionKeys.setValue(value, forKey: key, of: Array(self))
  }
}

extension NSDictionary {
  /// The value at a key path, nil where a step on the way is missing. A mistake in the path stops the
  /// program.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }
}

/// Key-value coding of collections.
private enum CollectionKeys {
  static func value(of collection: Any, forKeyPath keyPath: String) -> Any? {
    do {
      return BridgedValue.bridged(try KeyPathEvaluator.value(of: collection, forKeyPath: keyPath))
    } catch {
      stopProgram(error.localizedDescription)
    }
  }

  static func setValue(_ value: Any?, forKey key: String, of elements: [Any]) {
    for element in elements {
      guard let object = element as? NSManagedObject else {
        stopProgram("\(type(of: element)) cannot be set a value for the key \"\(key)\"")
      }
      object.setValue(value, forKey: key)
    }
  }
}
