/// The results of a request, kept in sync with the changes of a context.
final class LiveResults: ChangeFilter {
  private(set) var plan: FetchPlan
  /// Decides which objects are results.
  @exclusivity(unchecked)
  private(set) var members: ResultMembership
  let sections: SectionSource
  let context: NSManagedObjectContext
  /// How many rows are read at a time; 0 keeps all objects in memory, unless the request has a limit or an offset.
  let batchSize: Int
  let window: Window
  let options: FetchOptions
  @exclusivity(unchecked)
  private(set) var tree: ResultsTree
  var names = SectionNames()
  let dependencies: [RelationshipDependency]
  /// The relationships whose destinations' IDs are sort or section keys.
  let references: [RelationshipDependency]
  /// Whether the predicate refers to unsaved objects, whose IDs change with the next save.
  private var containsUnsavedObjects: Bool
  /// The number of rows of each section, indexed by the number of the section's name.
  private var rowCounts: [Int] = []
  /// The number of sections that have rows.
  private var namedSectionCount = 0
  /// The objects of the batch that was accessed last.
  var heldBatch: [NSManagedObject] = []
  /// Rows whose IDs changed but that were not moved to the positions for their new IDs.
  var misplaced: Set<RowKey> = []
  /// What `mayChange(by:)` found out about the next changes, so that `apply` does not evaluate the predicate again:
  /// how many of the first changed objects do not affect the results, and whether the next one becomes a row.
  var examined = (irrelevantCount: 0, isNextMember: false)
  /// The nesting depth of ``keepingKeys(_:)``. While it is above 0, rows keep their IDs.
  private var changeDepth = 0
  /// The objects whose rows receive their new IDs when ``keepingKeys(_:)`` ends.
  private var waitingIDs: [IdentifiedObject] = []
  /// Whether to keep the last change undoable, for a caller that can fail after the rows changed.
  var keepsUndo = false
  /// Undoes the last change, if there was one.
  var undo: (() -> Void)?
  /// Whether a message about a section with split rows has been logged.
  private var hasLoggedUngrouped = false

  /// The part of the rows that the request's offset and limit select.
  struct Window {
    let offset: Int
    let limit: Int
    var isAll: Bool { offset == 0 && limit == 0 }

    func ranks(of count: Int) -> Range<Int> {
      let start = min(offset, count)
      // Compares instead of adding, because adding a very large limit would overflow.
      return start..<(limit == 0 || limit > count - start ? count : start + limit)
    }
  }

  /// How the request fetches objects.
  struct FetchOptions {
    /// The key paths of relationships whose destinations are read together with the objects.
    var prefetched: [String] = []
    /// Whether objects that are already in memory are refreshed with the store's values.
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
    // The tree contains all rows: any change can move a row into the window or out of it.
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
    containsUnsavedObjects = plan.query.containsUnsavedObjects
  }

  /// Binds the predicate again if objects that it refers to received permanent IDs.
  func rebindSavedObjects() throws {
    guard containsUnsavedObjects else { return }
    try plan.rebind()
    members = plan.membership
    containsUnsavedObjects = plan.query.containsUnsavedObjects
  }

  /// Whether each row keeps its object in memory.
  var keepsObjects: Bool { batchSize == 0 && window.isAll }

  /// Whether the results have a section key path. Without a section key path there is a single
  /// section, even if the results are empty.
  var hasSections: Bool { if case .none = sections { false } else { true } }

  // MARK: IDs

  /// Runs `body`, which reads or changes rows by their keys. Rows whose objects receive permanent IDs in the meantime
  /// get them when `body` has ended.
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

  /// Defers new IDs if rows must keep their keys now.
  ///
  /// - Returns: Whether the IDs were deferred.
  func deferAssignment(of objects: [IdentifiedObject]) -> Bool {
    if changeDepth > 0 { waitingIDs += objects }
    return changeDepth > 0
  }

  /// Returns the location of an object's row, even if the object already has its permanent ID and the row still has the
  /// temporary one; nil if the object has no row.
  func location(of object: NSManagedObject) -> ResultsTree.Location? {
    if let found = tree.location(ofKey: object.primaryKey, object.origin) { return found }
    if waitingIDs.isEmpty { return nil }
    return waitingIDs.lazy.filter { $0.object === object }
      .compactMap { self.tree.location(ofKey: $0.temporary, .temporary) }.first
  }

  /// Returns the object of a row, creating it if the context has not registered it.
  func makeObject(of entry: ResultEntry) -> NSManagedObject {
    context.object(
      entry.layout, key: entry.key, origin: entry.origin, .none, declared: plan.layout)
  }

  /// Returns the object of a row if the context has registered it; otherwise nil.
  func findRegistered(of entry: ResultEntry) -> NSManagedObject? {
    entry.object ?? context.registry[entry.layout, entry.key, entry.origin]
  }

  // MARK: Rows

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

  /// Checks that the rows of each section are contiguous.
  ///
  /// - Throws: An error that identifies a section with split rows.
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

  /// Whether the rows of a section are split. The tree begins a section wherever the name changes, so it counts each
  /// part of a split section. Changes in the context can split a section after a valid fetch.
  var isUngrouped: Bool { hasSections && tree.sectionCount != namedSectionCount }

  /// Logs once that a change split the rows of a section.
  func logUngroupedOnce() {
    if hasLoggedUngrouped { return }
    // Applying a change cannot throw, so the error is logged, and once only, because every later
    // change would find it again.
    hasLoggedUngrouped = true
    do { try requireGrouped(tree) } catch {
      Log.contextNotice("fetched results of \(plan.layout.name): \(error.localizedDescription)")
    }
  }

  /// Whether a change can reorder the remaining sections. It cannot if the rows are sorted by the value from which
  /// section names are made.
  var sectionsMayReorder: Bool { hasSections && !isSortedBySection }

  /// Returns the number of rows of a section, by the number of its name.
  func rowCount(ofSectionNumber number: Int) -> Int {
    rowCounts.indices.contains(number) ? rowCounts[number] : 0
  }

  /// Whether the first sort key is the section key.
  private var isSortedBySection: Bool {
    guard case .stored(let path) = sections, case .property(let first)? = plan.sorts.first?.key
    else { return false }
    // Another comparison may treat two different names as equal.
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

  /// Returns the first defect in the rows or in their counts by section, or nil. It does not change the results.
  func checkInvariants() -> String? {
    if let defect = tree.checkInvariants() { return defect }
    guard hasSections else { return nil }
    var counts: [Int: Int] = [:]
    for entry in tree.entries(in: 0..<tree.count) { counts[entry.section, default: 0] += 1 }
    let known = rowCounts.enumerated().filter { $0.element != 0 }
    let isRight =
      known.count == counts.count && known.allSatisfy { counts[$0.offset] == $0.element }
    return isRight && namedSectionCount == counts.count
      ? nil : "the sections have \(counts) rows, and the results count \(rowCounts)"
  }

  /// Returns the row of an object with its current values.
  func row(of object: NSManagedObject) throws -> ResultRow {
    ResultRow(
      entry: ResultEntry(
        layout: object.layout, origin: object.origin, key: object.primaryKey,
        section: names.number(of: try sections.name(of: object)),
        version: object.snapshot.version, object: keepsObjects ? object : nil),
      sortKey: try tree.form.key(of: object, plan.sorts))
  }
}
