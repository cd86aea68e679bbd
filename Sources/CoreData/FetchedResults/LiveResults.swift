/// The results of a request, kept up to date with the changes of a context.
final class LiveResults: ChangeFilter {
  private(set) var plan: FetchPlan
  /// Which objects are rows.
  @exclusivity(unchecked)
  private(set) var members: ResultMembership
  let sections: SectionSource
  let context: NSManagedObjectContext
  /// Rows are read this many at a time; 0 keeps all objects in use.
  let batchSize: Int
  let window: Window
  let options: FetchOptions
  @exclusivity(unchecked)
  private(set) var tree: ResultsTree
  var names = SectionNames()
  let dependencies: [RelationshipDependency]
  /// Where objects are that rows are ordered or put into sections by.
  let references: [RelationshipDependency]
  /// Whether the predicate names objects whose IDs end with the next save.
  private var namesUnsavedObjects: Bool
  /// By number of the section's name.
  private var rowCounts: [Int] = []
  /// How many sections have rows.
  private var namedSectionCount = 0
  /// The objects around the row that was touched last.
  var heldBatch: [NSManagedObject] = []
  /// Rows that got other IDs and were left where they were.
  var misplaced: Set<RowKey> = []
  /// What `mayChange(by:)` found out about the changes that come next, so that it is not evaluated again: how many of
  /// their objects, in order, do not concern the results, and whether the one after these becomes a row.
  var examined = (irrelevantCount: 0, isNextMember: false)
  /// Above 0 while the rows are read or changed: rows keep their IDs until that is done.
  private var changeDepth = 0
  /// The rows that get new IDs then.
  private var waitingIDs: [IdentifiedObject] = []
  /// Whether the last change can be taken back, for others that fail to keep step with the rows.
  var keepsUndo = false
  /// Takes the last change back, if there was one.
  var undo: (() -> Void)?
  /// Whether the log has a message that the rows of a section are no longer next to each other.
  private var hasLoggedUngrouped = false

  /// The part of the rows that is shown: the request's offset and limit.
  struct Window {
    let offset: Int
    let limit: Int
    var isAll: Bool { offset == 0 && limit == 0 }

    func ranks(of count: Int) -> Range<Int> {
      let start = min(offset, count)
      return start..<(limit == 0 || limit > count - start ? count : start + limit)
    }
  }

  /// What a request requires of the objects that are read.
  struct FetchOptions {
    /// The key paths of relationships whose destinations are read with them.
    var prefetched: [String] = []
    /// Whether objects that were read before are refreshed with the values of the store.
    var refreshes = false
    /// Whether the request returns the IDs of the rows.
    var returnsIDs = false
  }

  init(
    plan: FetchPlan, sections: SectionSource, context: NSManagedObjectContext, batchSize: Int,
    options: FetchOptions = FetchOptions()
  ) {
    var plan = plan
    self.options = options
    window = Window(offset: plan.query.offset, limit: plan.query.limit)
    plan.query.offset = 0
    plan.query.limit = 0
    self.plan = plan
    members = plan.membership
    self.sections = sections
    self.context = context
    self.batchSize = batchSize
    tree = ResultsTree(form: SortKeyForm(plan.sorts))
    dependencies = plan.query.dependencies + sections.dependencies(plan.layout)
    let keys = plan.sorts.map(\.key) + sections.values
    references = keys.compactMap {
      if case .property(let path) = $0 { RelationshipDependency(toReferenceOf: path) } else { nil }
    }
    namesUnsavedObjects = plan.query.namesUnsavedObjects
  }

  /// Unsaved objects got their permanent IDs: those that the predicate names are named by these.
  func nameSavedObjects() throws {
    guard namesUnsavedObjects else { return }
    try plan.bindAgain()
    members = plan.membership
    namesUnsavedObjects = plan.query.namesUnsavedObjects
  }

  /// Whether objects are kept with their rows.
  var keepsObjects: Bool { batchSize == 0 && window.isAll }

  /// Without a section key path there is one section, also of an empty result.
  var hasSections: Bool { if case .none = sections { false } else { true } }

  // MARK: IDs

  /// Runs `body`, which reads or changes the rows by their keys. Rows whose objects get permanent IDs meanwhile get
  /// them afterwards.
  func keepingKeys<Result>(_ body: () throws -> Result) rethrows -> Result {
    changeDepth += 1
    defer {
      changeDepth -= 1
      if changeDepth == 0, !waitingIDs.isEmpty {
        let waiting = waitingIDs
        waitingIDs = []
        _ = assignPermanentIDs(waiting)
      }
    }
    return try body()
  }

  /// Puts new IDs off while rows keep their keys; returns false when rows may get them now.
  func putOff(_ objects: [IdentifiedObject]) -> Bool {
    if changeDepth > 0 { waitingIDs += objects }
    return changeDepth > 0
  }

  /// Where an object's row is; also where the object has its permanent ID and its row has not yet.
  func location(of object: NSManagedObject) -> ResultsTree.Location? {
    if let found = tree.location(ofKey: object.primaryKey, object.origin) { return found }
    if waitingIDs.isEmpty { return nil }
    return waitingIDs.lazy.filter { $0.object === object }
      .compactMap { self.tree.location(ofKey: $0.temporary, .temporary) }.first
  }

  /// The object of a row, found or made by the key that the row has.
  func madeObject(of entry: ResultEntry) -> NSManagedObject {
    context.object(entry.layout, key: entry.key, origin: entry.origin, .none)
  }

  /// Returns the object of a row, if the context has it registered.
  func findRegistered(of entry: ResultEntry) -> NSManagedObject? {
    entry.object ?? context.registry[entry.layout, entry.key, entry.origin]
  }

  // MARK: Rows

  /// Replaces the rows.
  func replaceTree(by tree: ResultsTree) {
    self.tree = tree
    rowCounts = []
    guard hasSections else { return }
    var start = 0
    for index in 0..<tree.sectionCount {
      let end = tree.start(ofSection: index + 1)
      if let first = tree.entry(at: start) { count(end - start, inSection: first.section) }
      start = end
    }
    namedSectionCount = rowCounts.count { $0 > 0 }
  }

  private func count(_ rows: Int, inSection number: Int) {
    while rowCounts.count <= number { rowCounts.append(0) }
    rowCounts[number] += rows
  }

  /// - Throws: when rows of one section are not next to each other.
  func requireGrouped(_ tree: ResultsTree) throws {
    guard hasSections else { return }
    var lasts: [Int: ResultEntry] = [:]
    var start = 0
    for index in 0..<tree.sectionCount {
      let end = tree.start(ofSection: index + 1)
      guard let first = tree.entry(at: start), let last = tree.entry(at: end - 1) else { break }
      if let earlier = lasts[first.section] {
        throw CoreDataError.badRequest(
          "the rows of section \"\(names.name(first.section))\" are not next to each other:"
            + " \(earlier.id) and \(first.id); the first sort descriptor must group the rows as the"
            + " section key path does")
      }
      lasts[first.section] = last
      start = end
    }
  }

  /// Whether rows of one section are in several places: changes can do that to a result that was in order.
  var isUngrouped: Bool { hasSections && tree.sectionCount != namedSectionCount }

  /// Logs, once, that a change split the rows of a section, where nothing can be thrown.
  func logUngroupedOnce() {
    if hasLoggedUngrouped { return }
    hasLoggedUngrouped = true
    do { try requireGrouped(tree) } catch {
      Log.contextNotice("live results of \(plan.layout.name): \(error.localizedDescription)")
    }
  }

  /// Whether a change can give sections that stay another order: not where that is the one of their names' values.
  var sectionsMayReorder: Bool { hasSections && !isSortedBySection }

  /// How many rows the section has whose name has a number.
  func rowCount(ofSectionNumber number: Int) -> Int {
    rowCounts.indices.contains(number) ? rowCounts[number] : 0
  }

  /// Whether the rows are sorted first by what names the sections.
  private var isSortedBySection: Bool {
    guard case .stored(let path) = sections, case .property(let first)? = plan.sorts.first?.key
    else { return false }
    // By another comparison two names may be of one rank.
    return first == path && plan.sorts.first?.comparison == .literal
  }

  func insert(_ row: ResultRow) {
    tree.insert(row)
    guard hasSections else { return }
    count(1, inSection: row.entry.section)
    if rowCounts[row.entry.section] == 1 { namedSectionCount += 1 }
  }

  func remove(_ row: ResultRow) {
    guard let location = tree.location(ofKey: row.entry.key, row.entry.origin) else { return }
    tree.remove(at: location)
    guard hasSections else { return }
    count(-1, inSection: row.entry.section)
    if rowCounts[row.entry.section] == 0 { namedSectionCount -= 1 }
  }

  func clear() {
    tree.removeAll()
    rowCounts = []
    namedSectionCount = 0
  }

  /// Returns what is wrong with the rows or the counts of them by section, or nil. It changes nothing.
  func checkInvariants() -> String? {
    if let fault = tree.checkInvariants() { return fault }
    guard hasSections else { return nil }
    var counts: [Int: Int] = [:]
    for entry in tree.entries(in: 0..<tree.count) { counts[entry.section, default: 0] += 1 }
    let known = rowCounts.enumerated().filter { $0.element != 0 }
    let isRight =
      known.count == counts.count && known.allSatisfy { counts[$0.offset] == $0.element }
    return isRight && namedSectionCount == counts.count
      ? nil : "the sections have \(counts) rows, and the results count \(rowCounts)"
  }

  /// The row of an object as it is now.
  func row(of object: NSManagedObject) throws -> ResultRow {
    ResultRow(
      entry: ResultEntry(
        layout: object.layout, origin: object.origin, key: object.primaryKey,
        section: names.number(of: try sections.name(of: object)),
        version: object.snapshot.version, object: keepsObjects ? object : nil),
      sortKey: try tree.form.key(of: object, plan.sorts))
  }
}
