extension AnyKeyPath {
  /// The path's text for key-value coding: the names of its properties with full stops between; nil for a
  /// path through anything else, or of a class that no model in use has.
  ///
  /// Compared to Apple's: the standard library has a property of this name, which beyond Apple's platforms
  /// is always nil; many a library of predicates reads it. Public names for the same are
  /// `NSExpression(forKeyPath:)` and `NSSortDescriptor(keyPath:ascending:)`.
  public var _kvcKeyPathString: String? { KeyPathNames.name(of: self) }
}
