import SwiftSyntax

/// The access level of a declaration.
enum AccessLevel: Comparable {
  case `private`, `fileprivate`, `internal`, package, `public`, open

  private init?(_ keyword: TokenKind) {
    switch keyword {
    case .keyword(.private): self = .private
    case .keyword(.fileprivate): self = .fileprivate
    case .keyword(.internal): self = .internal
    case .keyword(.package): self = .package
    case .keyword(.public): self = .public
    case .keyword(.open): self = .open
    default: return nil
    }
  }

  /// The level that modifiers specify; nil if they specify none.
  init?(_ modifiers: DeclModifierListSyntax) {
    for modifier in modifiers where modifier.detail == nil {
      guard let access = AccessLevel(modifier.name.tokenKind) else { continue }
      self = access
      return
    }
    return nil
  }

  /// Returns the level that modifiers specify for the setter, as in `private(set)`; nil if they specify none.
  static func ofSetter(_ modifiers: DeclModifierListSyntax) -> AccessLevel? {
    modifiers.first { $0.detail?.detail.text == "set" }.flatMap { AccessLevel($0.name.tokenKind) }
  }

  /// Whether only its own file can see the declaration.
  var isPrivate: Bool { self <= .fileprivate }

  /// The access modifier of the function that replaces the declaration in another file: the visibility of its symbol
  /// outside the module must be the same.
  var keywordOfMirror: String {
    switch self {
    case .private, .fileprivate, .internal: ""
    case .package: "package "
    case .public, .open: "public "
    }
  }
}
