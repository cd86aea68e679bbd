extension NSPredicate {
  /// Returns the predicate with constants in place of its variables.
  ///
  /// The dictionary must contain a value for every variable, `NSNull` for null. A variable without a value
  /// stops the program with a message that identifies it. Variables of SUBQUERY are not replaced.
  ///
  /// ```swift
  /// let template = NSPredicate(format: "age >= $AGE")
  /// print(template.withSubstitutionVariables(["AGE": 18]))  // age >= 18
  /// ```
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    let result = stoppingOnError { try substituting(variables) }
    guard let result = result as? Self else {
      stopProgram("\(Self.self) cannot hold the result of a substitution")
    }
    return result
  }

  /// Returns the predicate with constants in place of its variables.
  ///
  /// - Throws: An ``InvalidPredicateError`` that identifies a variable without a value.
  package func substituting(_ variables: [String: Any]) throws -> NSPredicate {
    if height > LargeStack.safeHeight { return try substitutingDeeply(variables) }
    return try replacing(variables)
  }

  private func substitutingDeeply(_ variables: [String: Any]) throws -> NSPredicate {
    try LargeStack.run(height: height) { Result { try replacing(variables) } }.get()
  }

  private func replacing(_ variables: [String: Any]) throws -> NSPredicate {
    do {
      return try Substitution(variables: variables).predicate(self)
    } catch is Substitution.HigherValue {
      // The second attempt counts the levels of each compound again.
      return try Substitution(variables: variables, valuesMayBeHigher: true).predicate(self)
    }
  }
}

/// Replaces variables with constants. Parts without variables are shared with the original.
private struct Substitution {
  private let variables: [String: Any]
  private let smallIndex: SmallVariableIndex?
  /// Whether a value, such as an expression or a nested collection, may have more levels than the variable that it
  /// replaces. This is rare, so the first attempt assumes false, which saves compounds from counting their levels.
  private let valuesMayBeHigher: Bool
  /// The variables of the enclosing subqueries.
  private var bound: Set<String>?

  init(variables: [String: Any], valuesMayBeHigher: Bool = false) {
    self.variables = variables
    self.valuesMayBeHigher = valuesMayBeHigher
    smallIndex = SmallVariableIndex.of(variables)
  }

  /// Thrown if a value, such as an expression or a deeply nested collection, makes a comparison higher.
  struct HigherValue: Error {}

  func predicate(_ predicate: NSPredicate) throws -> NSPredicate {
    // Handle the common classes directly, because `shape` would retain and release their parts.
    if type(of: predicate) == NSComparisonPredicate.self {
      return try comparison(unsafeDowncast(predicate, to: NSComparisonPredicate.self))
    }
    if type(of: predicate) == NSCompoundPredicate.self {
      let compound = unsafeDowncast(predicate, to: NSCompoundPredicate.self)
      return try self.compound(
        compound, type: compound.compoundPredicateType, parts: compound.subpredicates)
    }
    switch predicate.shape {
    case .constant, .block, .custom: return predicate
    case .comparison(let comparison): return try self.comparison(comparison)
    case .compound(let type, let parts):
      return try compound(predicate, type: type, parts: parts)
    }
  }

  private func compound(
    _ compound: NSPredicate, type: NSCompoundPredicate.LogicalType, parts: [NSPredicate]
  ) throws -> NSPredicate {
    var hasChanged = false
    let replaced = try [NSPredicate](unsafeUninitializedCapacity: parts.count) { room, count in
      while count < parts.count {
        // The compound keeps the part alive; retaining it would take longer than the rest of this loop.
        let replacement = try Unmanaged.passUnretained(parts[count])._withUnsafeGuaranteedRef {
          let replacement = try self.predicate($0)
          if replacement !== $0 { hasChanged = true }
          return replacement
        }
        (room.baseAddress! + count).initialize(to: replacement)
        count += 1
      }
    }
    guard hasChanged else { return compound }
    // Adopts the stored height of the original, which is still correct because no part became higher.
    if !valuesMayBeHigher, let plain = compound.plainCompound {
      return NSCompoundPredicate(like: plain, type: type, subpredicates: replaced)
    }
    return NSCompoundPredicate(type: type, subpredicates: replaced)
  }

  private func comparison(_ comparison: NSComparisonPredicate) throws -> NSPredicate {
    if let name = comparison.rightVariable {
      guard let index = try place(name) else { return comparison }
      let value = variables.values[index]
      // Most values are plain, and computing their height would take a third of the time of creating a comparison.
      if isPlainValue(value) {
        return NSComparisonPredicate(like: comparison, rightConstant: value, height: 1)
      }
      if !NSExpression.isExpression(value) {
        let result = NSComparisonPredicate(
          like: comparison, rightConstant: value, height: NestedValues.heightAsConstant(value))
        if !valuesMayBeHigher, result.cachedHeight > comparison.cachedHeight { throw HigherValue() }
        return result
      }
    }
    let (left, right) = (comparison.leftExpression, comparison.rightExpression)
    // Returns the same object, so that the caller sees by identity that nothing changed and shares
    // the whole compound.
    guard left.hasVariables || right.hasVariables else { return comparison }
    let newLeft = left.hasVariables ? try expression(left) : left
    let newRight = right.hasVariables ? try expression(right) : right
    if newLeft === left, newRight === right { return comparison }
    let result = NSComparisonPredicate(
      like: comparison, leftExpression: newLeft, rightExpression: newRight)
    let isHigher =
      result.cachedHeight > comparison.cachedHeight
      || result.cachedNesting > comparison.cachedNesting
    if isHigher, !valuesMayBeHigher { throw HigherValue() }
    return result
  }

  func expression(_ expression: NSExpression) throws -> NSExpression {
    guard expression.hasVariables else { return expression }
    if case .variable(let name) = expression.node {
      return try place(name).map { NSExpression.wrapping(variables.values[$0]) } ?? expression
    }
    return try withPartsReplaced(expression)
  }

  /// Returns the index of a variable's value; nil for a variable of an enclosing subquery.
  private func place(_ name: String) throws -> SmallVariableIndex.Index? {
    if let bound, bound.contains(name) { return nil }
    guard let index = index(name) else {
      throw InvalidPredicateError("the variable $\(name) has no value")
    }
    return index
  }

  /// Returns the index of a variable's value; nil if it has none.
  private func index(_ name: String) -> SmallVariableIndex.Index? {
    if let smallIndex { return smallIndex.index(name) }
    guard variables.count == 1 else { return variables.index(forKey: name) }
    let only = variables.startIndex
    return variables.keys[only] == name ? only : nil
  }

  private func withPartsReplaced(_ expression: NSExpression) throws -> NSExpression {
    switch expression.node {
    case .constant, .variable, .evaluatedObject, .keyPath, .anyKey, .custom: return expression
    case .function(let name, let operand, let arguments):
      let newOperand = try operand.map(self.expression)
      let newArguments = try arguments.map(self.expression)
      if newOperand === operand, same(arguments, newArguments) { return expression }
      if name == NSExpression.keyPathFunction, let newOperand, newArguments.count == 1,
        // Otherwise `$a.b` with the key path `x` for `$a` would differ from the parsed key path `x.b`.
        case .keyPath(let path) = newArguments[0].node
      {
        return newOperand.appending(keyPath: path)
      }
      return NSExpression(
        node: .function(name: name, operand: newOperand, arguments: newArguments))
    case .set(let operation, let left, let right):
      return NSExpression(
        node: .set(operation, try self.expression(left), try self.expression(right)))
    case .subquery(let collection, let variable, let predicate):
      var inner = self
      inner.bound = (bound ?? []).union([variable])
      return NSExpression(
        node: .subquery(
          collection: try self.expression(collection), variable: variable,
          predicate: try inner.predicate(predicate)))
    case .aggregate(let elements):
      let replaced = try elements.map(self.expression)
      return same(elements, replaced) ? expression : NSExpression(node: .aggregate(replaced))
    case .block(let block, let arguments):
      return NSExpression(
        node: .block(block, arguments: try arguments.map(self.expression)))
    case .conditional(let predicate, let first, let second):
      return NSExpression(
        node: .conditional(
          try self.predicate(predicate), true: try self.expression(first),
          false: try self.expression(second)))
    }
  }

  private func same(_ old: [NSExpression], _ new: [NSExpression]) -> Bool {
    zip(old, new).allSatisfy { $0 === $1 }
  }
}

/// The indexes of a dictionary with two to four values. Comparing a few names is faster than hashing one, and than
/// iterating over the dictionary for each variable.
private struct SmallVariableIndex {
  typealias Index = Dictionary<String, Any>.Index
  private typealias Entry = (name: String, index: Index)

  private let first, second: Entry
  private let third, fourth: Entry?

  /// Creates an index; nil for a dictionary with fewer than two or more than four values.
  static func of(_ values: [String: Any]) -> SmallVariableIndex? {
    guard 2...4 ~= values.count else { return nil }
    var index = values.startIndex
    func next() -> Entry {
      defer { values.formIndex(after: &index) }
      return (values.keys[index], index)
    }
    func further() -> Entry? { index == values.endIndex ? nil : next() }
    return SmallVariableIndex(first: next(), second: next(), third: further(), fourth: further())
  }

  func index(_ name: String) -> Index? {
    if first.name == name { return first.index }
    if second.name == name { return second.index }
    if let third, third.name == name { return third.index }
    if let fourth, fourth.name == name { return fourth.index }
    return nil
  }
}
