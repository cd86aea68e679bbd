extension SectionedChanges<NSManagedObjectID> {
  /// Combines consecutive changes. The results must be in the state after the last change.
  init(_ changes: [Self], in results: LiveResults) {
    self.init()
    for next in changes { self = isEmpty ? next : merged(with: next, in: results) }
  }

  /// Combines these changes with the next ones into the smallest report: a row that was inserted and then deleted is
  /// omitted, and a row that was deleted and then inserted is reported as updated or moved.
  ///
  /// O(k log k) for the k rows of both reports.
  ///
  /// - Parameter results: The results after the next changes.
  func merged(with next: Self, in results: LiveResults) -> Self {
    let (map, nextMap) = (PlaceMap(self), PlaceMap(next))
    var transitions: [NSManagedObjectID: RowTransition<NSManagedObjectID>] = [:]
    func set(_ id: NSManagedObjectID, _ old: ResultPath?, _ new: ResultPath?) {
      transitions[id] = RowTransition(subject: id, old: old, new: new)
    }
    // The rows of these changes, with their positions after the next changes. Rows that the next changes contain are
    // replaced below.
    for row in deleted { set(row.subject, row.path, nil) }
    for row in inserted { set(row.subject, nil, nextMap.path(after: row.path)) }
    for row in moved + updated { set(row.subject, row.old, nextMap.path(after: row.new)) }
    // The rows of the next changes, with their positions before these changes.
    func old(_ id: NSManagedObjectID, _ path: ResultPath) -> ResultPath? {
      if let known = transitions[id] { return known.old }
      return map.path(before: path)
    }
    for row in next.deleted { set(row.subject, old(row.subject, row.path), nil) }
    for row in next.inserted { set(row.subject, transitions[row.subject]?.old, row.path) }
    for row in next.moved + next.updated { set(row.subject, old(row.subject, row.old), row.new) }
    let sections = SectionChanges(self, map, next, nextMap, count: results.sectionCount)
    return Self(
      (sections.deleted, sections.inserted), Array(transitions.values),
      count: { results.ranks(ofSection: $0).count }, subject: results.objectID(at:))
  }

  /// Adds, for each row that was reported with a temporary ID, a deletion of the temporary ID and an insertion of the
  /// current ID.
  mutating func replaceTemporaryIDs(of rows: [IdentifiedObject], in results: LiveResults) {
    if rows.isEmpty { return }
    let map = PlaceMap(self)
    // Rows that this report inserts were not reported before, so no reader knows their temporary IDs.
    let arrived = Set(inserted.map(\.subject))
    for (object, temporary) in rows where !arrived.contains(object.ownID) {
      guard let rank = results.rank(of: object) else { continue }
      let new = results.path(ofRank: rank)
      let move = moved.firstIndex { $0.subject == object.ownID }
      guard let old = move.map({ moved[$0].old }) ?? map.path(before: new) else { continue }
      if let move { moved.remove(at: move) }
      updated.removeAll { $0.subject == object.ownID }
      let known = NSManagedObjectID(layout: object.layout, key: temporary, origin: .temporary)
      deleted.append(Row(subject: known, path: old))
      inserted.append(Row(subject: object.ownID, path: new))
    }
    sort()
  }
}
