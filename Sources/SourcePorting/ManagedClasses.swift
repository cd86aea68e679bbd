import SwiftParser
import SwiftSyntax

/// What sources tell of their classes: which ones are those of managed objects, transformers and migration
/// policies, and the names that their properties have as keys.
package struct ManagedClasses {
  /// A property as Objective-C knows it.
  struct Property {
    let key: String
    /// The type of what it leads to.
    let type: String?
    /// Whether Objective-C finds it by its name.
    let isExposed: Bool
  }

  fileprivate var bases: [String: String] = [:]
  fileprivate var properties: [String: [String: Property]] = [:]
  /// The classes with properties that are `@NSManaged`.
  fileprivate var withManagedProperties: Set<String> = []
  /// The methods `value(for…)`, by the classes and the labels of their first arguments.
  fileprivate var valueMethods: [String: [String: String]] = [:]

  package init(of sources: [String]) {
    for source in sources {
      let reader = Reader(self)
      reader.walk(Parser.parse(source: source))
      self = reader.classes
    }
  }

  func isKnown(_ name: String) -> Bool { bases[name] != nil }

  func isManagedObject(_ name: String) -> Bool {
    lineage(of: name).contains { $0 == "NSManagedObject" || withManagedProperties.contains($0) }
  }

  func isMigrationPolicy(_ name: String) -> Bool {
    lineage(of: name).dropFirst().contains("NSEntityMigrationPolicy")
  }

  func isValueTransformer(_ name: String) -> Bool {
    lineage(of: name).dropFirst().contains {
      ["ValueTransformer", "NSSecureUnarchiveFromDataTransformer"].contains($0)
    }
  }

  func property(_ name: String, of type: String) -> Property? {
    lineage(of: type).lazy.compactMap { properties[$0]?[name] }.first
  }

  /// Whether a class or one that it derives from answers for a name in its method `value(LABEL:…)`.
  func isAnswered(_ name: String, by label: String, in type: String) -> Bool {
    lineage(of: type).contains { valueMethods[$0]?[label]?.contains("\"\(name)\"") == true }
  }

  /// A class, and those that it derives from.
  private func lineage(of name: String) -> [String] {
    var names = [name]
    while let last = names.last, let base = bases[last], !names.contains(base) {
      names.append(base)
    }
    return names
  }

  private final class Reader: SyntaxVisitor {
    var classes: ManagedClasses

    init(_ classes: ManagedClasses) {
      self.classes = classes
      super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
      classes.bases[node.name.text] =
        node.inheritanceClause?.inheritedTypes.first?.type.lastName ?? ""
      return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
      guard node.parent?.is(MemberBlockItemSyntax.self) == true, let type = node.enclosingType
      else { return .visitChildren }
      if node.attributes.has("NSManaged") { classes.withManagedProperties.insert(type) }
      for binding in node.bindings {
        let name = binding.pattern.trimmedDescription
        // One that is written once for each kind of platform has its name where Objective-C is.
        if classes.properties[type]?[name]?.isExposed == true { continue }
        classes.properties[type, default: [:]][name] = Property(
          key: node.attributes.objectiveCName ?? name,
          type: binding.typeAnnotation?.type.lastName, isExposed: node.attributes.has("objc"))
      }
      return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      if node.name.text == "value", let type = node.enclosingType,
        let label = node.signature.parameterClause.parameters.first?.firstName.text
      {
        classes.valueMethods[type, default: [:]][label] = node.body?.description
      }
      return .visitChildren
    }
  }
}
