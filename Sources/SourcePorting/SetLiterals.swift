import SwiftSyntax

/// Array literals whose type is an untyped set: `team.players = [ann, bob]` where `players` is an `NSSet`. Only on
/// Apple's platforms can a literal create such a set; on other platforms it must be created from an array.
///
/// A literal is found if the declarations in the sources, or the classes of a model, determine its
/// type.
final class SetLiterals: PortableCodeVisitor {
  private var found: [SyntaxIdentifier: String] = [:]
  private let types: ExpressionTypes

  init(_ tree: SourceFileSyntax, among classes: ManagedClasses) {
    types = ExpressionTypes(classes: classes)
    super.init()
    walk(tree)
  }

  /// Returns the set class of a literal; nil if it is an array or its type is not known.
  func setClass(of list: ArrayExprSyntax) -> String? { found[list.id] }

  // MARK: Typed contexts

  override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
    guard let type = setClass(node.typeAnnotation?.type) else { return .visitChildren }
    note(node.initializer?.value, type)
    if case .getter(let statements) = node.accessorBlock?.accessors { note(statements, type) }
    return .visitChildren
  }

  override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
    if let type = setClass(node.type) { note(node.defaultValue?.value, type) }
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if let type = setClass(node.signature.returnClause?.type) { note(node.body?.statements, type) }
    return .visitChildren
  }

  override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
    let binding = node.parent?.parent?.parent?.as(PatternBindingSyntax.self)
    if node.accessorSpecifier.tokenKind == .keyword(.get),
      let type = setClass(binding?.typeAnnotation?.type)
    {
      note(node.body?.statements, type)
    }
    return .visitChildren
  }

  override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
    if let type = setClass(node.returnType) { note(node.expression, type) }
    return .visitChildren
  }

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    let elements = Array(node.elements)
    if elements.count > 2, elements[1].is(AssignmentExprSyntax.self) {
      if let type = types.setClass(of: elements[0]) { note(elements[2...], type) }
    }
    for index in elements.indices.dropFirst().dropLast() {
      let (left, right) = (elements[index - 1], elements[index + 1])
      if elements[index].is(UnresolvedAsExprSyntax.self) {
        if let type = setClass(right.as(TypeExprSyntax.self)?.type) { note(left, type) }
      } else if elements[index].isNilCoalescing || elements[index].isEquality {
        if let type = types.setClass(of: left) { note(right, type) }
        // This excludes `??`, because a literal on its left would not be optional.
        if elements[index].isEquality, let type = types.setClass(of: right) { note(left, type) }
      }
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let values = node.arguments.map(\.expression)
    if ["XCTAssertEqual", "XCTAssertNotEqual"].contains(node.calledName?.trimmedDescription),
      values.count > 1
    {
      if let type = types.setClass(of: values[0]) { note(values[1], type) }
      if let type = types.setClass(of: values[1]) { note(values[0], type) }
      return .visitChildren
    }
    let candidates = types.parameters(of: node).filter { $0.count == values.count }
    for (index, value) in values.enumerated() {
      let names = candidates.map { $0[index] }
      let sets = Set(names.compactMap(types.classes.setClass))
      // A literal cannot be a managed object, so overloads for managed objects are ruled out.
      let others = names.filter { types.classes.setClass($0) == nil }
      guard let type = sets.first, sets.count == 1,
        others.allSatisfy({ $0.map(types.classes.isManagedObject) == true })
      else { continue }
      note(value, type)
    }
    return .visitChildren
  }

  // MARK: Literals

  private func setClass(_ type: TypeSyntax?) -> String? {
    types.classes.setClass(type?.plainName)
  }

  /// Records the literal that is the only expression of a function or an accessor.
  private func note(_ statements: CodeBlockItemListSyntax?, _ type: String) {
    guard let statements, statements.count == 1 else { return }
    note(statements.first?.item.as(ExprSyntax.self), type)
  }

  /// Records an expression that is a literal, or chooses between literals.
  private func note(_ expression: ExprSyntax?, _ type: String) {
    guard let expression else { return }
    if let list = expression.as(ArrayExprSyntax.self) {
      found[list.id] = type
    } else if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1 {
      note(tuple.elements.first?.expression, type)
    } else if let sequence = expression.as(SequenceExprSyntax.self) {
      note(Array(sequence.elements)[...], type)
    }
  }

  private func note(_ elements: ArraySlice<ExprSyntax>, _ type: String) {
    let choosesOnly = elements.allSatisfy { element in
      !element.is(BinaryOperatorExprSyntax.self) && !element.is(UnresolvedAsExprSyntax.self)
        || element.isNilCoalescing
    }
    guard choosesOnly || elements.contains(where: { $0.is(UnresolvedTernaryExprSyntax.self) })
    else { return }
    for (index, element) in zip(elements.indices, elements) {
      if let ternary = element.as(UnresolvedTernaryExprSyntax.self) {
        note(ternary.thenExpression, type)
        if index + 1 < elements.endIndex { note(elements[index + 1], type) }
      } else if choosesOnly, index == elements.startIndex || elements[index - 1].isNilCoalescing {
        note(element, type)
      }
    }
  }
}

extension ExprSyntax {
  fileprivate var isEquality: Bool {
    ["==", "!="].contains(self.as(BinaryOperatorExprSyntax.self)?.operator.text)
  }
}

extension ReturnStmtSyntax {
  /// The return type of the function or accessor that the statement returns from; nil in a closure.
  fileprivate var returnType: TypeSyntax? {
    for node in ancestors {
      if let function = node.as(FunctionDeclSyntax.self) {
        return function.signature.returnClause?.type
      }
      if let binding = node.as(PatternBindingSyntax.self), binding.accessorBlock != nil {
        return binding.typeAnnotation?.type
      }
      if node.is(ClosureExprSyntax.self) || node.isProtocol((any DeclGroupSyntax).self) {
        return nil
      }
    }
    return nil
  }
}
