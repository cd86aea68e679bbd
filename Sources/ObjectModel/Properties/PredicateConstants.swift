/// Examines the constants of a predicate.
enum PredicateConstants {
  /// Returns whether a predicate contains no Swift code, and the predicate language has a literal, or a CAST of one,
  /// for each of its constants. Apple's language has neither for `NSNull` and UUIDs.
  ///
  /// A constant of any other type prints as its description, which may parse as something else.
  static func haveText(_ root: NSPredicate) -> Bool {
    // Use an explicit stack, because a predicate that was built in code may be too deep for recursion.
    var open: [TreePart] = [.predicate(root)]
    while let part = open.popLast() {
      switch part {
      case .predicate(let predicate):
        switch predicate.shape {
        case .constant, .compound, .comparison: break
        case .block, .custom: return false
        }
      case .expression(let expression):
        switch expression.node {
        case .constant(let value): guard hasText(value) else { return false }
        case .block: return false
        case .custom: guard expression is NSFetchRequestExpression else { return false }
        default: break
        }
      }
      open += part.parts
    }
    return true
  }

  private static func hasText(_ root: Any?) -> Bool {
    var open: [Any?] = [root]
    while let value = open.popLast() {
      guard let value = flattenOptional(value) else { continue }
      if value is IndexSymbol { continue }
      switch Scalar(value) {
      case .integer, .unsigned, .double, .decimal, .text, .date, .data, .url: continue
      case .null, .uuid: return false
      case .other(let object):
        guard let elements = KeyValueCollection(object)?.elements else { return false }
        open += elements.map(Optional.some)
      }
    }
    return true
  }
}
