// Foundation's collections have no key-value coding on Linux, but programs use it for collections of managed objects:
// `team.players?.value(forKey: "name")`, `(results as NSArray).value(forKeyPath: "@max.age")`.

extension NSArray {
  /// Returns the elements' values for a key, in order, with `NSNull` for missing values. Stops the
  /// program if an element lacks the key.
  public func value(forKey key: String) -> Any {
    CollectionKeys.value(of: self, forKeyPath: key) ?? [Any]()
  }

  /// Returns the value at a key path, which may contain a collection operator: `@sum.age`, `@count`.
  /// Stops the program if the path is invalid.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }

  /// Sets a property of all elements. Stops the program if an element is not a managed object.
  public func setValue(_ value: Any?, forKey key: String) {
    CollectionKeys.setValue(value, forKey: key, of: Array(self))
  }
}

extension NSSet {
  /// Returns the elements' distinct values for a key, without missing values. Stops the program if an element lacks the
  /// key.
  public func value(forKey key: String) -> Any {
    CollectionKeys.value(of: self, forKeyPath: key) ?? Set<AnyHashable>()
  }

  /// Returns the value at a key path, which may contain a collection operator: `@sum.age`, `@count`.
  /// Stops the program if the path is invalid.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }

  /// Sets a property of all elements. Stops the program if an element is not a managed object.
  public func setValue(_ value: Any?, forKey key: String) {
    CollectionKeys.setValue(value, forKey: key, of: Array(self))
  }
}

extension NSOrderedSet {
  /// Returns the distinct values of the elements for a key, in order, with `NSNull` for missing
  /// values. Stops the program if an element lacks the key.
  public func value(forKey key: String) -> Any {
    CollectionKeys.value(of: self, forKeyPath: key) ?? NSOrderedSet()
  }

  /// Returns the value at a key path, which may contain a collection operator: `@sum.age`, `@count`.
  /// Stops the program if the path is invalid.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }

  /// Sets a property of all elements. Stops the program if an element is not a managed object.
  public func setValue(_ value: Any?, forKey key: String) {
    CollectionKeys.setValue(value, forKey: key, of: Array(self))
  }
}

extension NSDictionary {
  /// Returns the value at a key path; nil if a key on the path has no value. Stops the program if the path is invalid.
  public func value(forKeyPath keyPath: String) -> Any? {
    CollectionKeys.value(of: self, forKeyPath: keyPath)
  }
}

/// Key-value coding of collections.
private enum CollectionKeys {
  static func value(of collection: Any, forKeyPath keyPath: String) -> Any? {
    do {
      return BridgedValue.bridged(
        try KeyPathEvaluator.value(
          of: collection, forKeyPath: keyPath, rules: .keyValueCoding))
    } catch {
      stopProgram(error.localizedDescription)
    }
  }

  static func setValue(_ value: Any?, forKey key: String, of elements: [Any]) {
    for element in elements {
      guard let object = element as? NSManagedObject else {
        stopProgram(
          "cannot set the key \"\(key)\" of a \(type(of: element)): it is not a managed object")
      }
      object.setValue(value, forKey: key)
    }
  }
}
