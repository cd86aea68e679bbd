/// The entities that both models have and a mapping model between them says nothing of: their rows would not be in the
/// destination, and nobody has decided so.
///
/// Whatever names an entity as its source decides about it, also a mapping without a destination, or one that picks no
/// rows. Where an entity is abstract it has no rows; where the destination does not have it, the models say that they go.
///
/// A migration that replaces its source throws where such entities have rows. A migration into another store only
/// logs them, because the program still has the source. ``ProgressiveMigration`` checks before its first step, as far
/// as the first step with a mapping model: which rows a later step finds is not known before.
package struct LeftOutEntities {
  /// Their names in the source, in byte order.
  package let names: [String]

  /// Compares what mappings name with what two models have.
  package init(
    _ mappings: [NSEntityMapping], from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) {
    var mapped: Set<String> = []
    // Expressions of the author's own may give objects of what is below their entities.
    var wide: Set<String> = []
    var isKnown = true
    for mapping in mappings {
      let fetched = mapping.sourceExpression.map(Self.fetchedEntity)
      mapped.formUnion([mapping.sourceEntityName, fetched ?? nil].compactMap { $0 })
      if case .some(nil) = fetched {
        if let name = mapping.sourceEntityName { wide.insert(name) } else { isKnown = false }
      }
    }
    guard isKnown else {
      names = []
      return
    }
    names = ModelComparison(from: source, to: destination).entities.compactMap { pair in
      guard let old = pair.old, pair.new != nil, !old.isAbstract, let name = old.name,
        !mapped.contains(name),
        !old.lineage.contains(where: { $0.name.map(wide.contains) ?? false })
      else { return nil }
      return name
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The entity whose own objects an expression gives, those of its subentities left aside; nil for an expression that
  /// may give others.
  private static func fetchedEntity(_ expression: Predicates.NSExpression) -> String? {
    guard let fetch = expression as? NSFetchRequestExpression,
      case .function(MappingExpressions.fetchRequest, let operand?, let arguments) =
        fetch.requestExpression.node,
      case .variable(NSMigrationManagerKey) = operand.node,
      case .constant(let name as String)? = arguments.first?.node
    else { return nil }
    return name
  }
}

extension LeftOutEntities {
  /// How many rows an open store has of them, of those alone that have some.
  ///
  /// - Parameter configuration: that of the store.
  func rows(
    in coordinator: NSPersistentStoreCoordinator, configuration: String?
  ) throws -> [(entity: String, count: Int)] {
    let stored = coordinator.managedObjectModel.storedEntities(forConfigurationName: configuration)
    let known = Set(stored?.compactMap(\.name) ?? [])
    let names = names.filter(known.contains)
    if names.isEmpty { return [] }
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait {
      try names.map { name in
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        return (name, try context.count(for: request))
      }
    }.filter { $0.1 > 0 }
  }
}
