public import Foundation

extension NSPredicate {
  /// The predicate with constants in place of its variables.
  ///
  /// The dictionary holds a value for every variable, `NSNull` for null. A variable without one
  /// stops the program with a message that names it. The variable of a SUBQUERY is left alone.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    let result = stoppingOnError { try substituting(variables) }
    guard let result = result as? Self else {
      stopProgram("\(Self.self) does not take values for variables")
    }
    return result
  }

  /// The predicate with constants in place of its variables.
  ///
  /// - Throws: a ``InvalidPredicateError`` that names a variable without a value.
  package func substituting(_ variables: [String: Any]) throws -> NSPredicate {
    try LargeStack.run(height: height) {
      Result { try Substitution(variables: variables).predicate(self) }
    }.get()
  }
}

/// Replaces variables by constants; what has none in it is shared with the original.
private struct Substitution {
  var variables: [String: Any]
  /// The variables of the subqueries around this place.
  var bound: Set<String> = []

  /// A compound whose parts are being replaced.
  private struct OpenCompound {
    let predicate: NSPredicate
    let type: NSCompoundPredicate.LogicalType
    let parts: [NSPredicate]
    /// The parts before the next one; empty as long as none of them has changed.
    var replaced: [NSPredicate] = []
    var next = 0

    mutating func append(_ part: NSPredicate) {
      if !replaced.isEmpty {
        replaced.append(part)
      } else if part !== parts[next] {
        replaced.reserveCapacity(parts.count)
        replaced += parts[..<next]
        replaced.append(part)
      }
      next += 1
    }

    var result: NSPredicate {
      replaced.isEmpty ? predicate : NSCompoundPredicate(type: type, subpredicates: replaced)
    }
  }

  /// Compounds are walked with a list, not by recursion: code may nest them to any depth.
  func predicate(_ predicate: NSPredicate) throws -> NSPredicate {
    var open: [OpenCompound] = []
    var current = predicate
    while true {
      var done: NSPredicate
      switch current.shape {
      case .constant, .block, .custom: done = current
      case .comparison(let comparison): done = try self.comparison(comparison)
      case .compound(_, let parts) where parts.isEmpty: done = current
      case .compound(let type, let parts):
        open.append(OpenCompound(predicate: current, type: type, parts: parts))
        current = parts[0]
        continue
      }
      while true {
        guard !open.isEmpty else { return done }
        open[open.count - 1].append(done)
        if open[open.count - 1].next < open[open.count - 1].parts.count { break }
        done = open.removeLast().result
      }
      current = open[open.count - 1].parts[open[open.count - 1].next]
    }
  }

  private func comparison(_ comparison: NSComparisonPredicate) throws -> NSPredicate {
    let hasVariables =
      (comparison.leftExpression.hasVariables, comparison.rightExpression.hasVariables)
    if hasVariables == (false, false) { return comparison }
    let left =
      hasVariables.0 ? try expression(comparison.leftExpression) : comparison.leftExpression
    let right =
      hasVariables.1 ? try expression(comparison.rightExpression) : comparison.rightExpression
    if left === comparison.leftExpression, right === comparison.rightExpression {
      return comparison
    }
    if let selector = comparison.customSelector {
      return NSComparisonPredicate(
        leftExpression: left, rightExpression: right, customSelector: selector)
    }
    return NSComparisonPredicate(
      leftExpression: left, rightExpression: right,
      modifier: comparison.comparisonPredicateModifier,
      type: comparison.predicateOperatorType, options: comparison.options)
  }

  func expression(_ expression: NSExpression) throws -> NSExpression {
    guard expression.hasVariables else { return expression }
    switch expression.node {
    case .constant, .evaluatedObject, .keyPath, .anyKey, .custom: return expression
    case .variable(let name):
      if !bound.isEmpty, bound.contains(name) { return expression }
      guard let value = variables[name] else {
        throw InvalidPredicateError("the variable $\(name) has no value")
      }
      return NSExpression.wrapping(value)
    case .function(let name, let operand, let arguments):
      let newOperand = try operand.map(self.expression)
      let newArguments = try arguments.map(self.expression)
      if newOperand === operand, same(arguments, newArguments) { return expression }
      if name == NSExpression.keyPathFunction, let newOperand, newArguments.count == 1,
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
      inner.bound.insert(variable)
      return NSExpression(
        node: .subquery(
          collection: try self.expression(collection), variable: variable,
          predicate: try inner.predicate(predicate)))
    case .aggregate(let elements):
      let replaced = try elements.map(self.expression)
      return same(elements, replaced) ? expression : NSExpression(node: .aggregate(replaced))
    case .block(let block, let arguments):
      return NSExpression(node: .block(block, arguments: try arguments.map(self.expression)))
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
