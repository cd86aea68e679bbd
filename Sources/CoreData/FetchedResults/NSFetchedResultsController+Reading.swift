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
    try requireResultType(plan.query)
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

  /// Checks the request's result type and the classes of its results before fetching. Otherwise results of another type
  /// would be missing from lists, and accessing one of them would stop the program.
  private func requireResultType(_ query: RowQuery) throws {
    switch fetchRequest.resultType {
    case .managedObjectResultType:
      guard let other = query.layouts.first(where: { !Self.canReturn($0.managedObjectClass) })
      else { return }
      let advice =
        Self.canReturn(NSManagedObjectID.self)
        ? ". Set the request's resultType to .managedObjectIDResultType" : ""
      throw CoreDataError.badRequest(
        "An instance of NSFetchedResultsController<\(ResultType.self)> cannot return objects of entity"
          + " \(other.name), whose class is \(other.managedObjectClass)\(advice)")
    case .managedObjectIDResultType:
      if Self.canReturn(NSManagedObjectID.self) { return }
      throw CoreDataError.badRequest(
        "An instance of NSFetchedResultsController<\(ResultType.self)> cannot return the IDs of"
          + " objects of entity \(query.layout.name). Use an"
          + " NSFetchedResultsController<NSManagedObjectID>, or set the request's resultType to"
          + " .managedObjectResultType")
    default:
      throw CoreDataError.badRequest(
        "An instance of NSFetchedResultsController requires a fetch request for objects or their IDs,"
          + " not for dictionaries or a count (entity \(query.layout.name))")
    }
  }

  /// Returns whether instances of a class are of the controller's result type.
  static func canReturn(_ type: AnyClass) -> Bool {
    if type is ResultType.Type { return true }
    // The other result types are protocols, such as `any NSFetchRequestResult`, whose controllers return both objects
    // and IDs. `ResultType.self is AnyClass` cannot distinguish them: the compiler makes it true for every type, because
    // the results are class references.
    let isClass =
      ResultType.self is NSManagedObject.Type || ResultType.self is NSManagedObjectID.Type
      || ResultType.self is NSDictionary.Type || ResultType.self is NSNumber.Type
    return !isClass
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
