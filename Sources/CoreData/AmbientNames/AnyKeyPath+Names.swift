extension AnyKeyPath {
  /// The key path in the notation of key-value coding: property names separated by periods; `self` for `\Person.self`.
  /// Nil for a path that contains anything but properties. Also nil for a class that no model in use contains, unless
  /// its properties are typed accessors (``ManagedKey``).
  ///
  /// Outside Apple's platforms, the standard library's property of this name is always nil. Several predicate libraries
  /// read it, so this property replaces it. The public alternatives are `NSExpression(forKeyPath:)` and
  /// `NSSortDescriptor(keyPath:ascending:)`.
  public var _kvcKeyPathString: String? { KeyPathNames.name(of: self) }
}
