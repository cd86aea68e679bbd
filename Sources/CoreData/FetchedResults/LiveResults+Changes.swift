extension LiveResults {
  /// Applies a context's changes and returns what they did to the results.
  ///
  /// - Parameter slots: in what the changed objects are other than before.
  func apply(_ changes: ObjectChanges, _ slots: ChangedSlots) throws -> ResultsDelta {
    if changes.isReset {
      let gone = removeAll()
      // Another observer of the reset may have inserted objects before these results were notified.
      let rest = try apply(changes.afterReset, slots)
      return ResultsDelta([gone, rest], in: self)
    }
    if hasLostTrack(changes) { return try reread(changes) }
    context.adoptPermanentIDs()
    return try keepingKeys { try delta(of: changes, slots) }
  }

  private func delta(of changes: ObjectChanges, _ slots: ChangedSlots) throws -> ResultsDelta {
    let objects = [changes.inserted, changes.updated, changes.deleted].joined()
    let examined = exchange(&self.examined, with: (0, false))
    var candidates: [Candidate] = []
    for (index, object) in objects.enumerated().dropFirst(examined.irrelevantCount) {
      let isMember = examined.isNextMember && index == examined.irrelevantCount
      let relevance = try isMember ? .member : relevance(of: object)
      if relevance == .none { continue }
      candidates.append(Candidate(object, .changed, isMember: relevance == .member ? true : nil))
    }
    candidates += try roots(
      .dependent, besides: objects, dependencies.map { ($0, ends(of: $0, in: changes, slots)) })
    return candidates.isEmpty ? ResultsDelta() : try apply(candidates)
  }

  /// Whether changes may do something to the results: where many results observe a context, a change concerns few.
  func mayChange(by changes: ObjectChanges) -> Bool {
    examined = (0, false)
    if changes.isReset || changes.isIncomplete || hasLostTrack(changes) { return true }
    if dependencies.contains(where: { !ends(of: $0, in: changes, ChangedSlots()).isEmpty }) {
      return true
    }
    func mayChange(by objects: [NSManagedObject]) -> Bool {
      // Objects are known weakly, and so take long to retain; the changes keep them.
      objects.withUnsafeBufferPointer { objects in
        objects.indices.contains { index in
          Unmanaged.passUnretained(objects[index])._withUnsafeGuaranteedRef { object in
            // An error is thrown again, and logged, when the changes are applied.
            guard let relevance = try? relevance(of: object) else { return true }
            if relevance == .none { examined.irrelevantCount += 1 }
            examined.isNextMember = relevance == .member
            return relevance != .none
          }
        }
      }
    }
    return mayChange(by: changes.inserted) || mayChange(by: changes.updated)
      || mayChange(by: changes.deleted)
  }

  /// Whether rows may be others by changes without being led to from the objects that are named.
  private func hasLostTrack(_ changes: ObjectChanges) -> Bool {
    changes.lostReferences?
      .concern(plan.layout, hasObjects: keepsObjects, dependencies + references) ?? false
  }

  /// What an object is to the results.
  private enum Relevance {
    case none
    /// It has a row here, or may have one.
    case possible
    /// It has no row here yet, and is to have one.
    case member
  }

  private func relevance(of object: NSManagedObject) throws -> Relevance {
    guard members.covers(object.layout) else { return .none }
    if location(of: object) != nil { return .possible }
    if object.flags.contains(.deleted) || object.unsafeContext !== context { return .none }
    // Rows are read together.
    if object.flags.contains(.fault) { return .possible }
    return try members.matches(object) ? .member : .none
  }

  /// The changed objects by which rows may be others through a chain of relationships.
  private func ends(
    of chain: RelationshipDependency, in changes: ObjectChanges, _ slots: ChangedSlots
  ) -> [NSManagedObject] {
    [changes.inserted, changes.updated, changes.deleted].flatMap { list in
      chain.ends(among: list) { slots.mayHaveChanged($1, of: $0) }
    }
  }

  /// The objects whose rows depend on others at the ends of chains.
  ///
  /// - Parameter known: objects that were looked at already.
  private func roots(
    _ reason: Candidate.Reason, besides known: some Sequence<NSManagedObject>,
    _ chains: [(chain: RelationshipDependency, ends: [NSManagedObject])]
  ) throws -> [Candidate] {
    let chains = chains.filter { !$0.ends.isEmpty }
    if chains.isEmpty { return [] }
    var seen = Set(known.map(ObjectIdentifier.init))
    var found: [Candidate] = []
    for (chain, ends) in chains {
      for root in try chain.roots(of: ends, in: context)
      where members.covers(root.layout) && seen.insert(ObjectIdentifier(root)).inserted {
        found.append(Candidate(root, reason))
      }
    }
    return found
  }

  /// Applies the permanent IDs that unsaved objects got: rows that are otherwise equal are ordered by them, and rows
  /// that refer to these objects where a sort or section key is a relationship.
  ///
  /// The predicate is evaluated again only where it may look at these IDs.
  func identify(_ identified: [IdentifiedObject]) throws -> ResultsDelta {
    try nameSavedObjects()
    if identified.isEmpty { return ResultsDelta() }
    context.adoptPermanentIDs()
    return try keepingKeys { try applyPermanentIDs(of: identified) }
  }

  private func applyPermanentIDs(of identified: [IdentifiedObject]) throws -> ResultsDelta {
    let rows = identified.filter { members.covers($0.object.layout) }
    let objects = identified.map(\.object)
    let dependsOnIDs = members.dependsOnIDs(of: objects)
    var candidates = rows.compactMap { object, temporary -> Candidate? in
      if tree.location(ofKey: temporary, .temporary) != nil {
        return Candidate(object, temporary: temporary, .identified)
      }
      return dependsOnIDs || misplaced.contains(RowKey(object))
        ? Candidate(object, .identified) : nil
    }
    candidates += try roots(
      .identified, besides: candidates.map(\.object),
      references.map { ($0, $0.ends(among: objects) { _, _ in true }) })
    if !dependsOnIDs {
      // A fault has its row read, whose values may be other ones than those that were tried.
      for (index, candidate) in candidates.enumerated()
      where !candidate.object.flags.contains(.fault) {
        candidates[index].isMember =
          location(of: candidate) != nil && members.includesStore(of: candidate.object)
      }
    }
    let delta = try apply(candidates)
    if !misplaced.isEmpty { for (object, _) in rows { misplaced.remove(RowKey(object)) } }
    return delta
  }

  /// A row that may be other than before.
  private struct Candidate {
    let object: NSManagedObject
    /// By which the row is known.
    let key: Int64
    let origin: StoreOrigin
    let reason: Reason
    /// Whether the object is a result; nil where its predicate is to be evaluated.
    var isMember: Bool?

    enum Reason {
      /// The object itself changed.
      case changed
      /// One that it refers to changed: the row did where its sort key did.
      case dependent
      /// An ID became permanent, which is no change of what is shown.
      case identified
    }

    /// - Parameter temporary: the temporary key by which the row is still known.
    init(
      _ object: NSManagedObject, temporary: Int64? = nil, _ reason: Reason, isMember: Bool? = nil
    ) {
      self.object = object
      key = temporary ?? object.primaryKey
      origin = temporary == nil ? object.origin : .temporary
      self.reason = reason
      self.isMember = isMember
    }
  }

  private func location(of candidate: Candidate) -> ResultsTree.Location? {
    tree.location(ofKey: candidate.key, candidate.origin) ?? location(of: candidate.object)
  }

  private func apply(_ candidates: [Candidate]) throws -> ResultsDelta {
    // Merged objects are faults whose rows are read together.
    let faults = candidates.map(\.object).filter {
      $0.flags.contains(.fault) && !$0.flags.contains(.deleted) && $0.unsafeContext === context
    }
    if !faults.isEmpty { try context.readRows(of: faults) }
    var recorder = DeltaRecorder(results: self)
    for candidate in candidates {
      let object = candidate.object
      let old = location(of: candidate)
      var isMember =
        !object.flags.contains(.deleted) && object.unsafeContext === context
        && !object.hasLostItsRow
      if isMember { isMember = try candidate.isMember ?? members.matches(object) }
      if !isMember {
        if let old { recorder.changes(object, old: tree.row(at: old), new: nil, isChanged: true) }
        continue
      }
      let new = try row(of: object)
      guard let old else {
        recorder.changes(object, old: nil, new: new, isChanged: candidate.reason != .identified)
        continue
      }
      let entry = tree.entry(at: old)
      if entry.key == new.entry.key, entry.origin === new.entry.origin,
        entry.section == new.entry.section,
        misplaced.isEmpty || !misplaced.contains(entry.rowKey),
        new.sortKey.withUnsafeBufferPointer({ tree.hasSortKey($0, at: old) })
      {
        if new.entry.version != 0 { tree.setVersion(new.entry.version, at: old) }
        if candidate.reason == .changed { recorder.stays(object, entry) }
      } else {
        recorder.changes(
          object, old: tree.row(at: old), new: new, isChanged: candidate.reason != .identified)
      }
    }
    return recorder.delta()
  }

  /// The context was reset: there are no rows any more.
  private func removeAll() -> ResultsDelta {
    var delta = ResultsDelta()
    for (number, entry) in tree.entries(in: shown).enumerated() {
      delta.deleted.append(
        ResultsDelta.Row(subject: ReportedObject(entry.object, entry), path: path(number)))
    }
    for index in 0..<(hasSections ? sectionCount : 0) {
      delta.deletedSections.append(ResultsDelta.Section(index: index, name: sectionName(index)))
    }
    clear()
    delta.sort()
    return delta
  }

  /// The context saved: the rows have the versions that it wrote.
  func noteVersions(_ saved: SavedObjects) {
    for object in saved.inserted + saved.updated
    where members.covers(object.layout) && object.snapshot.isPresent {
      if let location = tree.location(ofKey: object.primaryKey, object.origin) {
        tree.setVersion(object.snapshot.version, at: location)
      }
    }
  }
}

extension NSManagedObject {
  /// Whether the row was looked for and is gone: somebody deleted it after what is being merged.
  var hasLostItsRow: Bool {
    flags.contains(.fault) && !flags.contains(.inserted) && key > 0 && !snapshot.isPresent
  }
}
