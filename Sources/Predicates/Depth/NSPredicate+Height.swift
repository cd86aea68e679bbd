extension NSPredicate {
  /// The levels of the tree of predicates and expressions.
  package var height: Int {
    if let comparison = plainComparison { return comparison.cachedHeight }
    if let compound = plainCompound { return compound.cachedHeight }
    switch self {
    case let comparison as NSComparisonPredicate: return comparison.cachedHeight
    case let compound as NSCompoundPredicate: return compound.cachedHeight
    case let compound as Foundation.NSCompoundPredicate:
      // Foundation's own knows no height; its parts may be as deep as they like.
      var height = 0
      var level: [NSPredicate] = compound.subpredicates
      while !level.isEmpty {
        height += 1
        var next: [NSPredicate] = []
        for part in level {
          if let part = part as? Foundation.NSCompoundPredicate, !(part is NSCompoundPredicate) {
            next += part.subpredicates
          } else {
            height = max(height, part.height)
          }
        }
        level = next
      }
      return height + 1
    default: return 1
    }
  }

  /// The levels of recursion that evaluating takes. Compounds count no levels: they are evaluated
  /// without recursion where they are deep.
  var nesting: Int {
    if let comparison = plainComparison { return comparison.cachedNesting }
    if let compound = plainCompound { return compound.cachedNesting }
    switch self {
    case let comparison as NSComparisonPredicate: return comparison.cachedNesting
    case let compound as NSCompoundPredicate: return compound.cachedNesting
    case let compound as Foundation.NSCompoundPredicate:
      var nesting = 0
      var rest: [NSPredicate] = compound.subpredicates
      while let part = rest.popLast() {
        if let part = part as? Foundation.NSCompoundPredicate, !(part is NSCompoundPredicate) {
          rest += part.subpredicates
        } else {
          nesting = max(nesting, part.nesting)
        }
      }
      return nesting
    default: return 0
    }
  }

  /// Refuses a predicate whose evaluation would need more stack than the smallest threads have.
  ///
  /// Whoever evaluates or translates a predicate recursively asks for this first.
  ///
  /// - Throws: an ``InvalidPredicateError`` where expressions nest deeper than a text may.
  package func checkNesting() throws {
    if nesting > Parser.maximumDepth { throw InvalidPredicateError.tooDeep }
  }
}

extension NSPredicate {
  /// The parts of AND within AND, and of OR within OR, in their order: code builds chains two by two.
  package static func flat(
    _ parts: [NSPredicate], _ type: NSCompoundPredicate.LogicalType
  ) -> [NSPredicate] {
    var result: [NSPredicate] = []
    var rest = Array(parts.reversed())
    while let part = rest.popLast() {
      if case .compound(type, let inner) = part.shape {
        rest += inner.reversed()
      } else {
        result.append(part)
      }
    }
    return result
  }
}

extension NSExpression {
  /// Refuses an expression whose evaluation would need more stack than the smallest threads have.
  ///
  /// Cost: O(1).
  ///
  /// - Throws: an ``InvalidPredicateError`` where expressions nest deeper than a text may.
  package func checkNesting() throws {
    if nesting > Parser.maximumDepth { throw InvalidPredicateError.tooDeep }
  }
}

extension InvalidPredicateError {
  static var tooDeep: InvalidPredicateError {
    InvalidPredicateError("the predicate nests deeper than \(Parser.maximumDepth) levels")
  }
}
