extension AnyKeyPath {
  /// The key path in the notation of key-value coding: property names separated by periods. Nil for a path that
  /// contains anything but properties, or whose class belongs to no model in use.
  ///
  /// Outside Apple's platforms, the standard library's property of this name is always nil. Several predicate libraries
  /// read it, so this property replaces it. The public alternatives are `NSExpression(forKeyPath:)` and
  /// `NSSortDescriptor(keyPath:ascending:)`.
  public var _kvcKeyPathString: String? { KeyPathNames.name(of: self) }
}
