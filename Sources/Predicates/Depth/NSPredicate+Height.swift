extension NSPredicate {
  /// The number of levels of the tree of predicates and expressions.
  package var height: Int {
    if let comparison = plainComparison { return comparison.cachedHeight }
    if let compound = plainCompound { return compound.cachedHeight }
    // The lines above compare classes, because a cast costs ten times as much. Only other classes reach this switch.
    switch self {
    case let comparison as NSComparisonPredicate: return comparison.cachedHeight
    case let compound as NSCompoundPredicate: return compound.cachedHeight
    case let compound as Foundation.NSCompoundPredicate:
      // Foundation's own compounds do not store a height, and their parts may be nested to any depth.
      var height = 0
      var depth = 0
      var level: [NSPredicate] = [compound]
      while !level.isEmpty {
        var next: [NSPredicate] = []
        for part in level {
          if let part = part as? Foundation.NSCompoundPredicate, !(part is NSCompoundPredicate) {
            next += part.subpredicates
          } else {
            height = max(height, depth + part.height)
          }
        }
        depth += 1
        level = next
      }
      return max(height, depth)
    default: return 1
    }
  }

  /// The recursion depth for evaluating the predicate, in levels. Compounds add no levels, because deep ones are
  /// evaluated without recursion.
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

  /// Rejects a predicate whose evaluation would overflow the stack of the smallest threads.
  ///
  /// Code that evaluates or translates a predicate recursively must call this first.
  ///
  /// - Throws: An ``InvalidPredicateError`` if expressions nest deeper than the parser allows.
  package func checkNesting() throws {
    if nesting > Parser.maximumDepth { throw InvalidPredicateError.tooDeep }
  }
}

extension NSPredicate {
  /// Returns the parts in order, with AND nested in AND, or OR nested in OR, flattened. Code often builds such chains
  /// pairwise.
  package static func flat(
    _ parts: [NSPredicate], _ type: NSCompoundPredicate.LogicalType
  ) -> [NSPredicate] {
    var result: [NSPredicate] = []
    // An explicit stack, because a chain that code builds pairwise may be too deep for recursion.
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
  /// Rejects an expression whose evaluation would overflow the stack of the smallest threads.
  ///
  /// Cost: O(1).
  ///
  /// - Throws: An ``InvalidPredicateError`` if expressions nest deeper than the parser allows.
  package func checkNesting() throws {
    if nesting > Parser.maximumDepth { throw InvalidPredicateError.tooDeep }
  }
}

extension InvalidPredicateError {
  static var tooDeep: InvalidPredicateError {
    InvalidPredicateError("the predicate nests deeper than \(Parser.maximumDepth) levels")
  }
}
