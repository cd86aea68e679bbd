extension ComparisonEvaluator {
  /// Evaluates CONTAINS: whether the left side contains a substring or an element.
  func contains(_ left: Any?, _ right: Any?) throws -> Bool? {
    if Scalar(left).matchedText != nil { return try matches(left, right) }
    return try isElement(right, of: left)
  }

  /// Evaluates IN: whether the left side is a substring or an element of the right side.
  func isIn(_ left: Any?, _ right: Any?) throws -> Bool? {
    guard let text = Scalar(right).matchedText else { return try isElement(left, of: right) }
    let value = Scalar(left)
    // This check precedes the one for text, because nil on the left is not an error.
    if value.isNull { return truthOfNil }
    guard let pattern = value.matchedText else { throw noText(left) }
    return try StringMatcher(.contains, options: comparison.options, pattern: pattern)
      .matches(text)
  }

  /// The prepared elements of a constant list on the right of IN; nil if there is no such list, if options require more
  /// than a test for equality, or under the store's nil rule.
  var constantList: MembershipIndex? {
    // The index contains the elements as they are. Under the store's nil rule, elements are
    // compared as a column stores them.
    guard comparison.predicateOperatorType == .in, comparison.options.isEmpty,
      evaluation.nilRule == .foundation
    else { return nil }
    return comparison.membership.index(of: comparison.rightExpression)
  }

  private func isElement(_ value: Any?, of collection: Any?) throws -> Bool? {
    if let list = collection as? MembershipIndex {
      return membership(of: value, in: comparison.rightExpression) { list.contains(value) }
    }
    if Scalar(collection).isNull { return truthOfNil }
    let container =
      comparison.predicateOperatorType == .contains
      ? comparison.leftExpression : comparison.rightExpression
    // A key path across several relationships stands for all objects at its end.
    let isPath = evaluation.nilRule == .store && !container.isList
    guard
      let elements = KeyValueCollection(collection).map({ isPath ? $0.flattened : $0.elements })
        ?? KeyValueCollection.dictionary(collection).map({ Array($0.values) })
    else {
      throw InvalidPredicateError(
        "Can't use in/contains operator with collection \(describe(collection)) (not a collection), in \(comparison)"
      )
    }
    return try membership(of: value, in: container) { try search(elements, for: value) }
  }

  /// Returns the result of IN or CONTAINS. The membership of not-a-number is unknown. Under the store's nil rule, nil
  /// is a member of a list that contains nil; its membership in any other list or collection is unknown.
  private func membership(
    of value: Any?, in container: NSExpression, isFound: () throws -> Bool
  ) rethrows -> Bool? {
    let scalar = Scalar(value)
    if scalar.isNotANumber { return nil }
    guard evaluation.nilRule == .store, scalar.isNull else { return try isFound() }
    return container.isList ? try isFound() ? true : nil : nil
  }

  private func search(_ elements: [Any], for value: Any?) throws -> Bool {
    let options = comparison.options
    let scalar = self.scalar(value)
    guard !options.isEmpty, case .text(let pattern) = scalar else {
      return elements.contains { element in
        let member = Scalar(element)
        return !member.isNotANumber
          && ValueEquality.areEqual(evaluation.nilRule == .store ? member.kept : member, scalar)
      }
    }
    let matcher = try StringMatcher(.equalTo, options: options, pattern: pattern)
    return try elements.contains { element in
      if case .text(let text) = Scalar(element) { return try matcher.matches(text) }
      return false
    }
  }
}

extension NSExpression {
  /// Whether the expression lists its elements or is a constant collection.
  fileprivate var isList: Bool {
    switch node {
    case .constant, .aggregate: true
    default: false
    }
  }
}
