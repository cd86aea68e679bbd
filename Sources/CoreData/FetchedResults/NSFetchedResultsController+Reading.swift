extension NSFetchedResultsController {
  /// Returns new results for the current request. They are not loaded yet.
  ///
  /// - Throws: An error if the request is invalid, or if the context has no coordinator.
  func liveResults() throws -> LiveResults {
    guard let coordinator = managedObjectContext.persistentStoreCoordinator else {
      throw managedObjectContext.noCoordinator
    }
    guard fetchRequest.sortDescriptors != nil else {
      throw CoreDataError.badRequest(
        "An instance of NSFetchedResultsController requires a fetch request with sort descriptors")
    }
    let plan = try FetchPlan(fetchRequest, in: coordinator)
    try requireResultType(plan.layout)
    let sections = try SectionSource(
      keyPath: sectionNameKeyPath, binder: PredicateBinder(plan.layout))
    return LiveResults(
      plan: plan, sections: sections, context: managedObjectContext,
      batchSize: fetchRequest.fetchBatchSize,
      options: LiveResults.FetchOptions(
        prefetched: fetchRequest.relationshipKeyPathsForPrefetching ?? [],
        refreshes: fetchRequest.shouldRefreshRefetchedObjects,
        returnsIDs: fetchRequest.resultType == .managedObjectIDResultType))
  }

  /// Whether the fetched rows are returned as IDs, even if the request has changed since the fetch.
  var returnsIDs: Bool { results?.options.returnsIDs ?? false }

  /// Checks the request's result type and the classes of objects before fetching. Otherwise objects of another class
  /// would be missing from lists, and accessing one of them would stop the program.
  private func requireResultType(_ layout: EntityLayout) throws {
    switch fetchRequest.resultType {
    case .managedObjectResultType:
      guard let type = ResultType.self as? NSManagedObject.Type else { break }
      let shown = fetchRequest.includesSubentities ? layout.family : [layout]
      if let other = shown.first(where: { !($0.managedObjectClass is ResultType.Type) }) {
        throw CoreDataError.badRequest(
          "An instance of NSFetchedResultsController<\(type)> cannot return objects of entity"
            + " \(other.name), whose class is \(other.managedObjectClass)")
      }
    case .managedObjectIDResultType: break
    default:
      throw CoreDataError.badRequest(
        "An instance of NSFetchedResultsController requires a fetch request for objects or their IDs,"
          + " not for dictionaries or a count (entity \(layout.name))")
    }
  }

  // MARK: Rows

  func result(_ object: NSManagedObject) -> ResultType? {
    returnsIDs ? object.ownID as? ResultType : object as? ResultType
  }

  func result(atRank rank: Int, in results: LiveResults) -> ResultType? {
    returnsIDs
      ? results.objectID(atRank: rank) as? ResultType
      : results.object(atRank: rank) as? ResultType
  }

  func requiredObject(at indexPath: IndexPath) -> ResultType {
    guard let results, indexPath.count == 2, indexPath.section >= 0, indexPath.row >= 0,
      indexPath.section < results.sectionCount,
      indexPath.row < results.ranks(ofSection: indexPath.section).count
    else {
      stopProgram(
        "no object at index \(indexPath.map(String.init).joined(separator: ".")) of the fetched"
          + " results\(self.results == nil ? ": performFetch was not called" : "")")
    }
    let rank = results.ranks(ofSection: indexPath.section).lowerBound + indexPath.row
    guard let object = result(atRank: rank, in: results) else {
      stopProgram("the fetched results are not of type \(ResultType.self)")
    }
    return object
  }

  func path(of result: ResultType) -> IndexPath? {
    guard let results else { return nil }
    let object: NSManagedObject
    switch result {
    case let known as NSManagedObject: object = known
    case let id as NSManagedObjectID: object = managedObjectContext.object(with: id)
    default: return nil
    }
    return results.path(of: object)?.indexPath
  }

  // MARK: Sections

  func currentSections() -> [any NSFetchedResultsSectionInfo]? {
    if let sectionList { return sectionList }
    guard let results else { return nil }
    var infos: [ExactName: FetchedResultsSection] = [:]
    let list = (0..<results.sectionCount).map { index in
      let name = results.sectionName(index)
      let ranks = results.ranks(ofSection: index)
      let key = ExactName(name)
      // A name occurs twice if the order of the rows splits its section. Only the first part is kept by name.
      guard infos[key] == nil else { return newSection(named: name, ranks, in: results) }
      let info = sectionInfos[key] ?? newSection(named: name, ranks, in: results)
      info.ranks = ranks
      infos[key] = info
      return info
    }
    for (key, info) in sectionInfos where infos[key] == nil { info.ranks = 0..<0 }
    sectionInfos = infos
    sectionList = list
    return list
  }

  /// Returns the section with a name. The same object is returned as long as the name exists.
  func section(
    named name: String, _ ranks: Range<Int>, in results: LiveResults
  ) -> FetchedResultsSection {
    // A delegate that fetches during a report receives the rest of the report about the former results.
    guard results === self.results else { return newSection(named: name, ranks, in: results) }
    if let known = sectionInfos[ExactName(name)] { return known }
    let info = newSection(named: name, ranks, in: results)
    sectionInfos[ExactName(name)] = info
    return info
  }

  /// Returns a section that no longer exists, by its name.
  func removedSection(named name: String, in results: LiveResults) -> FetchedResultsSection {
    sectionInfos[ExactName(name)] ?? newSection(named: name, 0..<0, in: results)
  }

  private func newSection(
    named name: String, _ ranks: Range<Int>, in results: LiveResults
  ) -> FetchedResultsSection {
    FetchedResultsSection(name: name, ranks: ranks, results: results, returnsIDs: returnsIDs) {
      // Weak, because the controller retains its sections.
      [weak self] in
      self?.title(ofSection: name)
    } update: { [weak self] in
      // The ranks of former results stay as they are.
      if let self, self.results === results { _ = currentSections() }
    }
  }

  private func title(ofSection name: String) -> String? {
    delegate?.controller(erased, sectionIndexTitleForSectionName: name)
      ?? sectionIndexTitle(forSectionName: name)
  }

  func section(of title: String, at index: Int) -> Int {
    let titles = (sections ?? []).map(\.indexTitle)
    // `sectionIndexTitles` leaves out sections without a title.
    let titled = titles.indices.filter { titles[$0] != nil }
    if titled.indices.contains(index), titles[titled[index]] == title { return titled[index] }
    return titles.firstIndex(of: title) ?? 0
  }
}
