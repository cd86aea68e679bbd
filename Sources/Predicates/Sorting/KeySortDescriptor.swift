/// A sort descriptor with a string key. Foundation's own class does not implement such keys.
///
/// Immutable. May be used from any thread from which its comparator may be called.
final class KeySortDescriptor: NSSortDescriptor {
  enum Kind {
    /// Sorts by the order of the values; strings by the named comparison.
    case standard(StringComparison)
    /// Sorts by Swift code.
    case comparator(Comparator)
    /// Sorts by a method that only Objective-C can call.
    case unknown(Selector)
  }

  let sortKey: String?
  let kind: Kind

  init(key: String?, ascending: Bool, kind: Kind) {
    sortKey = key
    self.kind = kind
    // Foundation's initializer requires a Swift key path, which is never used here.
    super.init(keyPath: \String.self, ascending: ascending)
  }

  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    stoppingOnError { try order(object1, object2) }
  }

  /// The class whose name is written to archives.
  override var classForKeyedArchiver: AnyClass? { NSSortDescriptor.self }

  override func copy() -> Any { self }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override var reversedSortDescriptor: Any {
    KeySortDescriptor(key: sortKey, ascending: !ascending, kind: kind)
  }

  override var comparator: Comparator { { self.compareValues($0, $1) } }

  func order(_ left: Any, _ right: Any) throws -> ComparisonResult {
    if case .unknown(let selector) = kind {
      throw InvalidPredicateError(
        "the selector \(selector) of the sort descriptor for \"\(sortKey ?? "self")\" cannot be called by name"
      )
    }
    let result = compareValues(try value(of: left) as Any, try value(of: right) as Any)
    return ascending ? result : ValueOrder.reversed(result)
  }

  private func value(of object: Any) throws -> Any? {
    guard let sortKey else { return object }
    return try KeyPathEvaluator.value(of: object, forKeyPath: sortKey)
  }

  /// Returns the ascending order of two values of the key.
  private func compareValues(_ left: Any, _ right: Any) -> ComparisonResult {
    switch kind {
    case .standard(let comparison): return SortOrder.compare(left, right, by: comparison)
    case .unknown: return .orderedSame
    case .comparator(let comparator): return Self.compare(left, right, by: comparator)
    }
  }

  /// Returns the order of two values. The comparator never receives nil: nil sorts first.
  static func compare(
    _ left: Any, _ right: Any, by comparator: Comparator
  ) -> ComparisonResult {
    switch (Scalar(left).isNull, Scalar(right).isNull) {
    case (true, true): .orderedSame
    case (true, false): .orderedAscending
    case (false, true): .orderedDescending
    case (false, false): comparator(flattenOptional(left) ?? left, flattenOptional(right) ?? right)
    }
  }

  override var description: String {
    "(\(sortKey ?? "self"), \(ascending ? "ascending" : "descending"), \(selector.map(\.description) ?? "comparator"))"
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSSortDescriptor else { return false }
    if other === self { return true }
    guard let other = other as? KeySortDescriptor else { return false }
    switch (kind, other.kind) {
    case (.standard, .standard), (.unknown, .unknown):
      return sortKey == other.sortKey && ascending == other.ascending && selector == other.selector
    // Swift code cannot be compared with other Swift code.
    default: return false
    }
  }

  override var hash: Int {
    var hasher = Hasher()
    hasher.combine(sortKey)
    hasher.combine(ascending)
    hasher.combine(selector)
    return hasher.finalize()
  }
}
