extension LiveResults {
  /// Applies a context's changes and returns the resulting changes to rows.
  ///
  /// - Parameter slots: The slots of the changed objects whose values changed.
  func apply(_ changes: ObjectChanges, _ slots: ChangedSlots) throws -> ResultsDelta {
    if changes.isReset {
      let gone = removeAll()
      // Another observer of the reset may have inserted objects before these results were notified.
      let rest = try apply(changes.afterReset, slots)
      return ResultsDelta([gone, rest], in: self)
    }
    if hasLostTrack(changes) { return try reread(changes) }
    // `keepingKeys` assigns IDs to rows only when it ends, so the context adopts pending IDs beforehand.
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

  /// Returns whether changes may affect the results. If many results observe a context, most changes affect only a few
  /// of them.
  func mayChange(by changes: ObjectChanges) -> Bool {
    examined = (0, false)
    if changes.isReset || changes.isIncomplete || hasLostTrack(changes) { return true }
    if dependencies.contains(where: { !ends(of: $0, in: changes, ChangedSlots()).isEmpty }) {
      return true
    }
    func mayChange(by objects: [NSManagedObject]) -> Bool {
      // The objects are not retained, because that would take time for each, and the changes keep them alive.
      objects.withUnsafeBufferPointer { objects in
        objects.indices.contains { index in
          Unmanaged.passUnretained(objects[index])._withUnsafeGuaranteedRef { object in
            // Applying the changes throws the error again, and the controller logs it.
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

  /// Returns whether changes to objects of an entity may affect the results: such objects can be results, or are at the
  /// end of a chain of relationships.
  func covers(_ layout: EntityLayout) -> Bool {
    members.covers(layout) || dependencies.contains { layout.isKind(of: $0.end) }
  }

  /// Returns whether the changes may affect rows that cannot be found from the changed objects.
  private func hasLostTrack(_ changes: ObjectChanges) -> Bool {
    changes.lostReferences?
      .concern(plan.layout, hasObjects: keepsObjects, dependencies + references) ?? false
  }

  /// How an object relates to the results.
  private enum Relevance {
    case none
    /// It has a row in the results, or it is a fault and may need one.
    case possible
    /// It has no row in the results yet, and needs one.
    case member
  }

  private func relevance(of object: NSManagedObject) throws -> Relevance {
    guard members.covers(object.layout) else { return .none }
    if location(of: object) != nil { return .possible }
    if object.flags.contains(.deleted) || object.unsafeContext !== context { return .none }
    // The rows of all faults are read together later.
    if object.flags.contains(.fault) { return .possible }
    return try members.matches(object) ? .member : .none
  }

  /// Returns the changed objects that a chain of relationships leads to, and whose changes may affect rows.
  private func ends(
    of chain: RelationshipDependency, in changes: ObjectChanges, _ slots: ChangedSlots
  ) -> [NSManagedObject] {
    [changes.inserted, changes.updated, changes.deleted].flatMap { list in
      chain.ends(among: list) { slots.mayHaveChanged($1, of: $0) }
    }
  }

  /// Returns the objects at the beginnings of relationship chains whose ends changed.
  ///
  /// - Parameter known: Objects that have been examined already.
  private func roots(
    _ reason: Candidate.Reason, besides known: some Sequence<NSManagedObject>,
    _ chains: [(chain: RelationshipDependency, ends: [NSManagedObject])]
  ) throws -> [Candidate] {
    let chains = chains.filter { !$0.ends.isEmpty }
    if chains.isEmpty { return [] }
    // An object that changed itself and is at the beginning of a chain is examined once, as
    // changed.
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

  /// Applies the permanent IDs that unsaved objects received. IDs determine the order of rows with equal sort keys, and
  /// of rows whose sort or section key is a relationship to these objects.
  ///
  /// The predicate is evaluated again only for faults, or if it may depend on these IDs.
  func identify(_ identified: [IdentifiedObject]) throws -> ResultsDelta {
    try rebindSavedObjects()
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
      // The predicate is evaluated again only for faults, whose rows are read first and may have new values.
      for (index, candidate) in candidates.enumerated()
      where !candidate.object.flags.contains(.fault) {
        // The store of a new object is known only now, and the request may not read that store.
        candidates[index].isMember =
          location(of: candidate) != nil && members.includesStore(of: candidate.object)
      }
    }
    let delta = try apply(candidates)
    if !misplaced.isEmpty { for (object, _) in rows { misplaced.remove(RowKey(object)) } }
    return delta
  }

  /// A row that may have changed.
  private struct Candidate {
    let object: NSManagedObject
    /// The key under which the tree finds the row.
    let key: Int64
    let origin: StoreOrigin
    let reason: Reason
    /// Whether the object is a result; nil if the predicate must be evaluated.
    var isMember: Bool?

    enum Reason {
      /// The object itself changed.
      case changed
      /// An object that the row's object refers to changed. A row that keeps its sort key and section did not change.
      case dependent
      /// Its ID, or the ID of an object by which it is sorted, became permanent, which does not change what it shows.
      case identified
    }

    /// - Parameter temporary: The temporary key under which the tree still finds the row.
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
    // Merging turns objects into faults. One query reads the rows of all of them.
    let faults = candidates.map(\.object).filter {
      $0.flags.contains(.fault) && !$0.flags.contains(.deleted) && $0.unsafeContext === context
    }
    if !faults.isEmpty { try context.readExistingRows(of: faults) }
    var recorder = DeltaRecorder(results: self)
    for candidate in candidates {
      let object = candidate.object
      let old = location(of: candidate)
      var isMember =
        !object.flags.contains(.deleted) && object.unsafeContext === context
        && !object.hasLostItsRow
      if isMember { isMember = try candidate.isMember ?? members.matches(object) }
      if !isMember {
        if let old {
          recorder.recordChange(object, old: tree.row(at: old), new: nil, isChanged: true)
        }
        continue
      }
      let new = try row(of: object)
      guard let old else {
        recorder.recordChange(
          object, old: nil, new: new, isChanged: candidate.reason != .identified)
        continue
      }
      let entry = tree.entry(at: old)
      if entry.key == new.entry.key, entry.origin === new.entry.origin,
        entry.section == new.entry.section,
        // A row that kept its position when its ID changed has to move even with an equal sort key.
        misplaced.isEmpty || !misplaced.contains(entry.rowKey),
        new.sortKey.withUnsafeBufferPointer({ tree.hasSortKey($0, at: old) })
      {
        if new.entry.version != 0 { tree.setVersion(new.entry.version, at: old) }
        if candidate.reason == .changed { recorder.recordUnmoved(object, entry) }
      } else {
        recorder.recordChange(
          object, old: tree.row(at: old), new: new, isChanged: candidate.reason != .identified)
      }
    }
    return recorder.delta()
  }

  /// Removes all rows, after the context was reset.
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

  /// Records the versions that a save wrote.
  func recordVersions(_ saved: SavedObjects) {
    for object in saved.inserted + saved.updated
    where members.covers(object.layout) && object.snapshot.isPresent {
      if let location = tree.location(ofKey: object.primaryKey, object.origin) {
        tree.setVersion(object.snapshot.version, at: location)
      }
    }
  }
}

extension NSManagedObject {
  /// Whether the row is missing from the store, because another context or process deleted it after the changes that
  /// are being merged were saved.
  var hasLostItsRow: Bool {
    flags.contains(.fault) && !flags.contains(.inserted) && key > 0 && !snapshot.isPresent
  }
}
