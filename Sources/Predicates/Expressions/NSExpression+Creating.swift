extension NSExpression {
  /// Creates a constant. Pass nil for the constant `nil`. An empty optional inside of `Any` becomes `NSNull`, as when
  /// Swift passes it to Objective-C (SE-0140).
  public convenience init(forConstantValue obj: Any?) {
    self.init(node: .constant(obj.map { flattenOptional($0) ?? NSNull() }))
  }

  /// Creates a variable. The name has no dollar sign.
  ///
  /// ```swift
  /// let minimum = NSExpression(forVariable: "minimum")
  /// let variables: NSMutableDictionary = ["minimum": 18]
  /// print(minimum.expressionValue(with: nil, context: variables) as? Int ?? 0)  // 18
  /// ```
  public convenience init(forVariable string: String) {
    self.init(node: .variable(string))
  }

  /// Creates a key path that begins at the evaluated object: `"name"`, `"team.name"`, `"kids.@count"`.
  ///
  /// `"self"` is the object itself, and `"self.name"` means the same as `"name"`.
  ///
  /// ```swift
  /// let name = NSExpression(forKeyPath: "team.name")
  /// print(name.expressionValue(with: player, context: nil) as? String ?? "")  // Red
  /// ```
  public convenience init(forKeyPath keyPath: String) {
    self.init(node: ExpressionNode.keyPath(from: keyPath))
  }

  /// Creates a key path that begins at the evaluated object, from a Swift key path: `\Person.name`.
  ///
  /// A key path without a known name, such as that of a computed property, stops the program.
  ///
  /// ```swift
  /// let age = NSExpression(forKeyPath: \Person.age)
  /// print(age.keyPath)  // age
  /// ```
  public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    guard let name = KeyPathNames.name(of: keyPath) else {
      stopProgram("the key path \(keyPath) leads to no property that has a name at run time")
    }
    self.init(forKeyPath: name)
  }

  /// Creates a call to a predefined function, such as `sum:` or `from:subtract:`.
  ///
  /// The arguments are expressions; any other value becomes a constant. An unknown name or a wrong
  /// number of arguments stops the program with a message about it.
  ///
  /// ```swift
  /// let ages = NSExpression(forAggregate: [21, 25])
  /// let sum = NSExpression(forFunction: "sum:", arguments: [ages])
  /// print(sum.expressionValue(with: nil, context: nil) as? Int ?? 0)  // 46
  /// ```
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    let arguments = parameters.map(NSExpression.wrapping)
    stoppingOnError { _ = try PredefinedFunction.check(name, argumentCount: arguments.count) }
    self.init(node: .function(name: name, operand: nil, arguments: arguments))
  }

  /// Creates a method call on the value of another expression.
  ///
  /// With the selector `valueForKeyPath:` and one argument this is a key path that begins at
  /// `target`.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    let arguments = (parameters ?? []).map(NSExpression.wrapping)
    self.init(node: .function(name: name, operand: target, arguments: arguments))
  }

  /// Creates a list of expressions. A value that is not an expression becomes a constant.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(node: .aggregate(subexpressions.map(NSExpression.wrapping)))
  }

  /// Creates the union of two collections. Its value is a set if the left one is a set; otherwise it is a list.
  ///
  /// Compared to Apple's Core Data: there, the left one must be a set.
  ///
  /// ```swift
  /// let all = NSExpression(
  ///   forUnionSet: NSExpression(forKeyPath: "players"), with: NSExpression(forVariable: "guests"))
  /// ```
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(node: .set(.union, left, right))
  }

  /// Creates the intersection of two collections. Its value is a set if the left one is a set; otherwise it is a list.
  ///
  /// Compared to Apple's Core Data: there, the left one must be a set.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(node: .set(.intersect, left, right))
  }

  /// Creates the difference of two collections: the left one without the elements of the right one. Its value is a set
  /// if the left one is a set; otherwise it is a list.
  ///
  /// Compared to Apple's Core Data: there, the left one must be a set.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(node: .set(.minus, left, right))
  }

  /// Creates a subquery: the elements of a collection for which a predicate is true.
  ///
  /// The predicate refers to an element by the variable, which hides an outer variable of the same name.
  ///
  /// ```swift
  /// let adults = NSExpression(
  ///   forSubquery: NSExpression(forKeyPath: "players"), usingIteratorVariable: "player",
  ///   predicate: NSPredicate(format: "$player.age >= 18"))
  /// let count = NSExpression(forFunction: "count:", arguments: [adults])
  /// print(count.expressionValue(with: team, context: nil) as? Int ?? 0)  // 2
  /// ```
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(
      node: .subquery(collection: expression, variable: variable, predicate: predicate))
  }

  /// Creates an expression with the value of `trueExpression` if the predicate is true, otherwise that of
  /// `falseExpression`.
  ///
  /// ```swift
  /// let fare = NSExpression(
  ///   forConditional: NSPredicate(format: "age < 18"),
  ///   trueExpression: NSExpression(forConstantValue: 5),
  ///   falseExpression: NSExpression(forConstantValue: 8))
  /// print(fare.expressionValue(with: person, context: nil) as? Int ?? 0)  // 8
  /// ```
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(node: .conditional(predicate, true: trueExpression, false: falseExpression))
  }

  /// Creates an expression that calls Swift code with the values of the arguments. It can be neither
  /// printed in a form that parses nor translated for a store.
  ///
  /// ```swift
  /// let initial = NSExpression(
  ///   block: { _, values, _ in String((values.first as? String ?? "").prefix(1)) },
  ///   arguments: [NSExpression(forKeyPath: "lastName")])
  /// print(initial.expressionValue(with: person, context: nil) as? String ?? "")  // L
  /// ```
  public convenience init(block: @escaping Block, arguments: [NSExpression]?) {
    self.init(node: .block(block, arguments: arguments ?? []))
  }

  /// Returns the expression for the evaluated object, `SELF`. It is always the same instance.
  ///
  /// ```swift
  /// let isVowel = NSComparisonPredicate(
  ///   leftExpression: NSExpression.expressionForEvaluatedObject(),
  ///   rightExpression: NSExpression(forConstantValue: ["a", "e", "i", "o", "u"]),
  ///   modifier: .direct, type: .in)
  /// print(isVowel.evaluate(with: "e"))  // true
  /// ```
  public class func expressionForEvaluatedObject() -> NSExpression { sharedEvaluatedObject }

  /// Returns the expression for any key, `ANYKEY`.
  public class func expressionForAnyKey() -> NSExpression { NSExpression(node: .anyKey) }

  private static let sharedEvaluatedObject = NSExpression(node: .evaluatedObject)

  /// Returns the value itself if it is an expression, otherwise a constant expression with it.
  package static func wrapping(_ value: Any) -> NSExpression {
    if isExpression(value), let expression = value as? NSExpression { return expression }
    return NSExpression(forConstantValue: value)
  }

  /// Returns whether a value is an expression. Compares types, because casting a Swift array to a class
  /// creates an `NSArray`.
  static func isExpression(_ value: Any) -> Bool {
    !isPlainValue(value) && type(of: value) is NSExpression.Type
  }
}

extension ExpressionNode {
  /// Returns the node for a key path from the evaluated object, without a leading `self`.
  static func keyPath(from text: String) -> ExpressionNode {
    // Only five characters are converted, because a path may be long.
    let lowered = text.prefix(5).lowercased()
    if text.count == 4, lowered == "self" { return .evaluatedObject }
    if lowered == "self." { return .keyPath(String(text.dropFirst(5))) }
    return .keyPath(text)
  }
}
