import SourceReading
import SwiftParser
import SwiftSyntax

extension ManagedClasses {
  /// Adds the classes and functions declared in a source.
  mutating func parse(_ source: String) {
    let visitor = Visitor(self)
    visitor.walk(Parser.parse(source: source))
    self = visitor.classes
  }

  private final class Visitor: SyntaxVisitor {
    var classes: ManagedClasses
    /// Life cycle methods that managed objects override.
    private static let lifeCycle: Set<String> = [
      "awakeFromInsert", "awakeFromFetch", "willSave", "didSave", "prepareForDeletion",
      "willTurnIntoFault", "didTurnIntoFault", "validateForInsert", "validateForUpdate",
      "validateForDelete",
    ]

    init(_ classes: ManagedClasses) {
      self.classes = classes
      super.init(viewMode: .sourceAccurate)
    }

    // MARK: Types

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
      let name = node.name.text
      classes.bases[name] = node.inheritanceClause?.inheritedTypes.first?.type.lastName ?? ""
      if node.attributes.has("objcMembers") { classes.withExposedMembers.insert(name) }
      noteNesting(of: name, node)
      return .visitChildren
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
      classes.values.insert(node.name.text)
      noteNesting(of: node.name.text, node)
      return .visitChildren
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
      // Objective-C sees an `@objc` enumeration as an integer, so properties of its type are exposed.
      if !node.attributes.has("objc") { classes.values.insert(node.name.text) }
      noteNesting(of: node.name.text, node)
      return .visitChildren
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
      classes.aliases[node.name.text] = node.initializer.value.plainName
      noteNesting(of: node.name.text, node)
      return .visitChildren
    }

    private func noteNesting(of name: String, _ node: some SyntaxProtocol) {
      if let outer = node.nominalType { classes.nested.insert("\(outer).\(name)") }
    }

    // MARK: Members

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
      guard node.parent?.is(MemberBlockItemSyntax.self) == true, let type = node.nominalType
      else { return .visitChildren }
      if node.attributes.has("NSManaged") { classes.withManagedProperties.insert(type) }
      let modifiers = node.modifiers.map(\.name.text)
      let group = node.extensionAround
      let isExposed = node.attributes.has("objc") || group?.attributes.has("objc") == true
      let isHidden =
        modifiers.contains { $0 == "private" || $0 == "fileprivate" }
        || group?.modifiers.contains { ["private", "fileprivate"].contains($0.name.text) } == true
        || node.attributes.has("nonobjc") || group?.attributes.has("nonobjc") == true
      let ownKey = node.attributes.objectiveCName
      for binding in node.bindings {
        let name = binding.pattern.trimmedDescription.withoutBackticks
        // If a property is declared once for each kind of platform, keep the declaration for Objective-C.
        if classes.properties[type]?[name]?.isExposed == true { continue }
        let annotation = binding.typeAnnotation?.type
        classes.properties[type, default: [:]][name] = Property(
          key: ownKey ?? name, destination: annotation?.destination,
          type: annotation?.plainName ?? binding.initializer?.value.madeType,
          isExposed: isExposed, isExposable: !isHidden && annotation?.isObjectiveCs != false,
          isOverride: ownKey == nil && modifiers.contains("override"))
      }
      return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      let type = node.nominalType
      let parameters = node.signature.parameterClause.parameters
      if node.name.text == "value", let type, let label = parameters.first?.firstName.text {
        classes.valueMethods[type, default: [:]][label] = node.body?.description
      }
      if Self.lifeCycle.contains(node.name.text), node.extensionAround != nil,
        node.modifiers.contains(where: { $0.name.text == "override" })
      {
        presume(type)
      }
      // Skips functions inside top-level functions, because only the enclosing function can call
      // them.
      if type != nil || node.parent?.parent?.parent?.is(SourceFileSyntax.self) == true {
        note(node.name.text, parameters, in: type)
      }
      return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
      guard let type = node.nominalType else { return .visitChildren }
      note("init", node.signature.parameterClause.parameters, in: type)
      if !node.modifiers.contains(where: { $0.name.text == "convenience" }) {
        classes.designated[type, default: []].insert(node.labels)
      }
      return .visitChildren
    }

    private func note(
      _ name: String, _ parameters: FunctionParameterListSyntax, in type: String?
    ) {
      let labels = parameters.map { "\($0.firstName.text):" }.joined()
      classes.functions[type ?? "", default: [:]]["\(name)(\(labels))", default: []].append(
        parameters.map(\.type.plainName))
    }

    // MARK: Types that are used like managed objects

    override func visit(_ node: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind {
      let name =
        node.parent?.as(IdentifierTypeSyntax.self)?.name.text
        ?? node.parent?.as(GenericSpecializationExprSyntax.self)?.expression.trimmedDescription
      if name == "NSFetchRequest" || name == "NSFetchedResultsController" {
        presume(node.arguments.first?.argument.as(TypeSyntax.self)?.lastName)
      }
      return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
      if node.declName.baseName.text == "fetchRequest" {
        presume(node.base?.as(DeclReferenceExprSyntax.self)?.baseName.text)
      }
      return .visitChildren
    }

    private func presume(_ name: String?) {
      guard let name, name.looksLikeType, name != "Self", !name.hasPrefix("NS") else { return }
      classes.presumed.insert(name)
    }
  }
}

extension InitializerDeclSyntax {
  var labels: [String] { signature.parameterClause.parameters.map(\.firstName.text) }
}

extension TypeSyntax {
  /// Whether a property of the type may be visible to Objective-C, as far as can be determined.
  fileprivate var isObjectiveCs: Bool {
    if self.is(TupleTypeSyntax.self) { return false }
    if let type = self.as(SomeOrAnyTypeSyntax.self) {
      return type.someOrAnySpecifier.tokenKind != .keyword(.some)
    }
    guard let optional = self.as(OptionalTypeSyntax.self) else { return true }
    let numbers = [
      "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
      "Float", "Double", "Bool", "CGFloat", "TimeInterval",
    ]
    return optional.wrappedType.plainName.map { !numbers.contains($0) } ?? true
  }
}
