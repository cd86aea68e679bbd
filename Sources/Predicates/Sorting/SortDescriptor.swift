/// An order of values by one of their properties, like Foundation's `SortDescriptor`.
///
/// ```swift
/// let byName = people.sorted(using: SortDescriptor(\Person.lastName, comparator: .localizedStandard))
/// request.sortDescriptors = [NSSortDescriptor(SortDescriptor(\Person.age, order: .reverse))]
/// ```
///
/// nil sorts first, or last in reverse order. This module has its own type because Foundation's type on this platform
/// can order strings only by code point. Files that import `CoreData` use this type.
public struct SortDescriptor<Compared>: SortComparator, Sendable {
  /// Forward, from small to large, or reverse.
  public var order: Foundation.SortOrder

  /// The property by which values are compared; nil for a descriptor that was created from a string key, or decoded.
  public var keyPath: PartialKeyPath<Compared>? { path }

  /// The comparator for strings; nil if values are compared by their natural order, which for strings is that of their
  /// code points.
  public let stringComparator: StandardStringComparator?

  private let path: (any PartialKeyPath<Compared> & Sendable)?
  private let textKey: String?

  private init(
    path: (any PartialKeyPath<Compared> & Sendable)?, textKey: String? = nil,
    strings: StandardStringComparator?, order: Foundation.SortOrder
  ) {
    self.path = path
    self.textKey = textKey
    stringComparator = strings
    self.order = order
  }

  /// The name of the property; nil if it is unknown at run time.
  var key: String? { textKey ?? path.flatMap { KeyPathNames.name(of: $0) } }

  /// Returns the order of two values.
  ///
  /// If a value does not have the string key, this method stops the program with a message that identifies the key.
  public func compare(_ lhs: Compared, _ rhs: Compared) -> ComparisonResult {
    let result = forward(value(of: lhs), value(of: rhs))
    return order == .forward ? result : ValueOrder.reversed(result)
  }

  private func value(of object: Compared) -> Any? {
    if let path { return flattenOptional(object[keyPath: path]) }
    guard let textKey else { return object }
    return stoppingOnError { try KeyPathEvaluator.value(of: object, forKeyPath: textKey) }
  }

  private func forward(_ left: Any?, _ right: Any?) -> ComparisonResult {
    if let stringComparator {
      return Predicates.SortOrder.compare(left, right, by: stringComparator.comparison)
    }
    // Numbers, strings and dates sort as in stores. Swift's own order of strings is different.
    if let left = left as? any Comparable, !(left is any ScalarConvertible),
      let result = compareOpened(left, right)
    {
      return result
    }
    return Predicates.SortOrder.compare(left, right, by: .literal)
  }

  private func compareOpened<Value: Comparable>(_ left: Value, _ right: Any?) -> ComparisonResult? {
    (right as? Value).map { ValueOrder.order(left, $0) }
  }
}

extension SortDescriptor {
  /// Creates a descriptor that sorts by a property's natural order.
  public init<Value: Comparable>(
    _ keyPath: any KeyPath<Compared, Value> & Sendable, order: Foundation.SortOrder = .forward
  ) {
    self.init(path: keyPath, strings: nil, order: order)
  }

  /// Creates a descriptor that sorts by an optional property's natural order, nil first.
  public init<Value: Comparable>(
    _ keyPath: any KeyPath<Compared, Value?> & Sendable, order: Foundation.SortOrder = .forward
  ) {
    self.init(path: keyPath, strings: nil, order: order)
  }

  /// Creates a descriptor that sorts by a boolean, false first.
  public init(
    _ keyPath: any KeyPath<Compared, Bool> & Sendable, order: Foundation.SortOrder = .forward
  ) {
    self.init(path: keyPath, strings: nil, order: order)
  }

  /// Creates a descriptor that sorts by an optional boolean: nil, false, true.
  public init(
    _ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: Foundation.SortOrder = .forward
  ) {
    self.init(path: keyPath, strings: nil, order: order)
  }

  /// Creates a descriptor that sorts by a string. By default it sorts as file managers list names.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    comparator: StandardStringComparator = .localizedStandard
  ) {
    self.init(path: keyPath, strings: comparator, order: comparator.order)
  }

  /// Creates a descriptor that sorts by an optional string, nil first. By default it sorts as file managers list names.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    comparator: StandardStringComparator = .localizedStandard
  ) {
    self.init(path: keyPath, strings: comparator, order: comparator.order)
  }

  /// Creates a descriptor that sorts by a string. By default it sorts as file managers list names. The `order`
  /// overrides the comparator's.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    comparator: StandardStringComparator = .localizedStandard, order: Foundation.SortOrder
  ) {
    self.init(path: keyPath, strings: comparator, order: order)
  }

  /// Creates a descriptor that sorts by an optional string, nil first. By default it sorts as file managers
  /// list names. The `order` overrides the comparator's.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    comparator: StandardStringComparator = .localizedStandard, order: Foundation.SortOrder
  ) {
    self.init(path: keyPath, strings: comparator, order: order)
  }
}

extension SortDescriptor where Compared: NSObject {
  /// Creates a descriptor with the same order as one with a string key; nil for a descriptor with a comparator,
  /// without a key, or with a selector other than `compare:`, `localizedCompare:` and `localizedStandardCompare:`.
  ///
  /// ```swift
  /// let oldestFirst = NSSortDescriptor(key: "age", ascending: false)
  /// if let order = SortDescriptor(oldestFirst, comparing: Person.self) {
  ///   print(people.sorted(using: order)[0].lastName)  // Hopper
  /// }
  /// ```
  public init?(_ descriptor: NSSortDescriptor, comparing: Compared.Type) {
    guard let key = descriptor.key, let comparison = descriptor.stringComparison else { return nil }
    let order: Foundation.SortOrder = descriptor.ascending ? .forward : .reverse
    switch comparison {
    case .literal: self.init(path: nil, textKey: key, strings: nil, order: order)
    case .localized: self.init(path: nil, textKey: key, strings: .localized, order: order)
    case .localizedStandard:
      self.init(path: nil, textKey: key, strings: .localizedStandard, order: order)
    // `StandardStringComparator` has no such comparators, as in Apple's Foundation.
    case .caseInsensitive, .localizedCaseInsensitive: return nil
    }
  }
}

extension SortDescriptor: Hashable {
  /// Returns whether two descriptors have the same property, comparison and order.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    guard lhs.order == rhs.order,
      lhs.stringComparator?.comparison == rhs.stringComparator?.comparison
    else { return false }
    return lhs.path == rhs.path && lhs.textKey == rhs.textKey
      || lhs.key != nil && lhs.key == rhs.key
  }

  /// Hashes the descriptor; equal descriptors have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(order)
    // Do not hash the path, because a descriptor with a path may equal one with only the property's
    // name.
    hasher.combine(stringComparator?.comparison)
  }
}

extension SortDescriptor: Codable {
  private enum CodingKeys: String, CodingKey { case key, comparator, order }

  /// Decodes a descriptor from the name of its property.
  ///
  /// - Throws: A `DecodingError` if a part is missing or invalid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let isReverse = try container.decode(Bool.self, forKey: .order)
    self.init(
      path: nil, textKey: try container.decode(String.self, forKey: .key),
      strings: try container.decodeIfPresent(StandardStringComparator.self, forKey: .comparator),
      order: isReverse ? .reverse : .forward)
  }

  /// Encodes the descriptor with the name of its property.
  ///
  /// - Throws: An `EncodingError` if the name of the property is unknown at run time; the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    guard let key else {
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "the key path of the sort descriptor has no name"))
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encodeIfPresent(stringComparator, forKey: .comparator)
    try container.encode(order == .reverse, forKey: .order)
  }
}
