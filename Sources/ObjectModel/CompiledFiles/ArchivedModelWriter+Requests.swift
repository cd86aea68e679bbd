extension ArchivedModelWriter {
  /// Archives a fetch request.
  func fetchRequest(_ template: FetchRequestTemplate) throws -> PropertyListValue {
    let entity = template.entityName
    func archived(_ predicate: TemplatePredicate?) throws -> PropertyListValue {
      switch predicate {
      case nil: KeyedArchiveBuilder.null
      case .format(let text)?: try self.predicate(text, of: entity, property: nil)
      case .predicate(let predicate)?: try self.predicate(predicate, of: entity, property: nil)
      }
    }
    func names(_ names: [String]?) -> PropertyListValue {
      names.map { builder.array($0.map { builder.add($0) }) } ?? KeyedArchiveBuilder.null
    }
    return builder.add(
      .fetchRequest,
      [
        "NSEntity": reference(to: model.entitiesByName[entity]),
        "NSPredicate": try archived(template.predicate),
        "NSHavingPredicate": try archived(template.havingPredicate),
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
