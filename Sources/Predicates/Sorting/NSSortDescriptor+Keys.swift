extension NSSortDescriptor: ReplaceableByInitializer {}

extension ReplaceableByInitializer where Self: NSSortDescriptor {
  /// Creates a descriptor that compares the objects themselves, in ascending order.
  public init() {
    let descriptor: NSSortDescriptor = KeySortDescriptor(
      key: nil, ascending: true, kind: .standard(.literal))
    guard let descriptor = descriptor as? Self else {
      stopProgram("\(Self.self) has its own initializers and cannot be created with init()")
    }
    self.init(_replacing: descriptor)
  }
}

extension NSSortDescriptor {
  /// Creates a descriptor that sorts by the values of a key path in their natural order, `compare:`. nil sorts first,
  /// or last in descending order, and strings sort by code point.
  ///
  /// Without a key, the objects themselves are compared.
  public convenience init(key: String?, ascending: Bool) {
    self.init(KeySortDescriptor(key: key, ascending: ascending, kind: .standard(.literal)))
  }

  /// Creates a descriptor that sorts by the values of a key path with a selector: `compare:`,
  /// `caseInsensitiveCompare:`, `localizedCompare:`, `localizedCaseInsensitiveCompare:` or
  /// `localizedStandardCompare:`. nil means `compare:`.
  ///
  /// Compared to Apple's Core Data: without Objective-C, no other method can be called by name. A descriptor
  /// with another selector can be created, but sorting with it fails with an error that identifies it.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.sortDescriptors = [
  ///   NSSortDescriptor(key: "lastName", ascending: true, selector: "localizedStandardCompare:")
  /// ]
  /// ```
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

  /// Creates a descriptor that sorts by the values of a key path with a comparator, which never receives nil: nil sorts
  /// first, or last in descending order.
  ///
  /// A store cannot sort with such a descriptor; a fetch with one fails.
  ///
  /// ```swift
  /// let byLength = NSSortDescriptor(key: "lastName", ascending: true) { left, right in
  ///   let lengths = [left, right].map { ($0 as? String ?? "").count }
  ///   if lengths[0] == lengths[1] { return .orderedSame }
  ///   return lengths[0] < lengths[1] ? .orderedAscending : .orderedDescending
  /// }
  /// print(people.sorted(using: [byLength])[0].lastName)  // Turing
  /// ```
  public convenience init(
    key: String?, ascending: Bool, comparator cmptr: @escaping Comparator
  ) {
    self.init(KeySortDescriptor(key: key, ascending: ascending, kind: .comparator(cmptr)))
  }

  /// Creates a descriptor that sorts by the values of a Swift key path whose type is not `Comparable`, such as an
  /// optional. nil sorts first, or last in descending order.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.sortDescriptors = [
  ///   NSSortDescriptor(keyPath: \Person.lastName, ascending: true),
  ///   NSSortDescriptor(keyPath: \Person.firstName, ascending: true),
  /// ]
  /// ```
  public convenience init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    if let name = KeyPathNames.name(of: keyPath) {
      self.init(key: name, ascending: ascending)
    } else {
      self.init(keyPath: keyPath, ascending: ascending) { left, right in
        SortOrder.compare(left, right, by: .literal)
      }
    }
  }

  /// The key path as a string; nil for a descriptor without a key, or of a Swift key path without a known name.
  public var key: String? {
    guard let descriptor = self as? KeySortDescriptor else { return KeyPathNames.name(of: keyPath) }
    return descriptor.sortKey
  }

  /// The selector that compares the values; nil for a descriptor with a comparator, or of a Swift key path without a
  /// known name.
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

  /// The string comparison, for code that sorts by other means; nil for a descriptor that only its own
  /// `compare(_:to:)` can apply.
  package var stringComparison: StringComparison? {
    selector.flatMap { StringComparison(rawValue: $0.description) }
  }

  /// Returns the order of two objects.
  ///
  /// - Throws: An ``InvalidPredicateError`` for an unknown key or a selector that cannot be called, or an object's own
  ///   error.
  package func order(of left: Any, and right: Any) throws -> ComparisonResult {
    if let descriptor = self as? KeySortDescriptor { return try descriptor.order(left, right) }
    return compare(left, to: right)
  }

  convenience init(_ descriptor: KeySortDescriptor) {
    guard let replacement = descriptor as? Self else {
      stopProgram("This initializer creates an NSSortDescriptor, not its subclass \(Self.self)")
    }
    self.init(_replacing: replacement)
  }
}
