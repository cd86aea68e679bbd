/// The rows within bounds of an R-tree index. `indexed:by:(latitude, "byPlace") BETWEEN {1, 2}` makes the store find
/// its rows by the index.
package struct IndexedRange {
  /// The path of to-one steps to the indexed row; empty for the row of the condition.
  package let row: BoundPath
  /// The entity that declares the index.
  package let entity: String
  package let index: String
  package private(set) var bounds: [Bounds]

  /// The bounds of an attribute's values, both inclusive; nil for no bound.
  package struct Bounds {
    package let slot: Int
    package let low: StoredValue?
    package let high: StoredValue?
  }

  /// Returns the intersection of both ranges if they apply to the same index and row; otherwise nil.
  package func joined(_ other: IndexedRange) -> IndexedRange? {
    guard row == other.row, entity == other.entity, index == other.index else { return nil }
    var joined = self
    joined.bounds += other.bounds
    return joined
  }
}

extension PredicateBinder {
  /// Returns a bound comparison. If it compares `indexed:by:(key, "index")`, and the index is an R-tree that can find
  /// the rows, the range of the index precedes the comparison.
  package func ranged(
    _ comparison: NSComparisonPredicate, _ bound: BoundPredicate
  ) throws -> BoundPredicate {
    // For NULL, the comparison is unknown but the range is false, so inside a NOT the result would be true.
    guard !isNegated, !bindsGroups, comparison.comparisonPredicateModifier == .direct,
      let name = comparison.leftExpression.indexName ?? comparison.rightExpression.indexName,
      let range = IndexedRange(bound, index: name)
    else { return bound }
    return .and([.inIndex(range), bound])
  }

  /// Returns conditions that must all be true, preceded by the combined ranges of each index, so that one search of an
  /// index finds the rows.
  package static func joiningRanges(_ parts: [BoundPredicate]) -> [BoundPredicate] {
    var ranges: [IndexedRange] = []
    var others: [BoundPredicate] = []
    for part in parts {
      guard case .and(let inner) = part, case .inIndex(let range)? = inner.first else {
        others.append(part)
        continue
      }
      others += inner.dropFirst()
      if let place = ranges.firstIndex(where: { $0.joined(range) != nil }),
        let joined = ranges[place].joined(range)
      {
        ranges[place] = joined
      } else {
        ranges.append(range)
      }
    }
    return ranges.isEmpty ? parts : ranges.map(BoundPredicate.inIndex) + others
  }

  /// Resolves `indexed:by:(key, "index")` to the value of the key.
  ///
  /// - Throws: `NSCoreDataError` if the entity of the key has no fetch index with that name, if the name is not a
  ///   constant string, or if the key cannot be resolved.
  package func indexed(_ arguments: [NSExpression], _ expression: NSExpression) throws
    -> ResolvedExpression
  {
    guard let constant = try constantValue(arguments[1]),
      case .text(let name) = Scalar(constant.value)
    else {
      throw CoreDataError.badRequest(
        "indexed:by: requires the name of a fetch index in quotes: \(expression)")
    }
    let resolved = try resolve(arguments[0])
    let owner: EntityLayout? =
      switch resolved {
      case .single(.property(let path)): path.end
      case .collection(let members, let rest) where rest.count < 2: members.collection.destination
      default: nil
      }
    if let owner { try owner.requireIndex(named: name, expression) }
    return resolved
  }
}

extension NSExpression {
  /// The index name in the second argument of `indexed:by:`.
  fileprivate var indexName: String? {
    guard case .function(PredefinedFunction.indexedBy.rawValue, nil, let arguments) = node,
      arguments.count == 2, case .text(let name) = Scalar(arguments[1].constantValueIfAny)
    else { return nil }
    return name
  }

  private var constantValueIfAny: Any? {
    if case .constant(let value) = node { value } else { nil }
  }
}

extension IndexedRange {
  /// Creates the range of a comparison of an attribute with constants; nil if its entity has no such R-tree index with
  /// the attribute, or if the comparison has no numeric bounds.
  fileprivate init?(_ comparison: BoundPredicate, index: String) {
    let (path, low, high): (BoundPath, StoredValue?, StoredValue?)
    switch comparison {
    case .between(.property(let value), .constant(let first, _), .constant(let last, _)):
      (path, low, high) = (value, first, last)
    case .compare(.property(let value), let sign, .constant(let bound, _)):
      guard sign != .notEqual else { return nil }
      path = value
      low = sign == .less || sign == .lessOrEqual ? nil : bound
      high = sign == .greater || sign == .greaterOrEqual ? nil : bound
    case .compare(.constant(let bound, _), let sign, .property(let value)):
      guard sign != .notEqual else { return nil }
      path = value
      low = sign == .greater || sign == .greaterOrEqual ? nil : bound
      high = sign == .less || sign == .lessOrEqual ? nil : bound
    default: return nil
    }
    guard case .attribute(let slot) = path.terminal,
      let owner = path.end.rTreeOwner(index, slot),
      [low, high].allSatisfy({ $0.map { $0.number != nil } ?? true })
    else { return nil }
    row = BoundPath(
      level: path.level, start: path.start, steps: path.steps, end: path.end, terminal: .object)
    entity = owner.name
    self.index = index
    bounds = [Bounds(slot: slot, low: low, high: high)]
  }
}

extension EntityLayout {
  /// Returns the entity, this one or a parent, that declares an R-tree index with an attribute.
  fileprivate func rTreeOwner(_ name: String, _ slot: Int) -> EntityLayout? {
    let found = entity.indexes.first {
      $0.name == name
        && $0.elements.contains {
          $0.collationType == .rTree && $0.propertyName.flatMap { slotNumbers[$0] } == slot
        }
    }
    // In models from files, subentities inherit indexes, so the topmost entity that has the index declares it.
    return superlayout?.rTreeOwner(name, slot) ?? (found == nil ? nil : self)
  }

  fileprivate func requireIndex(named name: String, _ expression: NSExpression) throws {
    let layouts = family + sequence(first: self, next: \.superlayout)
    let names = Set(layouts.flatMap { $0.entity.indexes.map(\.name) })
    if names.contains(name) { return }
    let suggestion = NearestName.nearest(to: name, among: names.sorted())
    throw CoreDataError.badRequest(
      "the entity \(self.name) has no fetch index named \"\(name)\""
        + (suggestion.map { " (did you mean \"\($0)\"?)" } ?? "") + ": \(expression)")
  }
}
