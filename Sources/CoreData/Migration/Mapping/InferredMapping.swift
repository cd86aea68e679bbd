/// Infers the entity mappings from the differences between two models.
struct InferredMapping {
  private let comparison: ModelComparison
  private let hashes: (old: [String: Data], new: [String: Data])
  /// Whether all objects already have values for attributes that become required. In a staged migration, the program
  /// has set them.
  var isPrepared = false

  init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
    comparison = ModelComparison(from: old, to: new)
    hashes = (old.entityVersionHashesByName, new.entityVersionHashesByName)
  }

  /// Returns the mappings, sorted by entity name.
  ///
  /// - Throws: `NSInferredMappingModelError` with all reasons why no mapping can be inferred.
  func mappings() throws -> [NSEntityMapping] {
    let obstacles = comparison.obstacles(ofPrepared: isPrepared)
    guard obstacles.isEmpty else {
      throw MigrationErrors.notInferred("Can't infer a mapping model", obstacles)
    }
    return comparison.entities.map(mapping)
  }

  private func mapping(_ entity: EntityComparison) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.sourceEntityName = entity.old?.name
    mapping.destinationEntityName = entity.new?.name
    mapping.sourceEntityVersionHash = entity.old?.name.flatMap { hashes.old[$0] }
    mapping.destinationEntityVersionHash = entity.new?.name.flatMap { hashes.new[$0] }
    let isSame = mapping.sourceEntityVersionHash == mapping.destinationEntityVersionHash
    switch (entity.old, entity.new) {
    case (nil, _): mapping.mappingType = .addEntityMappingType
    case (_, nil): mapping.mappingType = .removeEntityMappingType
    default:
      mapping.mappingType = isSame ? .copyEntityMappingType : .transformEntityMappingType
    }
    mapping.name = "IEM_\(Self.word(mapping.mappingType))_\(entity.name)"
    if let old = entity.old, entity.new != nil {
      mapping.sourceExpression = MappingExpressions.objects(ofEntity: old.name ?? "")
    }
    addProperties(of: entity, to: mapping)
    return mapping
  }

  private static func word(_ type: NSEntityMappingType) -> String {
    switch type {
    case .addEntityMappingType: "Add"
    case .removeEntityMappingType: "Remove"
    case .copyEntityMappingType: "Copy"
    default: "Transform"
    }
  }

  private func addProperties(of entity: EntityComparison, to mapping: NSEntityMapping) {
    var sources = entity.sources
    // An added entity has no sources. Its properties get mappings without expressions.
    if sources.isEmpty, let new = entity.new {
      sources = new.properties.map { (new: $0, old: nil) }
    }
    var attributes: [NSPropertyMapping] = []
    var relationships: [NSPropertyMapping] = []
    var (mapped, added): (Set<String>, Set<String>) = ([], [])
    var used: Set<String> = []
    for (new, old) in sources where !new.isTransient {
      let property = NSPropertyMapping()
      property.name = new.name
      switch new {
      case is NSAttributeDescription:
        // The store computes the values of derived attributes.
        if let old, !(new is NSDerivedAttributeDescription), !old.isTransient {
          property.valueExpression = MappingExpressions.value(forKeyPath: old.name)
        }
        attributes.append(property)
      case is NSRelationshipDescription:
        if let old, !old.isTransient {
          property.valueExpression = MappingExpressions.instances(ofRelationship: old.name)
        }
        relationships.append(property)
      default: continue
      }
      if let old {
        mapped.insert(new.name)
        used.insert(old.name)
      } else {
        added.insert(new.name)
      }
    }
    let isBefore: (NSPropertyMapping, NSPropertyMapping) -> Bool = {
      ($0.name ?? "").utf8.lexicographicallyPrecedes(($1.name ?? "").utf8)
    }
    mapping.attributeMappings = attributes.sorted(by: isBefore)
    mapping.relationshipMappings = relationships.sorted(by: isBefore)
    let stored = entity.old?.properties.filter {
      !$0.isTransient && !($0 is NSFetchedPropertyDescription)
    }
    let removed = stored?.map(\.name).filter { !used.contains($0) } ?? []
    mapping.userInfo = [
      "mappedProperties": mapped, "addedProperties": added, "removedProperties": Set(removed),
    ]
  }
}
