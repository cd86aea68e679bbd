extension LiveResults {
  /// Takes a context's changes in; tells what they did to the results.
  ///
  /// - Parameter slots: in what the changed objects are other than before.
  func apply(_ changes: ObjectChanges, _ slots: ChangedSlots) throws -> ResultsDelta {
    if changes.isReset {
      let gone = removeAll()
      // Who hears of a reset may insert objects before it is told here.
      let rest = try apply(changes.afterReset, slots)
      return ResultsDelta([gone, rest], in: self)
    }
    if hasLostTrack(changes) { return try reread(changes) }
    context.adoptPermanentIDs()
    return try keepingKeys { try applied(changes, slots) }
  }

  private func applied(_ changes: ObjectChanges, _ slots: ChangedSlots) throws -> ResultsDelta {
    let lists = [changes.inserted, changes.updated, changes.deleted]
    var candidates: [Candidate] = []
    defer { foundMember = nil }
    for list in lists {
      for object in list where members.covers(object.layout) {
        let relevance = try relevance(of: object)
        if relevance == .none { continue }
        candidates.append(Candidate(object, .changed, isMember: relevance == .member))
      }
    }
    let known = candidates.map(\.object)
    candidates += try roots(
      .dependent, besides: known, dependencies.map { ($0, ends(of: $0, in: changes, slots)) })
    return candidates.isEmpty ? ResultsDelta() : try apply(candidates)
  }

  /// Whether changes may do something to the results: where many results hear of one, it concerns few.
  func mayChange(by changes: ObjectChanges) -> Bool {
    foundMember = nil
    if changes.isReset || changes.isIncomplete || hasLostTrack(changes) { return true }
    if dependencies.contains(where: { !ends(of: $0, in: changes, ChangedSlots()).isEmpty }) {
      return true
    }
    func mayChange(by objects: [NSManagedObject]) -> Bool {
      // Objects are known weakly, and so take long to retain; the changes keep them.
      objects.withUnsafeBufferPointer { objects in
        objects.indices.contains { index in
          Unmanaged.passUnretained(objects[index])._withUnsafeGuaranteedRef { object in
            // A failure to find out is told when it is tried again.
            do {
              guard members.covers(object.layout) else { return false }
              let relevance = try relevance(of: object)
              if relevance == .member { foundMember = ObjectIdentifier(object) }
              return relevance != .none
            } catch {
              return true
            }
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
    if location(of: object) != nil { return .possible }
    if object.flags.contains(.deleted) || object.unsafeContext !== context { return .none }
    // Rows are read together.
    if object.flags.contains(.fault) { return .possible }
    if foundMember == ObjectIdentifier(object) { return .member }
    return try members.matches(object) ? .member : .none
  }

  /// The changed objects by which rows may be others through a chain of relationships.
  private func ends(
    of chain: RelationshipDependency, in changes: ObjectChanges, _ slots: ChangedSlots
  ) -> [NSManagedObject] {
    [changes.inserted, changes.updated, changes.deleted].flatMap { list in
      chain.ends(among: list) { slots.mayBeOther($1, of: $0) }
    }
  }

  /// The objects whose rows depend on others at the ends of chains.
  private func roots(
    _ reason: Candidate.Reason, besides known: [NSManagedObject],
    _ chains: [(chain: RelationshipDependency, ends: [NSManagedObject])]
  ) throws -> [Candidate] {
    var seen = Set(known.map(ObjectIdentifier.init))
    var found: [Candidate] = []
    for (chain, ends) in chains where !ends.isEmpty {
      for root in try chain.roots(of: ends, in: context)
      where members.covers(root.layout) && seen.insert(ObjectIdentifier(root)).inserted {
        found.append(Candidate(root, reason))
      }
    }
    return found
  }

  /// Unsaved objects got their keys, by which rows that are otherwise equal are ordered, and rows that
  /// refer to them where a sort or section key is a relationship.
  func identify(_ identified: [IdentifiedObject]) throws -> ResultsDelta {
    try nameSavedObjects()
    if identified.isEmpty { return ResultsDelta() }
    context.adoptPermanentIDs()
    return try keepingKeys { try applyPermanentIDs(of: identified) }
  }

  private func applyPermanentIDs(of identified: [IdentifiedObject]) throws -> ResultsDelta {
    let rows = identified.filter { members.covers($0.object.layout) }
    var candidates = rows.compactMap { object, temporary -> Candidate? in
      if tree.location(ofKey: temporary, .temporary) != nil {
        return Candidate(object, key: temporary, origin: .temporary, .identified)
      }
      return misplaced.contains(RowKey(object)) ? Candidate(object, .identified) : nil
    }
    let objects = identified.map(\.object)
    candidates += try roots(
      .identified, besides: candidates.map(\.object),
      references.map { ($0, $0.ends(among: objects) { _, _ in true }) })
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
    /// Whether it is known to be a result.
    let isMember: Bool

    enum Reason {
      /// The object itself changed.
      case changed
      /// One that it refers to changed: the row did where its sort key did.
      case dependent
      /// An ID became permanent, which is no change of what is shown.
      case identified
    }

    init(_ object: NSManagedObject, _ reason: Reason, isMember: Bool = false) {
      self.init(
        object, key: object.primaryKey, origin: object.origin, reason, isMember: isMember)
    }

    init(
      _ object: NSManagedObject, key: Int64, origin: StoreOrigin, _ reason: Reason,
      isMember: Bool = false
    ) {
      self.isMember = isMember
      self.object = object
      self.key = key
      self.origin = origin
      self.reason = reason
    }
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
      let old = tree.location(ofKey: candidate.key, candidate.origin) ?? location(of: object)
      var isMember =
        !object.flags.contains(.deleted) && object.unsafeContext === context
        && !object.hasLostItsRow
      if isMember, !candidate.isMember { isMember = try members.matches(object) }
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
