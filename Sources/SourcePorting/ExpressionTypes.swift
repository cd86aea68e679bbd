import SwiftSyntax

/// Determines the types of expressions from the declarations of classes, and from the local declarations before or
/// around an expression.
struct ExpressionTypes {
  let classes: ManagedClasses

  /// Returns the name of an expression's type, such as `Person` for `Person?`; nil if it cannot be determined.
  func name(of expression: ExprSyntax) -> String? {
    if let inner = expression.unwrapped { return name(of: inner) }
    if let made = expression.madeType { return made }
    if let reference = expression.as(DeclReferenceExprSyntax.self) {
      let text = reference.baseName.text.withoutBackticks
      if text == "self" { return reference.nominalType }
      if let variable = Variable(text, seenFrom: Syntax(reference)) {
        return variable.type?.plainName ?? variable.value.flatMap(name(of:))
      }
      return reference.nominalType.flatMap { classes.property(text, of: $0)?.type }
    }
    if let member = expression.as(MemberAccessExprSyntax.self), let base = member.base {
      let text = member.declName.baseName.text.withoutBackticks
      return name(of: base).flatMap { classes.property(text, of: $0)?.type }
    }
    guard let elements = expression.as(SequenceExprSyntax.self)?.elements.map({ $0 }) else {
      return nil
    }
    // `context.object(with: id) as! Team`
    if elements.count > 2, elements[elements.count - 2].is(UnresolvedAsExprSyntax.self) {
      return elements[elements.count - 1].as(TypeExprSyntax.self)?.type.plainName
    }
    return elements.count == 3 && elements[1].isNilCoalescing ? name(of: elements[0]) : nil
  }

  /// Returns the class of an expression whose type is an untyped set; nil for other types, and if it cannot be
  /// determined.
  func setClass(of expression: ExprSyntax) -> String? {
    if let inner = expression.unwrapped { return setClass(of: inner) }
    if let member = expression.as(MemberAccessExprSyntax.self), let base = member.base {
      let text = member.declName.baseName.text.withoutBackticks
      guard let type = name(of: base) else { return classes.setClassOfProperties(text) }
      return classes.setClass(classes.property(text, of: type)?.type)
    }
    return classes.setClass(name(of: expression))
  }

  /// Returns the parameter types of all functions that a call may refer to; empty if they cannot be determined.
  func parameters(of call: FunctionCallExprSyntax) -> [[String?]] {
    func key(_ name: String) -> String {
      "\(name)(\(call.arguments.map { "\($0.label?.text ?? "_"):" }.joined()))"
    }
    if let type = ExprSyntax(call).madeType { return classes.methods(key("init"), of: type) }
    if let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base {
      let text = member.declName.baseName.text
      if let type = name(of: base) { return classes.methods(key(text), of: type) }
      // Methods with these names are almost always generated for relationships.
      let isGenerated = text.hasPrefix("addTo") || text.hasPrefix("removeFrom")
      return isGenerated ? classes.methods(key(text)) : []
    }
    guard let text = call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text else {
      return []
    }
    let own = call.nominalType.map { classes.methods(key(text), of: $0) } ?? []
    return own.isEmpty ? classes.functions[""]?[key(text)] ?? [] : own
  }
}

/// A variable, constant or parameter that is local to a function.
private struct Variable {
  let type: TypeSyntax?
  /// The initial value, or the optional that the variable is unwrapped from.
  let value: ExprSyntax?

  /// Finds the nearest local variable of this name that is visible at a node. Returns nil if there
  /// is none.
  init?(_ name: String, seenFrom place: Syntax) {
    let function = place.ancestors.prefix { !$0.isProtocol((any DeclGroupSyntax).self) }
    let found = function.lazy.compactMap { Self.declared(name, in: $0, before: place) }.first
    guard let found else { return nil }
    self = found
  }

  private init(_ type: TypeSyntax?, _ value: ExprSyntax? = nil) {
    self.type = type
    self.value = value
  }

  private static func declared(_ name: String, in node: Syntax, before place: Syntax) -> Variable? {
    if let statements = node.as(CodeBlockItemListSyntax.self) {
      return statements.reversed().lazy.filter { $0.endPosition <= place.position }
        .compactMap { declared(name, by: $0.item) }.first
    }
    if let branch = node.as(IfExprSyntax.self) {
      // The variables that a condition binds are not visible in the `else` branch.
      if let end = branch.elseKeyword?.position, end <= place.position { return nil }
      return bound(name, by: branch.conditions, before: place)
    }
    if let loop = node.as(WhileStmtSyntax.self) {
      return bound(name, by: loop.conditions, before: place)
    }
    if let guarded = node.as(GuardStmtSyntax.self) {
      return bound(name, by: guarded.conditions, before: place)
    }
    if let loop = node.as(ForStmtSyntax.self), loop.pattern.names(name),
      loop.whereClause?.position ?? loop.body.position <= place.position
    {
      return Variable(loop.typeAnnotation?.type)
    }
    if let closure = node.as(ClosureExprSyntax.self) { return parameter(name, of: closure) }
    let signature =
      node.as(FunctionDeclSyntax.self)?.signature ?? node.as(InitializerDeclSyntax.self)?.signature
    return parameter(name, in: signature?.parameterClause)
      ?? parameter(name, in: node.as(SubscriptDeclSyntax.self)?.parameterClause)
  }

  private static func declared(
    _ name: String, by item: CodeBlockItemSyntax.Item
  ) -> Variable? {
    if let guarded = item.as(GuardStmtSyntax.self) {
      return bound(name, by: guarded.conditions, before: nil)
    }
    guard let variable = item.as(VariableDeclSyntax.self),
      let binding = variable.bindings.first(where: { $0.pattern.names(name) })
    else { return nil }
    return Variable(binding.typeAnnotation?.type, binding.initializer?.value)
  }

  /// Finds the variable that `if let`, `guard let` or `while let` binds. Returns nil for the short form `if let name`,
  /// so that the search continues with the outer variable of that name.
  private static func bound(
    _ name: String, by conditions: ConditionElementListSyntax, before place: Syntax?
  ) -> Variable? {
    for element in conditions.reversed() {
      if let place, element.endPosition > place.position { continue }
      guard let binding = element.condition.as(OptionalBindingConditionSyntax.self),
        binding.pattern.names(name)
      else { continue }
      if binding.typeAnnotation == nil, binding.initializer == nil { return nil }
      return Variable(binding.typeAnnotation?.type, binding.initializer?.value)
    }
    return nil
  }

  private static func parameter(
    _ name: String, in clause: FunctionParameterClauseSyntax?
  ) -> Variable? {
    clause?.parameters.first { ($0.secondName ?? $0.firstName).text.withoutBackticks == name }
      .map { Variable($0.type) }
  }

  private static func parameter(_ name: String, of closure: ClosureExprSyntax) -> Variable? {
    switch closure.signature?.parameterClause {
    case .simpleInput(let parameters):
      parameters.contains { $0.name.text == name } ? Variable(nil) : nil
    case .parameterClause(let clause):
      clause.parameters.first { ($0.secondName ?? $0.firstName).text == name }
        .map { Variable($0.type) }
    case nil: nil
    }
  }
}

extension PatternSyntax {
  fileprivate func names(_ name: String) -> Bool {
    self.as(IdentifierPatternSyntax.self)?.identifier.text.withoutBackticks == name
  }
}

extension ExprSyntax {
  /// The expression inside parentheses, unwrapping, `try` or `await`; nil for any other expression.
  fileprivate var unwrapped: ExprSyntax? {
    if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1 {
      return tuple.elements.first?.expression
    }
    return self.as(OptionalChainingExprSyntax.self)?.expression
      ?? self.as(ForceUnwrapExprSyntax.self)?.expression ?? self.as(TryExprSyntax.self)?.expression
      ?? self.as(AwaitExprSyntax.self)?.expression
  }

  var isNilCoalescing: Bool {
    self.as(BinaryOperatorExprSyntax.self)?.operator.text == "??"
  }
}
