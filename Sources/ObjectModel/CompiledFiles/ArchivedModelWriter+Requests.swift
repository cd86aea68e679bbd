import Foundation

extension ArchivedModelWriter {
  /// Archives a fetch request.
  func fetchRequest(_ template: FetchRequestTemplate) throws -> PropertyListValue {
    let entity = template.entityName
    func text(_ format: String?) throws -> PropertyListValue {
      try format.map { try predicate($0, of: entity, property: nil) } ?? KeyedArchiveBuilder.null
    }
    func names(_ names: [String]?) -> PropertyListValue {
      names.map { builder.array($0.map { builder.add($0) }) } ?? KeyedArchiveBuilder.null
    }
    return builder.add(
      .fetchRequest,
      [
        "NSEntity": reference(to: model.entitiesByName[entity]),
        "NSPredicate": try text(template.predicateFormat),
        "NSHavingPredicate": try text(template.havingPredicateFormat),
        "NSFetchLimit": .integer(Int64(template.fetchLimit)),
        "NSFetchOffset": .integer(Int64(template.fetchOffset)),
        "NSBatchSize": .integer(Int64(template.fetchBatchSize)),
        "NSResultType": .integer(Int64(template.resultType)),
        "NSHasFetchRequestFlags": .bool(true),
        "NSFetchRequestFlags": .integer(Int64(template.archivedFlags)),
        "NSSortDescriptors": template.sortKeys.isEmpty
          ? KeyedArchiveBuilder.null : builder.array(template.sortKeys.map(sortDescriptor)),
        "NSRelationshipKeyPathsForPrefetching": template.prefetchedKeyPaths.isEmpty
          ? KeyedArchiveBuilder.null : names(template.prefetchedKeyPaths),
        "NSValuesToFetch": names(template.propertiesToFetch),
        "NSValuesToGroupBy": names(template.propertiesToGroupBy),
        "NSAllocationType": .integer(0),
      ])
  }

  private func sortDescriptor(_ key: FetchRequestTemplate.SortKey) -> PropertyListValue {
    builder.add(
      .sortDescriptor,
      [
        "NSKey": builder.add(key.keyPath), "NSAscending": .bool(key.isAscending),
        "NSSelector": builder.add(key.selector ?? "compare:"), "NSReverseNullOrder": .bool(false),
      ])
  }
}
