/// The kind of an accessor; the raw value is its letter in symbols.
enum AccessorKind: String {
  case getter = "g"
  case setter = "s"
}

/// The parts of a property that the symbols of its accessors contain.
struct PropertySymbol {
  /// The class, or its extension in another module.
  var container: NominalType.Container
  var name: String
  /// For a private property, identifies its file; see ``FileDiscriminator``.
  var discriminator: String?
  var type: CanonicalType
}

/// The parts of a method that its symbol contains.
struct MethodSymbol {
  struct Parameter {
    /// The label of the argument; nil for `_`.
    var label: String?
    var type: CanonicalType
  }

  /// The class, or its extension in another module.
  var container: NominalType.Container
  var name: String
  /// For a private method, identifies its file; see ``FileDiscriminator``.
  var discriminator: String?
  var parameters: [Parameter]
  var result: CanonicalType
  var isThrowing: Bool
}
