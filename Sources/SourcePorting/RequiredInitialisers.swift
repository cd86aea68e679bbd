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
}

extension InitializerDeclSyntax {
  /// The initialisers that the library has to have required, by their labels.
  private static let required: Set<[String]> = [
    ["entity", "insertInto"], ["managedObjectModel"],
    ["persistentStoreCoordinator", "configurationName", "at", "options"],
  ]

  /// Whether it overrides one of them and does not say so.
  var overridesRequired: Bool {
    let names = modifiers.map(\.name.text)
    let labels = signature.parameterClause.parameters.map(\.firstName.text)
    return names.contains("override") && !names.contains("required")
      && Self.required.contains(labels)
  }

  fileprivate var isInPublicClass: Bool {
    var node = parent
    while let current = node, !current.is(ClassDeclSyntax.self) { node = current.parent }
    let names = node?.as(ClassDeclSyntax.self)?.modifiers.map(\.name.text) ?? []
    return names.contains("public") || names.contains("open")
  }
}
