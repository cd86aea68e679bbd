import SwiftSyntax

extension SourcePorter {
  /// What Objective-C's classes can be made by at run time is `required` in Swift, and as visible as its
  /// class.
  func require(_ node: InitializerDeclSyntax) {
    guard let first = node.modifiers.first, let last = node.modifiers.last else { return }
    let replaced = ["override", "required", "private", "fileprivate", "internal", "public"]
    let others = node.modifiers.map(\.name.text).filter { !replaced.contains($0) }
    let access = node.isInPublicClass ? ["public"] : []
    replace(
      first.positionAfterSkippingLeadingTrivia..<last.endPositionBeforeTrailingTrivia,
      with: (["required", "override"] + access + others).joined(separator: " "),
      "the initialiser is a required one beyond Apple's platforms")
  }

  /// Adds the initialiser without arguments to a value transformer that has others: transformers are made by
  /// the names of their classes. On Apple's platforms such a class cannot be made so either, and the program ends.
  func requirePlainInitialiser(_ node: ClassDeclSyntax) {
    guard node.isValueTransformer else { return }
    let own = node.memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
      .filter { !$0.modifiers.contains { $0.name.text == "convenience" } }
    guard !own.isEmpty, own.allSatisfy({ !$0.labels.isEmpty }) else { return }
    let end = node.memberBlock.rightBrace.positionAfterSkippingLeadingTrivia
    let access = node.isPublic ? "public " : ""
    replace(
      end..<end,
      with: "  \(access)required init() { fatalError(\"init() has not been implemented\") }\n",
      "a value transformer has the initialiser without arguments beyond Apple's platforms")
  }
}

extension ClassDeclSyntax {
  fileprivate var isValueTransformer: Bool {
    let base = inheritanceClause?.inheritedTypes.first?.type.trimmedDescription ?? ""
    return ["ValueTransformer", "NSSecureUnarchiveFromDataTransformer"].contains(
      base.split(separator: ".").last.map(String.init))
  }

  fileprivate var isPublic: Bool {
    modifiers.contains { ["public", "open"].contains($0.name.text) }
  }
}

extension InitializerDeclSyntax {
  fileprivate var labels: [String] {
    signature.parameterClause.parameters.map(\.firstName.text)
  }

  private var container: ClassDeclSyntax? {
    var node = parent
    while let current = node, !current.is(ClassDeclSyntax.self) { node = current.parent }
    return node?.as(ClassDeclSyntax.self)
  }

  /// The initialisers that the library has to have required, by their labels.
  private static let required: Set<[String]> = [
    ["entity", "insertInto"], ["managedObjectModel"],
    ["persistentStoreCoordinator", "configurationName", "at", "options"],
  ]

  /// Whether it overrides one of them and does not say so.
  var overridesRequired: Bool {
    let names = modifiers.map(\.name.text)
    return names.contains("override") && !names.contains("required")
      && (Self.required.contains(labels)
        || labels.isEmpty && container?.isValueTransformer == true)
  }

  fileprivate var isInPublicClass: Bool { container?.isPublic == true }
}
