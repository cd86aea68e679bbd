extension AnyKeyPath {
  /// The key path in the notation of key-value coding: property names separated by periods. Nil for a path that
  /// contains anything but properties, or whose class belongs to no model in use.
  ///
  /// Compared to Apple's platforms: the standard library declares a property of this name that is always nil
  /// elsewhere, although several predicate libraries read it. The public alternatives are `NSExpression(forKeyPath:)`
  /// and `NSSortDescriptor(keyPath:ascending:)`.
  public var _kvcKeyPathString: String? { KeyPathNames.name(of: self) }
}
