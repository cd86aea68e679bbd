extension NSExpression {
  /// A constant; nil is the null constant.
  public convenience init(forConstantValue obj: Any?) {
    self.init(node: .constant(flattenOptional(obj)))
  }

  /// A variable, whose name is given without the dollar sign.
  public convenience init(forVariable string: String) {
    self.init(node: .variable(string))
  }

  /// A key path from the object under evaluation: `"name"`, `"team.name"`, `"kids.@count"`.
  ///
  /// `"self"` is the object itself and `"self.name"` the same as `"name"`.
  public convenience init(forKeyPath keyPath: String) {
    self.init(node: ExpressionNode.keyPath(from: keyPath))
  }

  /// A Swift key path from the object under evaluation: `\Person.name`.
  ///
  /// A key path without a known name, such as one to a computed property, stops the program.
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    guard let name = KeyPathNames.name(of: keyPath) else {
      stopProgram("the key path \(keyPath) leads to no property that has a name at run time")
    }
    self.init(forKeyPath: name)
  }

  /// A call of one of the predefined functions, such as `sum:` or `from:subtract:`.
  ///
  /// The arguments are expressions; any other value stands for the constant it is. An unknown
  /// name or a wrong number of arguments stops the program with a message that names them.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    let arguments = parameters.map(NSExpression.wrapping)
    stoppingOnError { _ = try PredefinedFunction.check(name, argumentCount: arguments.count) }
    self.init(node: .function(name: name, operand: nil, arguments: arguments))
  }

  /// A message to the value of another expression.
  ///
  /// With the selector `valueForKeyPath:` and one argument this is a key path that begins at
  /// `target`.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    let arguments = (parameters ?? []).map(NSExpression.wrapping)
    self.init(node: .function(name: name, operand: target, arguments: arguments))
  }

  /// A list of expressions; any other value in the array stands for the constant it is.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(node: .aggregate(subexpressions.map(NSExpression.wrapping)))
  }

  /// The union of two collections, the left one a set.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(node: .set(.union, left, right))
  }

  /// The intersection of two collections, the left one a set.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(node: .set(.intersect, left, right))
  }

  /// The left collection, a set, without the elements of the right one.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(node: .set(.minus, left, right))
  }

  /// The elements of a collection for which a predicate holds.
  ///
  /// The predicate names an element by the variable, which hides a variable of that name outside.
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(
      node: .subquery(collection: expression, variable: variable, predicate: predicate))
  }

  /// The first expression where the predicate holds, else the second.
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(node: .conditional(predicate, true: trueExpression, false: falseExpression))
  }

  /// Swift code over the values of the arguments. It can be neither printed as a text that parses
  /// nor translated for a store.
  public convenience init(block: @escaping Block, arguments: [NSExpression]?) {
    self.init(node: .block(block, arguments: arguments ?? []))
  }

  /// The object under evaluation, `SELF`: one shared expression.
  public class func expressionForEvaluatedObject() -> NSExpression { sharedEvaluatedObject }

  /// Any key, `ANYKEY`.
  public class func expressionForAnyKey() -> NSExpression { NSExpression(node: .anyKey) }

  private static let sharedEvaluatedObject = NSExpression(node: .evaluatedObject)

  /// The value itself where it is an expression, else the constant it is.
  package static func wrapping(_ value: Any) -> NSExpression {
    if isExpression(value), let expression = value as? NSExpression { return expression }
    return NSExpression(forConstantValue: value)
  }

  /// Whether a value is an expression. Looked at by its type: a cast of a Swift array to a class
  /// makes an `NSArray` to see.
  static func isExpression(_ value: Any) -> Bool {
    !isPlainValue(value) && type(of: value) is NSExpression.Type
  }
}

extension ExpressionNode {
  /// The node of a key path from the object under evaluation: without a leading `self`.
  static func keyPath(from text: String) -> ExpressionNode {
    let lowered = text.prefix(5).lowercased()
    if text.count == 4, lowered == "self" { return .evaluatedObject }
    if lowered == "self." { return .keyPath(String(text.dropFirst(5))) }
    return .keyPath(text)
  }
}
