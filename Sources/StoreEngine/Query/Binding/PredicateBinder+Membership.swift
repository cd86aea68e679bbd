extension PredicateBinder {
  /// Returns `value IN collection` or `collection CONTAINS value`.
  package func membership(
    of value: NSExpression, in collection: NSExpression, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    try membership(of: try operand(value), in: collection, comparison)
  }

  package func membership(
    of value: Operand, in collection: NSExpression, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    if let elements = try elements(collection) {
      return try membership(of: value, among: elements, comparison)
    }
    let constant = try constantValue(collection)
    if let constant, constant.value != nil, Scalar(constant.value).isCollectionless {
      throw CoreDataError.badRequest(
        "Can't use in/contains operator with collection \(MessageText.text(of: constant.value)) (not a"
          + " collection): \(comparison.predicateFormat)")
    }
    if let text = try textContainer(collection) {
      // The container is a string, so the value must be a substring of it.
      return try matching(
        try matched(text, comparison), .contains, try matched(value, comparison),
        comparison.options)
    }
    if let function = try modes(collection) {
      let (element, part) = try pair(.bound(function.element), value, comparison)
      try check(element, part, comparison)
      return .or([.isMode(part, function)] + nullUnknown(part))
    }
    let resolved = try resolve(collection)
    if let subject = resolved.singleSubject {
      throw CoreDataError.badRequest(
        "Can't use in/contains operator with \(subject) (not a collection):"
          + " \(comparison.predicateFormat)")
    }
    var part: BoundExpression?
    let found = try some(of: resolved) { member, binder in
      let (element, value) = try binder.pair(member, value, comparison)
      part = value
      return try binder.isEqual(value, element, comparison)
    }
    return .or([found] + (part.map(nullUnknown) ?? []))
  }

  private func membership(
    of value: Operand, among elements: [Operand], _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    // A constant on the left gets the type of the first value on the right that is read from the row.
    var value = value
    if case .constant(let constant) = value {
      let row = elements.lazy.compactMap { if case .bound(let bound) = $0 { bound } else { nil } }
      if let like = row.first {
        value = .bound(
          try conversion.constant(constant, like: like, comparison.predicateFormat))
      }
    }
    var subject: BoundExpression?
    var constants: [StoredValue] = []
    var others: [BoundPredicate] = []
    var texts: [String] = []
    for element in elements {
      let (left, right) = try pair(value, element, comparison)
      subject = left
      try check(left, right, comparison)
      switch right {
      // The list of an IN must not contain NULL: the result would be unknown for every value that is not in the list.
      case .constant(.null, .null): others.append(.isNull(left))
      // This constant is not-a-number, and no value is equal to it.
      case .constant(.null, _): continue
      case .constant(let constant, _):
        if !comparison.options.isEmpty, left.kind == .text, elements.count >= Self.longList,
          let text = constant.matchedText
        {
          texts.append(text)
        } else if !comparison.options.isEmpty, left.kind == .text {
          others.append(.isTrue(try matching(left, .equalTo, right, comparison.options)))
        } else {
          constants.append(constant)
        }
      default:
        guard !comparison.options.isEmpty, left.kind == .text else {
          // The members of a list are compared like those of an array in memory,
          // where nil is equal to nil.
          others.append(.identical(left, right))
          continue
        }
        let isEqual = try matching(left, .equalTo, right, comparison.options)
        others.append(.or([.isTrue(isEqual), .and([.isNull(left), .isNull(right)])]))
      }
    }
    guard let subject else {
      // An empty list contains no value, but the result for NULL is unknown.
      guard case .bound(let left) = value else { return .value(false) }
      return .among(left, [])
    }
    if !texts.isEmpty {
      let folded = BoundPredicate.amongTexts(
        subject, FoldedTexts(texts, options: comparison.options))
      return others.isEmpty ? folded : .or([folded] + others)
    }
    return others.isEmpty ? .among(subject, constants) : .or([.among(subject, constants)] + others)
  }

  /// The minimum length of a list whose strings are looked up in folded form, if the comparison has options.
  private static let longList = 32

  /// Returns the conditions that make a membership unknown if the value is NULL.
  private func nullUnknown(_ value: BoundExpression) -> [BoundPredicate] {
    switch value {
    case .constant(let constant, _) where !constant.isNull: []
    case .property(let path) where path.isRow: []
    default: [.among(value, [])]
    }
  }

  /// Returns an expression as the string in which to search for a substring; nil if it is not a single string.
  package func textContainer(_ expression: NSExpression) throws -> Operand? {
    if let constant = try constantValue(expression) { return Operand.constant(constant.value).text }
    guard case .single(let bound) = try resolve(expression) else { return nil }
    return Operand.bound(bound).text
  }

  /// Returns the values among which `mode:(…)` finds the most frequent; nil for any other expression. No other function
  /// has several results.
  private func modes(_ expression: NSExpression) throws -> BoundValues? {
    guard case .function("mode:", nil, let arguments) = expression.node, arguments.count == 1 else {
      return nil
    }
    return try values(try resolve(arguments[0]), expression)
  }

  // MARK: Entities

  /// Returns `entity == %@` or `entity.name IN {…}`, evaluated once for each entity that the object at the end of a
  /// path can have.
  package func entityCondition(
    _ path: BoundPath, _ constant: Any?, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    if Scalar(constant).isNull {
      let isNull = BoundPredicate.isNull(.property(path))
      return comparison.predicateOperatorType == .notEqualTo ? .not(isNull) : isNull
    }
    let matching = try path.end.family.filter { layout in
      let tried = NSComparisonPredicate(
        leftExpression: NSExpression(forConstantValue: layout.name),
        rightExpression: NSExpression(forConstantValue: Self.entityNames(constant)),
        modifier: .direct, type: comparison.predicateOperatorType, options: comparison.options)
      do {
        return try tried.truth(with: nil, nilRule: .store) == true
      } catch {
        throw CoreDataError.make(
          NSCoreDataError, "\(comparison): \(error.localizedDescription)", cause: error)
      }
    }
    return .isEntity(path, matching)
  }

  /// Returns the name of an entity, or the names of the entities in a collection; another value unchanged.
  private static func entityNames(_ value: Any?) -> Any? {
    if let entity = value as? NSEntityDescription { return entity.name ?? "" }
    return ConstantConversion.members(of: value)?
      .map { ($0 as? NSEntityDescription)?.name ?? $0 ?? NSNull() } ?? value
  }
}

extension Scalar {
  /// Whether the value, such as a number or a date, cannot be a collection.
  fileprivate var isCollectionless: Bool {
    switch self {
    case .text, .other: false
    default: true
    }
  }
}
