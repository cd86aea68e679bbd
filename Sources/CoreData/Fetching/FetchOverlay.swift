/// The effect of unsaved changes on the results of a fetch.
struct FetchOverlay {
  /// Objects whose stored rows do not show whether and where they are results now.
  var excluded: Set<NSManagedObject> = []
  /// The excluded and inserted objects that are results according to their state in memory.
  var included: [NSManagedObject] = []

  var isEmpty: Bool { excluded.isEmpty && included.isEmpty }

  /// Returns the results in order, with the included objects inserted at their positions.
  ///
  /// - Parameter isSorted: Whether the rows are already in order, as those of a single store are.
  func applied(
    to rows: [NSManagedObject], _ order: RowOrder, isSorted: Bool
  ) throws -> [NSManagedObject] {
    let kept = rows.filter { !excluded.contains($0) }
    func keyed(_ objects: [NSManagedObject]) throws -> [(NSManagedObject, SortValues)] {
      try objects.map { ($0, try SortValues(of: $0, by: order.sorts)) }
        .sorted { order.compare($0.1, $1.1) < 0 }
    }
    if !isSorted { return try keyed(kept + included).map(\.0) }
    var result: [NSManagedObject] = []
    result.reserveCapacity(kept.count + included.count)
    var start = 0
    for (object, values) in try keyed(included) {
      // A binary search computes the sort values of a few rows. A merge would compute those of all rows.
      let end = try (start..<kept.count).partitioningIndex {
        order.compare(try SortValues(of: kept[$0], by: order.sorts), values) >= 0
      }
      result += kept[start..<end]
      result.append(object)
      start = end
    }
    return result + kept[start...]
  }
}

extension NSManagedObjectContext {
  /// Returns the effect of the unsaved changes on a plan. They affect the changed objects of its entity, and the
  /// objects for which the predicate or the sort values depend on changed objects through relationships.
  func overlay(_ plan: FetchPlan) throws -> FetchOverlay {
    var overlay = FetchOverlay()
    guard hasChanges else { return overlay }
    let members = plan.membership
    for object in unsaved.deleted where members.covers(object.layout) {
      overlay.excluded.insert(object)
    }
    var candidates = ChangeList()
    for object in unsaved.updated where members.covers(object.layout) { candidates.insert(object) }
    // Deleted objects are included, because an object that is related to a deleted object may no longer be a result.
    let changed = unsaved.inserted.objects + unsaved.updated.objects + unsaved.deleted.objects
    for dependency in plan.query.dependencies {
      let ends = dependency.ends(among: changed) { object, slots in
        !object.flags.isDisjoint(with: [.inserted, .deleted])
          || slots.contains { object.isChanged(object.layout.slots[$0]) }
      }
      for root in try dependency.roots(of: ends, in: self) where members.covers(root.layout) {
        candidates.insert(root)
      }
    }
    // The row of a relationship's member may have been deleted since the members were read.
    try readExistingRows(of: candidates.filter { $0.flags.contains(.fault) })
    for object in candidates where !object.flags.contains(.deleted) && !object.hasLostItsRow {
      // The loop below tries all inserted objects, so they are skipped here.
      if !object.flags.contains(.inserted) { overlay.excluded.insert(object) } else { continue }
      if try members.matches(object) { overlay.included.append(object) }
    }
    for object in unsaved.inserted
    where members.covers(object.layout) && !object.flags.contains(.deleted) {
      if try members.matches(object) { overlay.included.append(object) }
    }
    return overlay
  }
}
