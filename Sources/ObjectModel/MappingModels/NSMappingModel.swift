/// A description of how to migrate a store from one model to another, with a mapping for each entity.
///
/// A mapping model is read from an Xcode file, inferred from the two models, or created in
/// code. An ``NSMigrationManager`` executes it.
///
/// Compared to Apple's Core Data: Xcode's source mapping models (`.xcmappingmodel`) can be read
/// as well as compiled ones (`.cdm`), and mapping models can be written.
///
/// ```swift
/// let mapping = try NSMappingModel.inferredMappingModel(
///   forSourceModel: model, destinationModel: model)
/// for entity in mapping.entityMappings { print(entity.name ?? "") }
/// ```
nonisolated open class NSMappingModel: NSObject, NSCopying, @unchecked Sendable {
  /// The entity mappings, in the order in which they are executed.
  open var entityMappings: [NSEntityMapping]! = []

  /// Creates a mapping model without mappings.
  public override init() { super.init() }

  /// The entity mappings by name. Of several with the same name, the last one counts.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(
      (entityMappings ?? []).map { ($0.name ?? "", $0) }, uniquingKeysWith: { _, last in last })
  }

  /// Returns an equal mapping model, with copies of the entity mappings.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSMappingModel()
    copy.entityMappings = (entityMappings ?? []).compactMap { $0.copy() as? NSEntityMapping }
    return copy
  }

  open override func copy() -> Any { copy(with: nil) }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSMappingModel else { return false }
    return self === other || entityMappings ?? [] == other.entityMappings ?? []
  }

  open override var hash: Int { entityMappings?.count ?? 0 }

  open override var description: String {
    "<NSMappingModel> \((entityMappings ?? []).map(\.description).joined(separator: "\n"))"
  }
}
