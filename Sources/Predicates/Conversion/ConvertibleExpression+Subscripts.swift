extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    // The element of a captured array is a constant. Converting the subscript would put the whole array into the
    // predicate.
    if let constant = converter.constant(self) { return .value(constant) }
    // The function `objectFrom:withIndex:` counts from 0. In other collections, such as slices, the first index may
    // differ from 0, or indexes may not be numbers. Apple's Foundation refuses such collections too.
    guard Wrapped.Output.self is any ArrayType.Type else {
      throw converter.refusal(
        of: "a subscript of \(try converter.words(wrapped)), which is not an array")
    }
    let array = try converter.expression(wrapped)
    return .value(.calling(.elementAtIndex, array, try converter.expression(index)))
  }
}

private protocol ArrayType {}
extension Array: ArrayType {}

extension PredicateExpressions.CollectionRangeSubscript: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(of: "a subscript of \(try converter.words(wrapped)) by a range")
  }
}

extension PredicateExpressions.DictionaryKeySubscript: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    if let constant = converter.constant(self) { return .value(constant) }
    let dictionary = try converter.expression(wrapped)
    return .value(.calling(.elementAtIndex, dictionary, try converter.expression(key)))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    throw converter.refusal(
      of: "a subscript of \(try converter.words(wrapped)) with a default value")
  }
}
