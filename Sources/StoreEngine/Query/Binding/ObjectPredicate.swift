/// A part of a predicate that SQL cannot express: a block, or a condition on a transformable value or on one of its
/// properties. It is evaluated with managed objects instead of rows.
package struct ObjectPredicate {
  package var predicate: NSPredicate
  /// The attributes that a condition reads; empty for a block.
  package let paths: [BoundPath]
  /// The error that a store throws if it cannot evaluate this part with objects.
  package let refusal: any Error

  /// Creates the part from a predicate that could not be bound to the rows of `root`; nil if it cannot be evaluated
  /// with objects either.
  package init?(_ predicate: NSPredicate, of root: EntityLayout, refusal: any Error) {
    self.predicate = predicate
    self.refusal = refusal
    switch predicate.shape {
    case .block: paths = []
    case .comparison(let comparison):
      var paths: [BoundPath] = []
      for keyPath in Self.keyPaths(in: comparison) {
        guard let path = Self.path(keyPath, from: root) else { return nil }
        paths.append(path)
      }
      // Only conditions on transformable values are evaluated with objects. Others are errors in the request.
      guard paths.contains(where: { $0.kind == .opaque }) else { return nil }
      self.paths = paths
    default: return nil
    }
  }

  private static func keyPaths(in comparison: NSComparisonPredicate) -> [String] {
    var found: [String] = []
    var rest = [comparison.leftExpression, comparison.rightExpression]
    while let expression = rest.popLast() {
      switch expression.node {
      case .keyPath(let keyPath): found.append(keyPath)
      case .function(_, let receiver, let arguments):
        rest += [receiver].compactMap { $0 } + arguments
      case .aggregate(let elements): rest += elements
      default: break
      }
    }
    return found
  }

  /// Returns the attribute that follows the to-one relationships in a key path. Any further keys are properties of the
  /// attribute's value.
  private static func path(_ keyPath: String, from root: EntityLayout) -> BoundPath? {
    var layout = root
    var steps: [Int] = []
    for key in keyPath.split(separator: ".") {
      guard let slot = layout.slot(named: String(key)), !slot.isTransient else { return nil }
      if slot.kind == .toOne, let destination = slot.relationship?.destination {
        guard steps.count < PredicateBinder.mostSteps else { return nil }
        steps.append(slot.index)
        layout = destination
      } else if slot.storage != nil {
        return BoundPath(
          level: 0, start: root, steps: steps, end: layout, terminal: .attribute(slot.index))
      } else {
        return nil
      }
    }
    return nil
  }
}

extension BoundPredicate {
  /// The first part that is evaluated with objects; nil if there is none.
  package var objectPredicate: ObjectPredicate? {
    switch self {
    case .byObject(let part): part
    case .and(let parts), .or(let parts): parts.lazy.compactMap(\.objectPredicate).first
    case .not(let part), .isTrue(let part): part.objectPredicate
    default: nil
    }
  }
}
