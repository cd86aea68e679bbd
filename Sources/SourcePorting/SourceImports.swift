import SwiftSyntax

/// What a source imports, and whether it lacks the library: types that Foundation has on Apple's platforms
/// are the library's elsewhere, or those under Foundation's names are of no use to it.
struct SourceImports {
  static let library = "CoreData"
  private static let shared: Set<String> = [
    "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate", "SortDescriptor", "Selector",
    "ValueTransformer", "UndoManager", "autoreleasepool", "AutoreleasingUnsafeMutablePointer",
    "NSErrorPointer", "NSKeyValueChange", "NSKeyValueChangeKey", "NSKeyValueObservingOptions",
  ]

  /// Those classes that the source mentions.
  private(set) var names: Set<String> = []
  private var hasLibrary = false
  private var foundation: ImportDeclSyntax?

  mutating func note(_ node: ImportDeclSyntax, _ module: String) {
    // `import class Foundation.Bundle` imports that class alone.
    if node.importKindSpecifier != nil { return }
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
