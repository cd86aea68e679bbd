/// Writes types so that they mean the same in a generated file as in the source.
struct TypeSpelling {
  let table: TypeTable

  /// A type that the generated file cannot see.
  struct PrivateType: Error {
    var name: String
  }

  /// - Throws: ``PrivateType`` if only one file can see the type.
  func text(_ type: CanonicalType) throws -> String {
    switch type {
    case .nominal(let nominal, let arguments):
      return try text(nominal, arguments)
    case .optional(let wrapped):
      // `any Named?` is not valid Swift.
      if case .existential(let protocols, _, _) = wrapped, !protocols.isEmpty {
        return "(\(try text(wrapped)))?"
      }
      return "\(try text(wrapped))?"
    case .tuple(let elements):
      let parts = try elements.map { element in
        let label = element.label.map { "\(Self.escaped($0)): " } ?? ""
        return label + (try text(element.type))
      }
      return "(\(parts.joined(separator: ", ")))"
    case .existential(let protocols, let superclass, let isAnyObject):
      if protocols.isEmpty, superclass == nil { return isAnyObject ? "AnyObject" : "Any" }
      let parts =
        try [superclass.map(text)].compactMap { $0 } + protocols.map { try text($0, []) }
      return "any \(parts.joined(separator: " & "))"
    }
  }

  /// Returns a type without generic arguments, as in the declaration of an extension.
  func text(_ nominal: NominalType) throws -> String { try text(nominal, []) }

  private func text(_ nominal: NominalType, _ arguments: [[CanonicalType]]) throws -> String {
    // The public name of this type in Foundation is an alias.
    if nominal.container == .module("Foundation"), nominal.name == "_NSRange" { return "NSRange" }
    let path = nominal.path
    // A type nested in a private type is private too.
    if path.contains(where: { $0.discriminator != nil }) { throw PrivateType(name: nominal.name) }
    var parts = try path.enumerated().map { level, type in
      let own = level < arguments.count ? arguments[level] : []
      let list = try own.map(text).joined(separator: ", ")
      return Self.escaped(type.name) + (list.isEmpty ? "" : "<\(list)>")
    }
    if let module = prefix(of: path[0]) { parts.insert(Self.escaped(module), at: 0) }
    return parts.joined(separator: ".")
  }

  /// Returns the module that has to qualify a type, because another module declares the same name.
  private func prefix(of type: NominalType) -> String? {
    let module = KnownTypes.importedModule(of: type.module)
    let isOwn = type.module == table.module
    // In the extension of a class, a nested type with the same name would be found first.
    let isHidden =
      table.nestedNames.contains(type.name)
      || !isOwn && !table.own([type.name]).isEmpty
      || Self.namesOfTwo.contains(type.name)
      // The generated file may import a module that hides a type of the standard library.
      || module == "Swift" && table.mayDeclareBelow(type.name)
    // A type with the module's own name shadows the module.
    return isHidden && table.own([module]).isEmpty ? module : nil
  }

  /// Types that both Foundation and this library declare.
  private static let namesOfTwo: Set<String> = [
    "NSExpression", "NSComparisonPredicate", "NSCompoundPredicate", "SortDescriptor",
  ]

  /// Returns a name, in backticks if it is a keyword or not a valid identifier.
  static func escaped(_ name: String) -> String {
    keywords.contains(name) || !isIdentifier(name) ? "`\(name)`" : name
  }

  /// Returns whether a name is a valid identifier without backticks, apart from keywords.
  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first,
      first.properties.isXIDStart || first == "_" || first == "$"
    else { return false }
    return name.unicodeScalars.allSatisfy {
      $0.properties.isXIDContinue || $0 == "_" || $0 == "$"
    }
  }

  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
    "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch",
    "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
