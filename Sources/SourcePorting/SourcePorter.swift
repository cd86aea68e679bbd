import SourceReading
import SwiftSyntax

/// Goes through a source and notes what is to be rewritten, and what cannot be.
final class SourcePorter: SyntaxVisitor {
  /// Bytes of the source, and what takes their place.
  struct Edit {
    let range: Range<Int>
    let replacement: String
  }

  private(set) var edits: [Edit] = []
  private(set) var changes: [PortedSource.Remark] = []
  private(set) var obstacles: [PortedSource.Remark] = []
  private let converter: SourceLocationConverter
  private var imports = SourceImports()
  private let movedOverrides: MovedOverrides
  /// The statements with casts that were seen already: all casts of one are rewritten together.
  var castStatements: Set<SyntaxIdentifier> = []

  init(_ tree: SourceFileSyntax) {
    converter = SourceLocationConverter(fileName: "", tree: tree)
    movedOverrides = MovedOverrides(tree)
    super.init(viewMode: .sourceAccurate)
  }

  /// Puts text in the place of a part of the source that begins with a node.
  func replace(_ range: Range<AbsolutePosition>, with text: String, _ remark: String) {
    edits.append(
      Edit(range: range.lowerBound.utf8Offset..<range.upperBound.utf8Offset, replacement: text))
    changes.append(self.remark(range.lowerBound, remark))
  }

  /// Notes what cannot be rewritten, once a line and subject.
  func report(_ node: some SyntaxProtocol, _ text: String) {
    let remark = remark(node.positionAfterSkippingLeadingTrivia, text)
    if obstacles.contains(where: { $0.line == remark.line && $0.text == text }) { return }
    obstacles.append(remark)
  }

  private func remark(_ position: AbsolutePosition, _ text: String) -> PortedSource.Remark {
    let place = converter.location(for: position)
    return PortedSource.Remark(line: place.line, column: place.column, text: text)
  }

  override func visitPost(_ node: SourceFileSyntax) {
    guard let missing = imports.missing(in: node) else { return }
    replace(missing.place..<missing.place, with: missing.text, missing.reason)
  }

  // MARK: What is compiled

  /// Clauses that other platforms do not compile stay as they are.
  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
    var isDecided = false
    for clause in node.clauses where !isDecided {
      let condition = clause.condition.map(Condition.init) ?? .holds
      if condition == .fails { continue }
      if let elements = clause.elements { walk(elements) }
      isDecided = condition == .holds
    }
    return .skipChildren
  }

  // MARK: Attributes

  override func visit(_ node: AttributeListSyntax) -> SyntaxVisitorContinueKind {
    wrapAttributes(node)
    return .visitChildren
  }

  /// Without Objective-C, a protocol's types are classes only where it says so.
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    let isOfObjectiveC = node.attributes.contains {
      $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "objc"
    }
    let inherited = node.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    if isOfObjectiveC,
      !inherited.contains(where: { ["AnyObject", "NSObjectProtocol"].contains($0) })
    {
      let end =
        node.inheritanceClause?.inheritedTypes.last?.endPositionBeforeTrailingTrivia
        ?? node.name.endPositionBeforeTrailingTrivia
      replace(
        end..<end, with: inherited.isEmpty ? ": AnyObject" : ", AnyObject",
        "\(node.name.text) is a protocol of classes")
    }
    return .visitChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    requirePlainInitialiser(node)
    return .visitChildren
  }

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
    if let advice = Advice.ofAttribute(node.attributeName.trimmedDescription) {
      report(node, advice)
    }
    return .visitChildren
  }

  // MARK: Names of keys and methods

  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    let range = node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia
    switch node.macroName.text {
    case "keyPath":
      guard let path = KeyPathText(node) else {
        report(node, Advice.keyPath)
        break
      }
      replace(range, with: "\"\(path.text)\"", "\(node.trimmedDescription) is a text")
    case "selector":
      guard let selector = ComparisonSelector(node) else {
        report(node, Advice.ofSelector(in: node))
        break
      }
      replace(
        range, with: "Selector((\"\(selector.text)\"))",
        "\(node.trimmedDescription) is made of its text")
      imports.noteName("Selector")
    default: return .visitChildren
    }
    return .skipChildren
  }

  // MARK: What is not there

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if let module = node.path.first?.name.text {
      imports.note(node, module)
      rewrite(node, module)
      if let advice = Advice.ofModule(module) { report(node, advice) }
    }
    return .skipChildren
  }

  private func rewrite(_ node: ImportDeclSyntax, _ module: String) {
    let range = node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia
    func choose(_ condition: String, else other: String, _ remark: String) {
      replace(
        range,
        with: "#if \(condition)\n\(node.trimmedDescription)\n#else\nimport \(other)\n#endif", remark
      )
    }
    let name = node.path.dropFirst().first?.name.text ?? ""
    if module == "Foundation", SourceImports.shared.contains(name) {
      choose(
        "canImport(ObjectiveC)", else: "CoreData",
        "\(name) is of CoreData beyond Apple's platforms")
    }
    // `import class CoreData.NSManagedObject` names a declaration; what names none names a header of Apple's.
    if module == "CoreData", node.importKindSpecifier == nil, !name.isEmpty {
      replace(range, with: "import CoreData", "CoreData has no parts beyond Apple's platforms")
    }
    if module == "os" || module == "OSLog" {
      choose(
        "canImport(\(module))", else: "OSNames",
        "the product OSNames of OpenCoreData, which the target has to depend on, has Logger, os_log and"
          + " OSAllocatedUnfairLock")
    }
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let advice = Advice.ofCall(node) { report(node.calledName ?? Syntax(node), advice) }
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if let advice = Advice.ofMethod(node) { report(node.name, advice) }
    return .visitChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.overridesRequired { require(node) }
    return .visitChildren
  }

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    if let cast = RequestCast(node) { noteCast(cast) }
    return .visitChildren
  }

  override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
    switch node.name.tokenKind {
    case .keyword(.optional): report(node, Advice.optionalRequirement)
    case .keyword(.override) where node.isInExtension:
      if movedOverrides.contains(node) {
        changes.append(
          remark(node.positionAfterSkippingLeadingTrivia, "the member is moved into its class"))
      } else {
        report(node, Advice.overrideInExtension)
      }
    default: break
    }
    return .skipChildren
  }

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    requalify(Syntax(node.baseType), node.name.text)
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.base { requalify(Syntax(base), node.declName.baseName.text) }
    return .visitChildren
  }

  /// `Foundation.ValueTransformer`: CoreData gives such names on all platforms.
  private func requalify(_ base: Syntax, _ name: String) {
    guard base.trimmedDescription == "Foundation", SourceImports.shared.contains(name) else {
      return
    }
    replace(
      base.positionAfterSkippingLeadingTrivia..<base.endPositionBeforeTrailingTrivia,
      with: "CoreData", "\(name) is of CoreData beyond Apple's platforms")
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    imports.noteName(node.name.text)
    if let advice = Advice.ofName(node.name.text) { report(node, advice) }
    return .visitChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    imports.noteName(node.baseName.text)
    if let advice = Advice.ofName(node.baseName.text) { report(node, advice) }
    return .visitChildren
  }
}

extension DeclModifierSyntax {
  /// Whether what it modifies is a member of an extension.
  fileprivate var isInExtension: Bool {
    var node = parent
    while let current = node {
      if current.is(ExtensionDeclSyntax.self) { return true }
      if current.is(ClassDeclSyntax.self) { return false }
      node = current.parent
    }
    return false
  }
}

extension FunctionCallExprSyntax {
  /// The name of what is called, without what it is called on.
  var calledName: Syntax? {
    if let member = calledExpression.as(MemberAccessExprSyntax.self) {
      return Syntax(member.declName)
    }
    return calledExpression.as(DeclReferenceExprSyntax.self).map(Syntax.init)
  }
}
