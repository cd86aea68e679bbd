extension LiveResults {
  /// The ranks of the rows that the request's offset and limit let through.
  var shown: Range<Int> { window.ranks(of: tree.count) }

  var count: Int { shown.count }

  var sectionCount: Int {
    if window.isAll { return hasSections ? tree.sectionCount : 1 }
    guard hasSections else { return 1 }
    guard !shown.isEmpty else { return 0 }
    return tree.section(ofRank: shown.upperBound - 1) - tree.section(ofRank: shown.lowerBound) + 1
  }

  /// The index of the first shown section among the tree's sections.
  private var firstSection: Int {
    shown.isEmpty || window.offset == 0 ? 0 : tree.section(ofRank: shown.lowerBound)
  }

  /// Returns the ranks of a section's rows.
  func ranks(ofSection section: Int) -> Range<Int> {
    guard hasSections else { return shown }
    let first = firstSection + section
    let all = tree.start(ofSection: first)..<tree.start(ofSection: first + 1)
    return all.clamped(to: shown)
  }

  func sectionName(_ section: Int) -> String {
    guard let entry = tree.entry(at: ranks(ofSection: section).lowerBound) else { return "" }
    return names.name(entry.section)
  }

  /// Returns the number of shown rows in the section that contains a rank.
  func shownCount(ofSectionAt rank: Int) -> Int {
    let section = tree.section(ofRank: rank)
    return (tree.start(ofSection: section)..<tree.start(ofSection: section + 1))
      .clamped(to: shown).count
  }

  // MARK: Positions

  /// Returns the position of a row, given its index among the shown rows.
  func path(_ number: Int) -> ResultPath { path(ofRank: shown.lowerBound + number) }

  func path(ofRank rank: Int) -> ResultPath {
    path(ofRank: rank, inSection: hasSections ? tree.section(ofRank: rank) : 0)
  }

  private func path(ofRank rank: Int, inSection section: Int) -> ResultPath {
    guard hasSections else { return ResultPath(section: 0, row: rank - shown.lowerBound) }
    let start = max(tree.start(ofSection: section), shown.lowerBound)
    return ResultPath(section: section - firstSection, row: rank - start)
  }

  /// Returns the rank of an object's row; nil if the object is not a result or not shown.
  func rank(of object: NSManagedObject) -> Int? { position(of: object)?.rank }

  /// Returns the position of an object's row; nil if the object is not a result or not shown.
  func path(of object: NSManagedObject) -> ResultPath? {
    position(of: object).map { path(ofRank: $0.rank, inSection: $0.section) }
  }

  private func position(of object: NSManagedObject) -> (rank: Int, section: Int)? {
    guard members.covers(object.layout),
      let position = tree.position(ofKey: object.primaryKey, object.origin)
    else { return nil }
    return shown.contains(position.rank) ? position : nil
  }

  // MARK: Objects

  /// The objects of rows without permanent IDs: inserted objects, and in a child context also objects that its
  /// parents have not saved.
  var unidentifiedObjects: [NSManagedObject] {
    guard context.isChild else {
      return context.unsaved.inserted.filter { $0.primaryKey < 0 && rank(of: $0) != nil }
    }
    var objects: [NSManagedObject] = []
    // The context has no list of objects that its parents have not saved, so this visits all rows.
    tree.forEachLocation(in: 0..<tree.count) { location in
      if location.key < 0 { objects.append(object(of: tree.entry(at: location))) }
    }
    return objects
  }

  /// Returns the object of a row.
  func object(of entry: ResultEntry) -> NSManagedObject {
    entry.object ?? makeObject(of: entry)
  }

  /// Returns the object of a row. If objects are read in batches, the neighboring rows are read together with this row.
  func object(withNeighbors entry: ResultEntry) -> NSManagedObject {
    if let object = entry.object { return object }
    if !keepsObjects, let location = tree.location(ofKey: entry.key, entry.origin),
      let object = object(atRank: tree.rank(of: location))
    {
      return object
    }
    return makeObject(of: entry)
  }

  func object(atRank rank: Int) -> NSManagedObject? {
    guard let entry = tree.entry(at: rank) else { return nil }
    if let object = entry.object { return object }
    if let known = context.registry[entry.layout, entry.key, entry.origin],
      known.layout.isKind(of: plan.layout)
    {
      switch known.snapshot {
      case .row, .values, .pending: return known
      // Do not return this fault, because it would be read alone. The code below groups it with its neighbors.
      case .none: break
      }
    }
    guard entry.key > 0 else { return makeObject(of: entry) }
    let around = tree.entries(in: ranksReadTogether(with: rank))
      // A group is read from one store, and unsaved rows are in no store.
      .filter { $0.key > 0 && $0.origin === entry.origin }
    // Retained until another batch is accessed, so that the rows that are read together stay in memory together.
    let group = FaultGroup(layout: plan.layout, keys: around.map(\.key))
    heldBatch = around.map {
      context.object(
        $0.layout, key: $0.key, origin: $0.origin, .pending(group), declared: plan.layout)
    }
    do {
      try context.prefetch(options.prefetched, of: heldBatch, plan.layout)
    } catch {
      // A getter cannot throw. Reading the relationship later reports the error.
      Log.contextNotice("cannot prefetch for \(plan.layout.name): \(error.localizedDescription)")
    }
    return makeObject(of: entry)
  }

  /// Returns the objects of a range of rows, which are read together and retained until another range is read.
  ///
  /// - Parameter now: Whether to read the objects' values now, rather than when the first value is accessed.
  /// - Returns: Nil if the rows cannot be read together.
  func objectsReadTogether(_ ranks: Range<Int>, now: Bool) -> [NSManagedObject]? {
    guard !keepsObjects, ranks.count <= RowBatch.maximumCount else { return nil }
    var keys: [(key: Int64, layout: EntityLayout)] = []
    keys.reserveCapacity(ranks.count)
    // Adjacent rows usually have the same kind, so a kind is looked up only where it changes.
    var last: (number: UInt32, layout: EntityLayout, origin: StoreOrigin)?
    var isCommon = true
    tree.forEachLocation(in: ranks) { location in
      let number = location.kind
      if last?.number != number {
        let entry = tree.entry(at: location)
        isCommon = isCommon && (last == nil || last?.origin === entry.origin)
        last = (number, entry.layout, entry.origin)
      }
      guard let last else { return }
      isCommon = isCommon && location.key > 0
      keys.append((location.key, last.layout))
    }
    guard isCommon, let last else { return nil }
    let objects = context.faults(keys, of: plan.layout, origin: last.origin)
    heldBatch = objects
    if !now { return objects }
    do {
      try context.readRows(together: objects)
    } catch {
      // The objects stay faults. Accessing a value later reports the error.
      Log.contextNotice("cannot read \(plan.layout.name): \(error.localizedDescription)")
    }
    return objects
  }

  /// Returns the shown rows to read together with a row, at most 1,024: its batch, or all shown rows if there is a
  /// limit or offset but no batch size.
  private func ranksReadTogether(with rank: Int) -> Range<Int> {
    guard shown.contains(rank) else { return rank..<rank + 1 }
    let size = min(batchSize > 0 ? batchSize : shown.count, RowBatch.maximumCount)
    let start = rank - (rank - shown.lowerBound) % size
    return start..<min(start + size, shown.upperBound)
  }
}
