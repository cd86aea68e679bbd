import SwiftSyntax

/// The scope of a declaration.
struct Scope {
  /// An enclosing type or extension.
  struct Level {
    /// The names on the path from the enclosing level to the type: for `extension Outer.Inner`, `["Outer", "Inner"]`.
    var names: [String]
    /// The type that an extension extends; nil for a type's own body.
    var extended: TypeSyntax?
    /// The default access level of members.
    var memberAccess: AccessLevel
    var genericParameters: [String]
    /// Whether only the file can see the type.
    var isPrivate: Bool
  }

  /// The enclosing types and extensions, outermost first.
  var levels: [Level] = []
  /// The enclosing `#if` conditions that only the compiler can evaluate.
  var conditions: [String] = []
  /// Whether the declaration is local: in a function, an accessor, a closure or a statement.
  var isLocal = false
  let file: SourceFile

  /// The names on the path from the module to the innermost type.
  var path: [String] { levels.flatMap(\.names) }
  /// Whether only its own file can see an enclosing type.
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
  /// The Objective-C name, if the source specifies one.
  var objectiveCName: String?
  /// The lines with an enumeration's cases, and with the `#if` conditions around them; empty if one of them has
  /// associated values.
  var cases: [String] = []

  var path: [String] { scope.path + [name] }
  /// Whether the type's symbol contains the discriminator of its file.
  var hasDiscriminator: Bool { access.isPrivate && !scope.isPrivate }
}

/// A property that is marked `@NSManaged`.
struct ManagedProperty {
  var name: TokenSyntax
  var type: TypeSyntax
  var scope: Scope
  var access: AccessLevel
  var setterAccess: AccessLevel
  /// The Objective-C name, if the source specifies one: then it is the name in the model.
  var objectiveCName: String?
}

/// A method that is marked `@NSManaged`.
struct ManagedMethod {
  var declaration: FunctionDeclSyntax
  var scope: Scope
  var access: AccessLevel
  /// The Objective-C selector, if the source specifies one.
  var selector: String?
}

/// An `import` declaration as written.
struct ImportDeclaration: Hashable {
  var module: String
  var text: String
  /// The enclosing `#if` conditions that only the compiler can evaluate.
  var conditions: [String]

  /// Whether modules that import this module also see the types of the imported one.
  var isPublic: Bool {
    isReexport || text.split(whereSeparator: \.isWhitespace).contains("public")
  }
  /// Whether files that import this module can refer to the types of the imported one.
  var isReexport: Bool { text.contains("@_exported") }
}

/// The declarations in a source that the generator needs.
struct Declarations {
  var path = ""
  var types: [TypeDeclaration] = []
  var properties: [ManagedProperty] = []
  var methods: [ManagedMethod] = []
  var imports: [ImportDeclaration] = []
  /// The conformances that extensions add, by the path of the extended type.
  var conformances: [(path: [String], inherited: [TypeSyntax])] = []
  var errors: [SourceDiagnostic] = []
}

extension TokenSyntax {
  /// An identifier without the backticks of an escaped keyword or raw identifier.
  var plainName: String {
    text.count > 2 && text.hasPrefix("`") && text.hasSuffix("`")
      ? String(text.dropFirst().dropLast()) : text
  }
}
