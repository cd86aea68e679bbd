/// Evaluates comparisons that call a method of the left value: `SELF isKindOfClass: %@`.
///
/// Compared to Apple's Core Data: without Objective-C, only the methods listed here can be called.
enum SelectorComparison {
  static func holds(_ selector: Selector, _ left: Any?, _ right: Any?) throws -> Bool {
    switch selector.description {
    case "isEqual:", "isEqualTo:", "isEqualToString:", "isEqualToNumber:", "isEqualToDate:",
      "isEqualToArray:", "isEqualToSet:", "isEqualToDictionary:":
      return ValueEquality.areEqual(left, right)
    case "isKindOfClass:", "isMemberOfClass:":
      guard let wanted = right as? AnyClass else {
        throw InvalidPredicateError("\(selector) needs a class, not \(describe(right))")
      }
      guard let left = flattenOptional(left) else { return false }
      let isExact = selector.description == "isMemberOfClass:"
      var found: AnyClass? = type(of: left) as? AnyClass
      while let current = found {
        if current == wanted { return true }
        found = isExact ? nil : _getSuperclass(current)
      }
      return false
    case "hasPrefix:": return try matches(.beginsWith, [], left, right)
    case "hasSuffix:": return try matches(.endsWith, [], left, right)
    case "containsString:": return try matches(.contains, [], left, right)
    case "localizedCaseInsensitiveContainsString:":
      return try matches(.contains, [.caseInsensitive, .localeSensitive], left, right)
    case "containsObject:":
      guard let elements = KeyValueCollection(left)?.elements else {
        throw InvalidPredicateError("containsObject: needs a collection, not \(describe(left))")
      }
      return elements.contains { ValueEquality.areEqual($0, right) }
    default:
      throw InvalidPredicateError("\(selector) is not a method that predicates can call")
    }
  }

  private static func matches(
    _ type: NSComparisonPredicate.Operator, _ options: NSComparisonPredicate.Options,
    _ left: Any?, _ right: Any?
  ) throws -> Bool {
    guard case .text(let text) = Scalar(left), case .text(let pattern) = Scalar(right) else {
      return false
    }
    return try StringMatcher(type, options: options, pattern: pattern).matches(text)
  }
}
