import SwiftSyntax

/// Where a declaration stands.
struct Scope {
  /// The types and extensions around it, outermost first.
  struct Level {
    /// The names that lead from the module to the type, as far as they are written here: of
    /// `extension Outer.Inner` it is `["Outer", "Inner"]`.
    var names: [String]
    /// What an extension extends; nil for a type's own body.
    var extended: TypeSyntax?
    /// What members have that do not say how far they are visible.
    var memberAccess: AccessLevel
    /// The names of generic parameters.
    var genericParameters: [String]
    /// Whether only the file sees the type.
    var isPrivate: Bool
  }

  var levels: [Level] = []
  /// The conditions of `#if` around it that the compiler alone can tell.
  var conditions: [String] = []
  /// Whether it is inside a function.
  var isLocal = false
  let file: SourceFile

  /// The names that lead from the module to the innermost type.
  var path: [String] { levels.flatMap(\.names) }
  /// Whether a type around it is seen by its file alone.
  var isPrivate: Bool { levels.contains(where: \.isPrivate) }
  var defaultAccess: AccessLevel { levels.last?.memberAccess ?? .internal }
}

/// A type that a module declares.
struct TypeDeclaration {
  enum Shape {
    case nominal(NominalType.Kind, inherited: [TypeSyntax])
    case alias(TypeSyntax)
  }

  var name: String
  var shape: Shape
  var scope: Scope
  var access: AccessLevel
  var genericParameters: [String]
  /// The name that Objective-C knows the class by, where it is another one.
  var objectiveCName: String?
  /// The lines with an enumeration's cases; empty where one has associated values.
  var cases: [String] = []

  var path: [String] { scope.path + [name] }
  /// Whether its symbol says its file.
  var hasDiscriminator: Bool { access.isPrivate && !scope.isPrivate }
}

/// A property that is marked `@NSManaged`.
struct ManagedProperty {
  var name: TokenSyntax
  var type: TypeSyntax
  var scope: Scope
  var access: AccessLevel
  var setterAccess: AccessLevel
  /// The name that Objective-C knows it by, where the source says it: there the model's name.
  var objectiveCName: String?
}

/// A method that is marked `@NSManaged`.
struct ManagedMethod {
  var declaration: FunctionDeclSyntax
  var scope: Scope
  var access: AccessLevel
  /// The selector that Objective-C knows it by, where the source says it.
  var selector: String?
}

/// An `import`, as it is written.
struct ImportDeclaration: Hashable {
  var module: String
  var text: String
  /// The conditions of `#if` around it that the compiler alone can tell.
  var conditions: [String]

  /// Whether those who import this module see the imported one's types.
  var isPublic: Bool { text.split(separator: " ").contains("public") }
}

/// What is of interest in a source.
struct Declarations {
  /// Its path.
  var path = ""
  var types: [TypeDeclaration] = []
  var properties: [ManagedProperty] = []
  var methods: [ManagedMethod] = []
  var imports: [ImportDeclaration] = []
  /// What extensions add to types, by the path of what they extend.
  var conformances: [(path: [String], inherited: [TypeSyntax])] = []
  var mistakes: [SourceDiagnostic] = []
}

extension TokenSyntax {
  /// An identifier without the backticks of a keyword or raw identifier.
  var plainName: String {
    text.count > 2 && text.hasPrefix("`") && text.hasSuffix("`")
      ? String(text.dropFirst().dropLast()) : text
  }
}
