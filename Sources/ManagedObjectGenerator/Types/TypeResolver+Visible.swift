import SwiftSyntax

extension TypeResolver {
  /// A type that other files see, of the same form in memory: for a class that its file alone sees, the
  /// class above it, and for objects of classes of nothing, any object.
  func visible(_ type: CanonicalType) throws -> CanonicalType {
    switch type {
    case .optional(let wrapped): return .optional(try visible(wrapped))
    case .tuple(let elements):
      return .tuple(
        try elements.map { .init(label: $0.label, type: try visible($0.type)) })
    case .nominal(let nominal, let arguments):
      if nominal.kind == .class, nominal.path.contains(where: { $0.discriminator != nil }) {
        return try visible(above(nominal))
      }
      return .nominal(nominal, arguments: try arguments.map { try $0.map(visible) })
    case .existential: return type
    }
  }

  private func above(_ nominal: NominalType) throws -> CanonicalType {
    let anyObject = CanonicalType.existential([], superclass: nil, isAnyObject: true)
    guard
      let declaration = try table.types(nominal.path.map(\.name), in: nominal.module).first,
      case .nominal(.class, let inherited) = declaration.shape, let first = inherited.first,
      case .nominal(let above, let arguments) =
        try type(first, in: Context(declaration.scope)), above.kind == .class
    else { return anyObject }
    return .nominal(above, arguments: arguments)
  }
}
