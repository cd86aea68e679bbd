import SwiftSyntax

/// How far a declaration is visible.
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

  /// What modifiers say; nil where they say nothing.
  init?(_ modifiers: DeclModifierListSyntax) {
    for modifier in modifiers where modifier.detail == nil {
      guard let access = AccessLevel(modifier.name.tokenKind) else { continue }
      self = access
      return
    }
    return nil
  }

  /// What modifiers say of the setter, as in `private(set)`; nil where they say nothing.
  static func ofSetter(_ modifiers: DeclModifierListSyntax) -> AccessLevel? {
    modifiers.first { $0.detail?.detail.text == "set" }.flatMap { AccessLevel($0.name.tokenKind) }
  }

  /// Whether only the file sees the declaration.
  var isPrivate: Bool { self <= .fileprivate }

  /// The keyword of a function that another file of the module has in the declaration's stead: whether
  /// its symbol is seen outside the module must be the same.
  var keywordOfMirror: String {
    switch self {
    case .private, .fileprivate, .internal: ""
    case .package: "package "
    case .public, .open: "public "
    }
  }
}
