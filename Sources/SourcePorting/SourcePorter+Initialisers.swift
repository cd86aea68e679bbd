import SwiftSyntax

extension SourcePorter {
  /// The initialisers that the library has to have required, by their labels.
  private static let required: Set<[String]> = [
    ["entity", "insertInto"], ["managedObjectModel"],
    ["persistentStoreCoordinator", "configurationName", "at", "options"],
  ]

  /// What Objective-C's classes can be made by at run time is `required` in Swift, and as visible as its
  /// class.
  func requireInitialiser(_ node: InitializerDeclSyntax, isMoved: Bool) {
    guard overridesRequired(node) else { return }
    guard let container = node.parent?.parent?.parent?.parent?.as(ClassDeclSyntax.self) else {
      if isMoved {
        noteChange(at: node.positionAfterSkippingLeadingTrivia, MovedMembers.remark)
      } else {
        report(node.initKeyword, Advice.requiredInExtension)
      }
      return
    }
    let names = node.modifiers.map(\.name.text)
    let replaced = ["override", "required", "private", "fileprivate", "internal", "public"]
    let text =
      (["required"] + names.filter { $0 == "override" } + (container.isPublic ? ["public"] : [])
      + names.filter { !replaced.contains($0) }).joined(separator: " ")
    let start = node.modifiers.first?.positionAfterSkippingLeadingTrivia
    if let start, let last = node.modifiers.last {
      edits.replace(start..<last.endPositionBeforeTrailingTrivia, with: text)
    } else {
      edits.insert("\(text) ", before: node.initKeyword.positionAfterSkippingLeadingTrivia)
    }
    noteChange(
      at: start ?? node.initKeyword.positionAfterSkippingLeadingTrivia,
      "the initialiser is a required one beyond Apple's platforms")
  }

  /// Whether it overrides one of them and does not say so.
  private func overridesRequired(_ node: InitializerDeclSyntax) -> Bool {
    let names = node.modifiers.map(\.name.text)
    if names.contains("required") { return false }
    if node.isOfContext { return node.enclosingType.map(classes.isManagedObject) == true }
    guard names.contains("override") else { return false }
    if Self.required.contains(node.labels) { return true }
    return node.labels.isEmpty && node.enclosingType.map(isMadeByName) == true
  }

  /// Whether objects of a class are made by the class's name.
  private func isMadeByName(_ name: String) -> Bool {
    classes.isValueTransformer(name) || classes.isMigrationPolicy(name)
  }

  /// Adds the initialiser without arguments to a class that has others, and whose objects are made by its name.
  /// On Apple's platforms such a class cannot be made so either, and the program ends.
  func addRequiredInitialiser(to node: ClassDeclSyntax) {
    guard isMadeByName(node.name.text) else { return }
    let own = node.memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
      .filter { !$0.modifiers.contains { $0.name.text == "convenience" } }
    guard !own.isEmpty, own.allSatisfy({ !$0.labels.isEmpty }) else { return }
    let end = node.memberBlock.rightBrace
    let indent = layout.lineIndent(of: end)
    if let first = node.memberBlock.members.first, layout.isBegun(before: end) {
      edits.beginLine(with: first, in: layout)
    }
    let access = node.isPublic ? "public " : ""
    let memberIndent = layout.memberIndent(of: node).dropFirst(indent.count)
    edits.insert(
      "\(memberIndent)required override \(access)init() {"
        + " fatalError(\"init() has not been implemented\") }\n\(indent)",
      before: end.positionAfterSkippingLeadingTrivia)
    noteChange(
      at: end.positionAfterSkippingLeadingTrivia,
      "\(node.name.text) is made by its name, with an initialiser that has no arguments")
  }
}

extension ClassDeclSyntax {
  fileprivate var isPublic: Bool {
    modifiers.contains { ["public", "open"].contains($0.name.text) }
  }
}

extension InitializerDeclSyntax {
  fileprivate var labels: [String] {
    signature.parameterClause.parameters.map(\.firstName.text)
  }

  /// Whether it is `init(context: NSManagedObjectContext)`.
  var isOfContext: Bool {
    labels == ["context"]
      && signature.parameterClause.parameters.first?.type.lastName == "NSManagedObjectContext"
  }
}
