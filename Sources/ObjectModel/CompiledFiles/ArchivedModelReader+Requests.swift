extension ArchivedModelReader {
  /// Reads a fetched property with its fetch request.
  func readFetchedProperty(
    _ fields: [String: PropertyListValue], name: String
  ) throws -> NSFetchedPropertyDescription {
    let property = NSFetchedPropertyDescription()
    if let request = archive.instance(fields["NSFetchRequest"]) {
      var template = try readFetchRequest(request, name: Self.fetchedPropertyRequestName)
      // The request's reference to its entity may be nil, but the property's archive also contains the entity's name.
      if template.entityName.isEmpty {
        template.entityName = archive.string(fields["_NSFetchRequestEntityName"]) ?? ""
      }
      property.fetchTemplate = template
    }
    return property
  }

  /// The name that the model editor uses for the request of every fetched property.
  private static let fetchedPropertyRequestName = "fetchedPropertyFetchRequest"

  /// Reads a fetch request.
  func readFetchRequest(
    _ instance: KeyedArchive.Instance, name: String
  ) throws -> FetchRequestTemplate {
    let fields = instance.fields
    let place = "fetch request '\(name)'"
    var template = FetchRequestTemplate(
      name: name, entityName: entityName(fields["NSEntity"]) ?? "")
    template.predicate = try templatePredicate(fields["NSPredicate"], of: place)
    template.havingPredicate = try templatePredicate(fields["NSHavingPredicate"], of: place)
    template.fetchLimit = archive.integer(fields["NSFetchLimit"]) ?? 0
    template.fetchOffset = archive.integer(fields["NSFetchOffset"]) ?? 0
    template.fetchBatchSize = archive.integer(fields["NSBatchSize"]) ?? 0
    template.setResultType(UInt(clamping: archive.integer(fields["NSResultType"]) ?? 0))
    // Set the flags after the result type, which also sets flags: the flags in the archive take
    // precedence.
    if let flags = archive.integer(fields["NSFetchRequestFlags"]) { template.archivedFlags = flags }
    template.sortKeys = (archive.elements(fields["NSSortDescriptors"]) ?? []).compactMap(sortKey)
    template.prefetchedKeyPaths =
      (archive.elements(fields["NSRelationshipKeyPathsForPrefetching"]) ?? [])
      .compactMap { archive.string($0) }
    template.propertiesToFetch = propertyNames(fields["NSValuesToFetch"])
    template.propertiesToGroupBy = propertyNames(fields["NSValuesToGroupBy"])
    note(
      instance,
      known: [
        "NSEntity", "NSPredicate", "NSHavingPredicate", "NSFetchLimit", "NSFetchOffset",
        "NSBatchSize", "NSResultType", "NSFetchRequestFlags", "NSHasFetchRequestFlags",
        "NSSortDescriptors", "NSRelationshipKeyPathsForPrefetching", "NSValuesToFetch",
        "NSValuesToGroupBy",
      ] + DroppedNames.compiledFetchRequest)
    return template
  }

  private func sortKey(_ value: PropertyListValue) -> FetchRequestTemplate.SortKey? {
    guard let instance = archive.instance(value),
      let keyPath = archive.string(instance.fields["NSKey"])
    else { return nil }
    note(
      instance, known: ["NSKey", "NSAscending", "NSSelector"] + DroppedNames.compiledSortDescriptor)
    return FetchRequestTemplate.SortKey(
      keyPath: keyPath, isAscending: archive.bool(instance.fields["NSAscending"]) ?? true,
      selector: archive.string(instance.fields["NSSelector"]))
  }

  /// Returns the names in a list whose elements are names or properties; nil if the value is not a list.
  func propertyNames(_ value: PropertyListValue?) -> [String]? {
    archive.elements(value)?.compactMap { element in
      archive.string(element) ?? archive.string(archive.instance(element)?.fields["NSPropertyName"])
    }
  }
}
