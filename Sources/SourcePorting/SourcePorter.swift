import SourceReading
import SwiftSyntax

/// Goes through a source and notes what is to be rewritten, and what cannot be.
final class SourcePorter: PortableCodeVisitor {
  var edits = SourceEdits()
  private(set) var changes: [PortedSource.Remark] = []
  private(set) var obstacles: [PortedSource.Remark] = []
  let layout: SourceLayout
  let classes: ManagedClasses
  private var imports = SourceImports()
  private let movedMembers: MovedMembers
  private let setLiterals: SetLiterals
  let doubledStatements: DoubledStatements

  init(_ tree: SourceFileSyntax, among classes: ManagedClasses) {
    layout = SourceLayout(tree)
    self.classes = classes
    movedMembers = MovedMembers(tree, among: classes)
    setLiterals = SetLiterals(tree, among: classes)
    doubledStatements = DoubledStatements(tree)
    super.init()
    walk(tree)
  }

  // MARK: What was found

  func noteChange(at position: AbsolutePosition, _ text: String) {
    changes.append(remark(position, text))
  }

  /// Puts text in the place of a node, and the comments in it after that.
  func replace(_ node: some SyntaxProtocol, with text: String, _ remark: String) {
    let range = node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia
    edits.replace(range, with: ([text] + node.comments).joined(separator: " "))
    noteChange(at: range.lowerBound, remark)
  }

  /// Notes what cannot be rewritten, once a line and subject.
  func report(_ node: some SyntaxProtocol, _ text: String) {
    let remark = remark(node.positionAfterSkippingLeadingTrivia, text)
    if obstacles.contains(where: { $0.line == remark.line && $0.text == text }) { return }
    obstacles.append(remark)
  }

  private func remark(_ position: AbsolutePosition, _ text: String) -> PortedSource.Remark {
    let place = layout.place(of: position)
    return PortedSource.Remark(line: place.line, column: place.column, text: text)
  }

  override func visitPost(_ node: SourceFileSyntax) {
    let missing = imports.missing
    guard !missing.isEmpty, let place = imports.place(in: node) else { return }
    let lines = missing.map(\.lines).joined(separator: "\n")
    edits.insert(place.isAfterOthers ? "\n\(lines)" : "\(lines)\n\n", after: place.position)
    for module in missing { noteChange(at: place.position, module.reason) }
  }

  // MARK: Attributes

  override func visit(_ node: AttributeListSyntax) -> SyntaxVisitorContinueKind {
    portAttributes(node)
    return .visitChildren
  }

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
    if let advice = Advice.ofAttribute(node, withLiveResults: imports.haveLiveResults) {
      report(node, advice)
    }
    return .visitChildren
  }

  // MARK: Declarations

  /// Without Objective-C, a protocol's types are classes only where it says so.
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    let inherited = node.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    if node.attributes.has("objc"),
      !inherited.contains(where: Self.namesClasses)
    {
      let end =
        node.inheritanceClause?.inheritedTypes.last?.endPositionBeforeTrailingTrivia
        ?? node.name.endPositionBeforeTrailingTrivia
      edits.insert(inherited.isEmpty ? ": AnyObject" : ", AnyObject", after: end)
      noteChange(at: end, "\(node.name.text) is a protocol of classes")
    }
    return .visitChildren
  }

  /// Whether what a protocol inherits makes its types classes: `class`, or something that is one already.
  private static func namesClasses(_ inherited: String) -> Bool {
    inherited.split(separator: "&").map { $0.trimmingPrefix { $0.isWhitespace } }.contains { part in
      ["class", "AnyObject", "NSObjectProtocol", "NSObject"].contains(
        part.split(separator: ".").last?.split(separator: " ").first)
    }
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    addRequiredInitialisers(to: node)
    return .visitChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    requireInitialiser(node, isMoved: movedMembers.contain(node))
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if let advice = Advice.ofMethod(node) ?? Advice.ofPolicyMethod(node, among: classes) {
      report(node.name, advice)
    }
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    if let binding = node.bindings.first,
      let advice = Advice.ofComputedProperty(node, among: classes)
    {
      report(binding.pattern, advice)
    }
    return .visitChildren
  }

  override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
    switch node.name.tokenKind {
    case .keyword(.optional): report(node, Advice.optionalRequirement)
    case .keyword(.override) where node.isInExtension:
      if movedMembers.contain(node) {
        noteChange(at: node.positionAfterSkippingLeadingTrivia, MovedMembers.remark)
      } else {
        report(node, Advice.overrideInExtension(of: node.enclosingType, among: classes))
      }
    default: break
    }
    return .skipChildren
  }

  // MARK: Names of keys and methods

  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    switch node.macroName.text {
    case "keyPath":
      switch node.onlyArgument.map({ KeyPathText($0, in: classes) }) {
      case .text(let text):
        replace(node, with: "\"\(text)\"", "\(node.trimmedDescription) is a text")
      case .unknown(let advice): report(node, advice)
      case nil: report(node, Advice.keyPath)
      }
    case "selector":
      if let selector = ComparisonSelector(node) {
        replace(
          node, with: "Selector((\"\(selector.text)\"))",
          "\(node.trimmedDescription) is made of its text")
        imports.noteName("Selector")
      } else {
        report(node, Advice.ofSelector(in: node))
      }
    default: return .visitChildren
    }
    return .skipChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    // `NSStringFromSelector(#selector(getter: Person.name))`: a key, as one wrote it before `#keyPath`.
    if node.calledName?.trimmedDescription == "NSStringFromSelector",
      let macro = node.arguments.first?.expression.as(MacroExpansionExprSyntax.self),
      macro.macroName.text == "selector", macro.arguments.first?.label?.text == "getter",
      let argument = macro.onlyArgument,
      case .text(let text) = KeyPathText(argument, in: classes, isGetter: true)
    {
      replace(node, with: "\"\(text)\"", "\(node.trimmedDescription) is a text")
      return .skipChildren
    }
    if let observer = SelectorObserver(node), !isApplesToo || doubledStatements.contain(node) {
      port(observer)
      return .skipChildren
    }
    if let text = LocalizedText(node) { port(text) }
    if let advice = Advice.ofCall(node) { report(node.calledName ?? Syntax(node), advice) }
    return .visitChildren
  }

  // MARK: Sets

  override func visit(_ node: ArrayExprSyntax) -> SyntaxVisitorContinueKind {
    if let type = setLiterals.setClass(of: node) {
      edits.insert("\(type)(array: ", before: node.positionAfterSkippingLeadingTrivia)
      edits.insert(")", after: node.endPositionBeforeTrailingTrivia)
      noteChange(
        at: node.positionAfterSkippingLeadingTrivia,
        "beyond Apple's platforms an \(type) is made of an array, not of a list")
    }
    return .visitChildren
  }

  // MARK: Casts

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    for cast in UnportableCast.all(in: node) {
      guard let call = cast.call, !isApplesToo || doubledStatements.contain(node) else {
        report(cast.operand, cast.advice)
        continue
      }
      noteChange(at: cast.operand.positionAfterSkippingLeadingTrivia, cast.advice)
      if isApplesToo { continue }
      edits.insert(call.head, before: cast.operand.positionAfterSkippingLeadingTrivia)
      edits.replace(
        cast.operand.endPositionBeforeTrailingTrivia..<cast.type.endPositionBeforeTrailingTrivia,
        with: call.tail)
    }
    return .visitChildren
  }

  // MARK: What is not there

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if let module = node.path.first?.name.text {
      imports.note(node, module)
      rewrite(node, module)
      if module != Self.graphics, let advice = Advice.ofModule(module) { report(node, advice) }
    }
    return .skipChildren
  }

  /// Of Apple's modules the one whose most common types are Foundation's elsewhere.
  private static let graphics = "CoreGraphics"

  private func rewrite(_ node: ImportDeclSyntax, _ module: String) {
    func choose(_ condition: String, else other: String, _ remark: String) {
      let line = "import \(other)"
      guard isApplesToo else { return replace(node, with: line, remark) }
      edits.wrap(node, inIf: condition, else: line, in: layout)
      noteChange(at: node.positionAfterSkippingLeadingTrivia, remark)
    }
    let name = node.path.dropFirst().first?.name.text ?? ""
    if module == "Foundation", SourceImports.shared.contains(name) {
      choose(
        "canImport(ObjectiveC)", else: "CoreData",
        "\(name) is of CoreData beyond Apple's platforms")
    }
    if module == "Foundation", let other = SeparateModule.one(with: name), !other.isEverywhere {
      replace(
        node, with: "import Foundation", "\(name) is of \(other.name) beyond Apple's platforms")
      imports.noteName(name)
    }
    // `import class CoreData.NSManagedObject` names a declaration; what names none names a header of Apple's.
    if module == "CoreData", node.importKindSpecifier == nil, !name.isEmpty {
      replace(node, with: "import CoreData", "CoreData has no parts beyond Apple's platforms")
    }
    if module == Self.graphics {
      choose(
        "canImport(\(module))", else: "Foundation",
        "CGFloat, CGPoint, CGSize and CGRect are of Foundation beyond Apple's platforms; what else \(module) has is"
          + " not there")
    }
    if module == "os" || module == "OSLog" {
      choose(
        "canImport(\(module))", else: "OSNames",
        "the product OSNames of OpenCoreData, which the target has to depend on, has Logger, os_log and"
          + " OSAllocatedUnfairLock")
    }
  }

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    requalify(node.baseType, node.name)
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.base { requalify(base, node.declName.baseName) }
    return .visitChildren
  }

  /// `Foundation.ValueTransformer`: CoreData gives such names on all platforms. `Foundation.URLRequest`: what is of
  /// another module elsewhere is named without one.
  private func requalify(_ base: some SyntaxProtocol, _ member: TokenSyntax) {
    guard base.trimmedDescription == "Foundation" else { return }
    let name = member.text
    if SourceImports.shared.contains(name) {
      replace(base, with: "CoreData", "\(name) is of CoreData beyond Apple's platforms")
    } else if let module = SeparateModule.one(with: name), !module.isEverywhere {
      let start = base.positionAfterSkippingLeadingTrivia
      edits.replace(start..<member.positionAfterSkippingLeadingTrivia, with: "")
      noteChange(at: start, "\(name) is of \(module.name) beyond Apple's platforms")
      imports.noteName(name)
    }
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    noteName(node.name)
    return .visitChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    noteName(node.baseName)
    return .visitChildren
  }

  /// Notes what only the library has.
  func noteName(ofLibrary name: String) { imports.noteName(name) }

  private func noteName(_ name: TokenSyntax) {
    imports.noteName(name.text)
    if let advice = Advice.ofName(name.text, withLiveResults: imports.haveLiveResults) {
      report(name, advice)
    }
  }
}

extension DeclModifierSyntax {
  /// Whether what it modifies is a member of an extension.
  fileprivate var isInExtension: Bool {
    ancestors.first { $0.is(ExtensionDeclSyntax.self) || $0.is(ClassDeclSyntax.self) }?
      .is(ExtensionDeclSyntax.self) == true
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

extension MacroExpansionExprSyntax {
  fileprivate var onlyArgument: ExprSyntax? {
    arguments.count == 1 ? arguments.first?.expression : nil
  }
}

extension SyntaxProtocol {
  /// The comments between a node's words, in a form that may stand in a line.
  fileprivate var comments: [String] {
    Array(tokens(viewMode: .sourceAccurate)).enumerated().flatMap { index, token -> [TriviaPiece] in
      let before = index == 0 ? [] : token.leadingTrivia.pieces
      let isLast = token.endPosition == endPosition
      return before + (isLast ? [] : token.trailingTrivia.pieces)
    }.compactMap { piece in
      switch piece {
      case .blockComment(let text), .docBlockComment(let text): text
      case .lineComment(let text), .docLineComment(let text):
        "/* \(text.drop { $0 == "/" || $0 == " " }) */"
      default: nil
      }
    }
  }
}
