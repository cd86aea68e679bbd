extension PredicateExpressions.Value: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    guard let constant = ConvertedConstant.expression(value) else {
      throw converter.refusal(of: "a constant of type \(Output.self)")
    }
    return .value(constant)
  }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(NSExpression(forConstantValue: nil))
  }
}

extension PredicateExpressions.Variable: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    .value(try converter.value(of: key))
  }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
  func converted(by converter: inout PredicateConverter) throws -> ConvertedExpression {
    // A property of a captured value is a constant.
    if let constant = converter.constant(self) { return .value(constant) }
    let root = try converter.expression(self.root)
    // A string is not a collection in key-value coding. As in Apple's Foundation, `count` becomes `length`, although
    // `length` is the number of UTF-16 units and `count` the number of characters.
    let isText = Root.Output.self is any StringProtocol.Type
    switch kind {
    case .collectionCount: return .value(root.appending(keyPath: isText ? "length" : "@count"))
    case .collectionIsEmpty:
      return .condition(
        .comparing(
          root.appending(keyPath: isText ? "length" : "@count"), .equalTo,
          NSExpression(forConstantValue: 0)))
    case .collectionFirst where !isText:
      return .value(
        .calling(.elementAtIndex, root, NSExpression(forConstantValue: IndexSymbol.first)))
    case .bidirectionalCollectionLast where !isText:
      return .value(
        .calling(.elementAtIndex, root, NSExpression(forConstantValue: IndexSymbol.last)))
    default: break
    }
    let path: AnyKeyPath = keyPath
    if Self.counts.contains(path) { return .value(root.appending(keyPath: "@count")) }
    if path == \Root.Output.self { return .value(root) }
    guard let name = KeyPathNames.name(of: path) else {
      throw converter.refusal(of: "the key path \(path), which is not a path of stored properties")
    }
    return .value(root.appending(keyPath: name))
  }

  /// The counts of Foundation's collections, which do not conform to Swift's `Collection`.
  private static var counts: Set<AnyKeyPath> {
    [\NSSet.count, \NSOrderedSet.count, \NSArray.count, \NSDictionary.count]
  }
}
