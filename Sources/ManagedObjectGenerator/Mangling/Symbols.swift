/// Which accessor of a property; the raw value is its letter in symbols.
enum AccessorKind: String {
  case getter = "g"
  case setter = "s"
}

/// A property as its accessors' symbols tell of it.
struct PropertySymbol {
  /// The class, or its extension in another module.
  var container: NominalType.Container
  var name: String
  /// For a private property, what tells its file; see ``FileDiscriminator``.
  var discriminator: String?
  var type: CanonicalType
}

/// A method as its symbol tells of it.
struct MethodSymbol {
  struct Parameter {
    /// The label of the argument; nil for `_`.
    var label: String?
    var type: CanonicalType
  }

  /// The class, or its extension in another module.
  var container: NominalType.Container
  var name: String
  /// For a private method, what tells its file; see ``FileDiscriminator``.
  var discriminator: String?
  var parameters: [Parameter]
  var result: CanonicalType
  var isThrowing: Bool
}
