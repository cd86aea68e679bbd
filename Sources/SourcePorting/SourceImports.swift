import SwiftSyntax

/// What a source imports, and whether it lacks the library: classes of predicates that Foundation has under
/// the same names beyond Apple's platforms can be made there by nobody.
struct SourceImports {
  static let library = "CoreData"
  private static let shared: Set<String> = [
    "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate",
  ]

  /// Those classes that the source mentions.
  private(set) var names: Set<String> = []
  private var hasLibrary = false
  private var foundation: ImportDeclSyntax?

  mutating func note(_ node: ImportDeclSyntax, _ module: String) {
    if module == Self.library { hasLibrary = true }
    // Inside a condition it would be there for some only.
    let isPlain = node.parent?.parent?.parent?.is(SourceFileSyntax.self) == true
    if module == "Foundation", isPlain, foundation == nil { foundation = node }
  }

  mutating func noteName(_ name: String) { if Self.shared.contains(name) { names.insert(name) } }

  /// Where the library's import belongs; nil where it is not needed.
  var placeOfMissing: AbsolutePosition? {
    hasLibrary || names.isEmpty ? nil : foundation?.endPosition
  }
}
