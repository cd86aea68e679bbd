extension SectionedChanges<NSManagedObjectID> {
  /// What changes did that followed each other; the results are as they are after the last.
  init(_ changes: [Self], in results: LiveResults) {
    self.init()
    for next in changes { self = isEmpty ? next : merged(with: next, in: results) }
  }

  /// What these changes and the next ones did together, as the least report of it: what came and went again is
  /// not named, what went and came again is updated or moved.
  ///
  /// O(k log k) for k rows that both name.
  ///
  /// - Parameter results: as they are after the next changes.
  func merged(with next: Self, in results: LiveResults) -> Self {
    let (map, nextMap) = (PlaceMap(self), PlaceMap(next))
    var transitions: [NSManagedObjectID: RowTransition<NSManagedObjectID>] = [:]
    func set(_ id: NSManagedObjectID, _ old: ResultPath?, _ new: ResultPath?) {
      transitions[id] = RowTransition(subject: id, old: old, new: new)
    }
    // What these name, and where that is now if the next ones do not name it.
    for row in deleted { set(row.subject, row.path, nil) }
    for row in inserted { set(row.subject, nil, nextMap.path(after: row.path)) }
    for row in moved + updated { set(row.subject, row.old, nextMap.path(after: row.new)) }
    // What the next ones name, and where that was if these do not name it.
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

  /// Reports rows that were reported by temporary IDs as gone, and as new by the IDs that they have now.
  mutating func replaceTemporaryIDs(of rows: [IdentifiedObject], in results: LiveResults) {
    if rows.isEmpty { return }
    let map = PlaceMap(self)
    // What was not shown before was not reported by another ID.
    let arrived = Set(inserted.map(\.subject))
    for (object, temporary) in rows where !arrived.contains(object.objectID) {
      guard let rank = results.rank(of: object) else { continue }
      let new = results.path(ofRank: rank)
      let move = moved.firstIndex { $0.subject == object.objectID }
      guard let old = move.map({ moved[$0].old }) ?? map.path(before: new) else { continue }
      if let move { moved.remove(at: move) }
      updated.removeAll { $0.subject == object.objectID }
      let known = NSManagedObjectID(layout: object.layout, key: temporary, origin: .temporary)
      deleted.append(Row(subject: known, path: old))
      inserted.append(Row(subject: object.objectID, path: new))
    }
    sort()
  }
}
