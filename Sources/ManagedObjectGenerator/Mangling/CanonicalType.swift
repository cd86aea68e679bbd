/// A type as it occurs in symbols: no aliases, no sugar.
indirect enum CanonicalType: Hashable, Sendable {
  /// A class, structure or enumeration.
  ///
  /// There are arguments for each level of nesting, outermost first: `Outer<Int>.Inner` has `[[Int], []]`. The list is
  /// empty if no level is generic.
  case nominal(NominalType, arguments: [[CanonicalType]])
  case optional(CanonicalType)
  case tuple([TupleElement])
  /// `any First & Second`, `AnyObject`, `Any`; the protocols are sorted by ``NominalType/isBefore(_:)``.
  case existential([NominalType], superclass: CanonicalType?, isAnyObject: Bool)

  struct TupleElement: Hashable, Sendable {
    var label: String?
    var type: CanonicalType
  }
}

extension CanonicalType {
  static let any = CanonicalType.existential([], superclass: nil, isAnyObject: false)
  static let void = CanonicalType.tuple([])

  var unwrapped: CanonicalType {
    if case .optional(let wrapped) = self { wrapped } else { self }
  }

  /// The modules of all classes, structures, enumerations and protocols in the type.
  var modules: Set<String> {
    switch self {
    case .nominal(let nominal, let arguments):
      arguments.joined().reduce([nominal.module]) { $0.union($1.modules) }
    case .optional(let wrapped): wrapped.modules
    case .tuple(let elements): elements.reduce([]) { $0.union($1.type.modules) }
    case .existential(let protocols, let superclass, _):
      Set(protocols.map(\.module)).union(superclass?.modules ?? [])
    }
  }

  var isTuple: Bool {
    if case .tuple = self { true } else { false }
  }

  /// Returns a type of the standard library: `Int`, `Set<String>`.
  static func standard(
    _ name: String, _ kind: NominalType.Kind = .structure, _ arguments: CanonicalType...
  ) -> CanonicalType {
    .nominal(
      NominalType(name, kind, in: .module("Swift")), arguments: arguments.isEmpty ? [] : [arguments]
    )
  }
}

/// A class, structure, enumeration or protocol, identified by its name and where it is declared.
struct NominalType: Hashable, Sendable {
  enum Kind: String, Sendable {
    case structure = "V"
    case enumeration = "O"
    case `class` = "C"
    case `protocol` = "P"
  }

  indirect enum Container: Hashable, Sendable {
    case module(String)
    case type(NominalType)
    /// Declared in an extension in a module other than that of the extended type.
    case `extension`(of: NominalType, module: String)
  }

  let name: String
  let kind: Kind
  let container: Container
  /// Distinguishes a private type from those with the same name in other files; see ``FileDiscriminator``.
  let discriminator: String?

  init(_ name: String, _ kind: Kind, in container: Container, discriminator: String? = nil) {
    self.name = name
    self.kind = kind
    self.container = container
    self.discriminator = discriminator
  }

  var module: String {
    switch container {
    case .module(let module), .extension(of: _, let module): module
    case .type(let outer): outer.module
    }
  }

  /// The enclosing types, outermost first, and the type itself.
  var path: [NominalType] {
    switch container {
    case .module: [self]
    case .type(let outer), .extension(of: let outer, module: _): outer.path + [self]
    }
  }

  /// Returns whether this protocol precedes another one in the canonical form of `any First & Second`.
  func isBefore(_ other: NominalType) -> Bool {
    (module, name) < (other.module, other.name)
  }
}
