/// The entities that both models contain but for which a mapping model has no mapping, probably unintentionally: the
/// destination would not contain their rows.
///
/// An entity that is the source of a mapping is not left out, even if the mapping has no destination or selects no
/// rows. Neither is an entity whose objects a custom source expression may return, nor an abstract entity, which has no
/// rows, nor an entity that the destination model does not contain: removing its rows is intended.
///
/// A migration that replaces its source throws an error if left-out entities have rows. A migration to another store
/// only logs them, because the program still has the source. ``ProgressiveMigration`` checks before its first step, but
/// only up to the first step with a mapping model, because the rows that later steps find cannot be predicted.
package struct LeftOutEntities {
  /// Their names in the source model, in byte order.
  package let names: [String]

  /// Compares the entities of mappings with those of two models.
  package init(
    _ mappings: [NSEntityMapping], from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel
  ) {
    var mapped: Set<String> = []
    // The entities whose mappings may include objects of subentities, because their source expressions are custom.
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

  /// Returns the entity whose objects an expression fetches, without those of its subentities; nil for an expression
  /// that may return other objects.
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
  /// Returns the left-out entities that have rows in an open store, with the numbers of rows.
  ///
  /// - Parameter configuration: The configuration of the store.
  func rows(
    in coordinator: NSPersistentStoreCoordinator, configuration: String?
  ) throws -> [(entity: String, count: Int)] {
    let stored = coordinator.model.storedEntities(forConfigurationName: configuration)
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
