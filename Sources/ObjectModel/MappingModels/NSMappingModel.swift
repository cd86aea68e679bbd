/// Says how a store of one model becomes a store of another: a mapping an entity.
///
/// A mapping model comes from a file that Xcode made, is inferred from the two models, or is made in
/// code. It is executed by an ``NSMigrationManager``.
///
/// Compared to Apple's Core Data: mapping models of Xcode's are read as they are
/// (`.xcmappingmodel`) as well as compiled (`.cdm`), and can be written.
nonisolated open class NSMappingModel: NSObject, NSCopying, @unchecked Sendable {
  /// The mappings of entities, in the order in which they are executed.
  open var entityMappings: [NSEntityMapping]! = []

  /// Makes a mapping model without mappings.
  public override init() { super.init() }

  /// The mappings of entities by their names; of several with the same name the last.
  open var entityMappingsByName: [String: NSEntityMapping] {
    Dictionary(
      (entityMappings ?? []).map { ($0.name ?? "", $0) }, uniquingKeysWith: { _, last in last })
  }

  /// Another mapping model that says the same, with copies of the entities' mappings.
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
