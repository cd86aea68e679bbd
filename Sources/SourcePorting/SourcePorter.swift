import SourceReading
import SwiftSyntax

/// Visits a source and records what can be rewritten, and what cannot.
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
    // This is a separate walk, because the code around a literal determines its type, and some of that code
    // follows the literal.
    setLiterals = SetLiterals(tree, among: classes)
    doubledStatements = DoubledStatements(tree)
    super.init()
    walk(tree)
  }

  // MARK: Findings

  func noteChange(at position: AbsolutePosition, _ text: String) {
    changes.append(remark(position, text))
  }

  /// Replaces a node with text, followed by the comments inside the node.
  func replace(_ node: some SyntaxProtocol, with text: String, _ remark: String) {
    let range = node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia
    edits.replace(range, with: ([text] + node.comments).joined(separator: " "))
    noteChange(at: range.lowerBound, remark)
  }

  /// Reports something that cannot be rewritten, once for each line and text.
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
    // Report missing imports at the end of the source, because all names are known only then.
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

  /// Adds `AnyObject`, because without Objective-C a protocol is class-bound only if it says so.
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    let inherited = node.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
    if node.attributes.has("objc"),
      !inherited.contains(where: Self.isClassBound)
    {
      let end =
        node.inheritanceClause?.inheritedTypes.last?.endPositionBeforeTrailingTrivia
        ?? node.name.endPositionBeforeTrailingTrivia
      edits.insert(inherited.isEmpty ? ": AnyObject" : ", AnyObject", after: end)
      noteChange(at: end, "\(node.name.text) is a class-bound protocol")
    }
    return .visitChildren
  }

  /// Returns whether an inherited type makes a protocol class-bound.
  private static func isClassBound(_ inherited: String) -> Bool {
    inherited.split(separator: "&").map { $0.trimmingPrefix { $0.isWhitespace } }.contains { part in
      ["class", "AnyObject", "NSObjectProtocol", "NSObject"].contains(
        part.split(separator: ".").last?.split(separator: " ").first)
    }
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    addRequiredInitializers(to: node)
    return .visitChildren
  }

  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    requireInitializer(node, isMoved: movedMembers.contain(node))
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
        replace(node, with: "\"\(text)\"", "\(node.trimmedDescription) becomes a string")
      case .unknown(let advice): report(node, advice)
      case nil: report(node, Advice.keyPath)
      }
    case "selector":
      if let selector = ComparisonSelector(node) {
        replace(
          node, with: "Selector((\"\(selector.text)\"))",
          "\(node.trimmedDescription) becomes a Selector made from a string")
        imports.noteName("Selector")
      } else {
        report(node, Advice.ofSelector(in: node))
      }
    default: return .visitChildren
    }
    return .skipChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    // `NSStringFromSelector(#selector(getter: Person.name))`: the form of a key before `#keyPath` existed.
    if node.calledName?.trimmedDescription == "NSStringFromSelector",
      let macro = node.arguments.first?.expression.as(MacroExpansionExprSyntax.self),
      macro.macroName.text == "selector", macro.arguments.first?.label?.text == "getter",
      let argument = macro.onlyArgument,
      case .text(let text) = KeyPathText(argument, in: classes, isGetter: true)
    {
      replace(node, with: "\"\(text)\"", "\(node.trimmedDescription) becomes a string")
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
        "on other platforms an \(type) is made from an array, not from a literal")
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
      // The statement is only reported here: `DoubledStatements` writes its other version, which is
      // visited as code of other platforms.
      if isApplesToo { continue }
      edits.insert(call.head, before: cast.operand.positionAfterSkippingLeadingTrivia)
      edits.replace(
        cast.operand.endPositionBeforeTrailingTrivia..<cast.type.endPositionBeforeTrailingTrivia,
        with: call.tail)
    }
    return .visitChildren
  }

  // MARK: Missing modules and names

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if let module = node.path.first?.name.text {
      imports.note(node, module)
      rewrite(node, module)
      if module != Self.graphics, let advice = Advice.ofModule(module) { report(node, advice) }
    }
    return .skipChildren
  }

  /// Apple's module whose most common types are in Foundation on other platforms.
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
        "\(name) is in CoreData on other platforms")
    }
    if module == "Foundation", let other = SeparateModule.one(with: name), !other.isEverywhere {
      replace(
        node, with: "import Foundation", "\(name) is in \(other.name) on other platforms")
      imports.noteName(name)
    }
    // `import class CoreData.NSManagedObject` imports a declaration; without `class`, it imports a submodule.
    if module == "CoreData", node.importKindSpecifier == nil, !name.isEmpty {
      replace(node, with: "import CoreData", "CoreData has no submodules on other platforms")
    }
    if module == Self.graphics {
      choose(
        "canImport(\(module))", else: "Foundation",
        "CGFloat, CGPoint, CGSize and CGRect are in Foundation on other platforms; the rest of \(module) is"
          + " missing")
    }
    if module == "os" || module == "OSLog" {
      choose(
        "canImport(\(module))", else: "OSNames",
        "the product OSNames of OpenCoreData provides Logger, os_log and OSAllocatedUnfairLock; add it to"
          + " the target's dependencies")
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

  /// Rewrites a name that is qualified with Foundation: CoreData has names such as
  /// `Foundation.ValueTransformer` on all platforms; a name such as `Foundation.URLRequest` is in another
  /// module on other platforms, and is written without a module.
  private func requalify(_ base: some SyntaxProtocol, _ member: TokenSyntax) {
    guard base.trimmedDescription == "Foundation" else { return }
    let name = member.text
    if SourceImports.shared.contains(name) {
      replace(base, with: "CoreData", "\(name) is in CoreData on other platforms")
    } else if let module = SeparateModule.one(with: name), !module.isEverywhere {
      let start = base.positionAfterSkippingLeadingTrivia
      edits.replace(start..<member.positionAfterSkippingLeadingTrivia, with: "")
      noteChange(at: start, "\(name) is in \(module.name) on other platforms")
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

  /// Records the use of a name that only the library declares.
  func noteName(ofLibrary name: String) { imports.noteName(name) }

  private func noteName(_ name: TokenSyntax) {
    imports.noteName(name.text)
    if let advice = Advice.ofName(name.text, withLiveResults: imports.haveLiveResults) {
      report(name, advice)
    }
  }
}

extension DeclModifierSyntax {
  /// Whether the modified declaration is a member of an extension.
  fileprivate var isInExtension: Bool {
    ancestors.first { $0.is(ExtensionDeclSyntax.self) || $0.is(ClassDeclSyntax.self) }?
      .is(ExtensionDeclSyntax.self) == true
  }
}

extension FunctionCallExprSyntax {
  /// The name of the called function, without the expression that it is called on.
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
  /// The comments between the tokens of a node, in a form that fits on one line.
  fileprivate var comments: [String] {
    Array(tokens(viewMode: .sourceAccurate)).enumerated().flatMap { index, token -> [TriviaPiece] in
      let before = index == 0 ? [] : token.leadingTrivia.pieces
      let isLast = token.endPosition == endPosition
      return before + (isLast ? [] : token.trailingTrivia.pieces)
    }.compactMap { piece in
      switch piece {
      case .blockComment(let text), .docBlockComment(let text): text
      case .lineComment(let text), .docLineComment(let text):
        Self.blockComment(fromLine: text)
      default: nil
      }
    }
  }

  private static func blockComment(fromLine comment: String) -> String {
    let text = comment.drop { $0 == "/" || $0 == " " }
    // Delimiters of block comments have no effect in a line comment, but would end or nest this one.
    let harmless = text.replacing("*/", with: "* /").replacing("/*", with: "/ *")
    return "/* \(harmless) */"
  }
}
