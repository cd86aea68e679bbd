extension NSSortDescriptor: ReplaceableByInitializer {}

extension ReplaceableByInitializer where Self: NSSortDescriptor {
  /// Compares the objects themselves, in ascending order.
  public init() {
    let descriptor: NSSortDescriptor = KeySortDescriptor(
      key: nil, ascending: true, kind: .standard(.literal))
    guard let descriptor = descriptor as? Self else {
      stopProgram("\(Self.self) is made with an initialiser of its own")
    }
    self.init(_replacing: descriptor)
  }
}

extension NSSortDescriptor {
  /// Sorts by the values of a key path in their order, `compare:`; nil comes first, strings are
  /// ordered by their code points.
  ///
  /// Without a key the objects themselves are compared.
  public convenience init(key: String?, ascending: Bool) {
    self.init(KeySortDescriptor(key: key, ascending: ascending, kind: .standard(.literal)))
  }

  /// Sorts by the values of a key path as a selector says: `compare:`,
  /// `caseInsensitiveCompare:`, `localizedCompare:`, `localizedCaseInsensitiveCompare:` or
  /// `localizedStandardCompare:`; nil stands for `compare:`.
  ///
  /// Compared to Apple's Core Data: without Objective-C no other method can be called by name; a
  /// descriptor with another selector can be made, and sorting by it fails with its name.
  public convenience init(key: String?, ascending: Bool, selector: Selector?) {
    let kind: KeySortDescriptor.Kind =
      if let selector {
        StringComparison(rawValue: selector.description).map { .standard($0) }
          ?? .unknown(selector)
      } else {
        .standard(.literal)
      }
    self.init(KeySortDescriptor(key: key, ascending: ascending, kind: kind))
  }

  /// Sorts by the values of a key path as Swift code says. Nil is not shown to it and comes first.
  ///
  /// A store cannot sort by such a descriptor; a fetch with one fails.
  public convenience init(
    key: String?, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    self.init(KeySortDescriptor(key: key, ascending: ascending, kind: .comparator(cmptr)))
  }

  /// Sorts by the values of a Swift key path whose type has no order of its own in Swift, such as
  /// an optional: nil comes first.
  public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    if let name = KeyPathNames.name(of: keyPath) {
      self.init(key: name, ascending: ascending)
    } else {
      self.init(keyPath: keyPath, ascending: ascending) { left, right in
        SortOrder.compare(left, right, by: .literal)
      }
    }
  }

  /// The key path in text; nil for a descriptor of a Swift key path without a known name.
  public var key: String? {
    guard let descriptor = self as? KeySortDescriptor else { return KeyPathNames.name(of: keyPath) }
    return descriptor.sortKey
  }

  /// The selector that says how values are compared; nil for a descriptor with a comparator.
  public var selector: Selector? {
    guard let descriptor = self as? KeySortDescriptor else {
      return KeyPathNames.name(of: keyPath) == nil ? nil : Selector("compare:")
    }
    switch descriptor.kind {
    case .standard(let comparison): return Selector(comparison.rawValue)
    case .unknown(let selector): return selector
    case .comparator: return nil
    }
  }

  /// How strings are compared, for those who sort by other means; nil for a descriptor that only
  /// its own `compare(_:to:)` can follow.
  package var stringComparison: StringComparison? {
    selector.flatMap { StringComparison(rawValue: $0.description) }
  }

  /// The order of two objects.
  ///
  /// - Throws: an ``InvalidPredicateError`` for an unknown key or a selector that cannot be called.
  package func order(of left: Any, and right: Any) throws -> ComparisonResult {
    if let descriptor = self as? KeySortDescriptor { return try descriptor.order(left, right) }
    return compare(left, to: right)
  }

  convenience init(_ descriptor: KeySortDescriptor) {
    guard let replacement = descriptor as? Self else {
      stopProgram("A key makes an NSSortDescriptor, not a \(Self.self)")
    }
    self.init(_replacing: replacement)
  }
}
