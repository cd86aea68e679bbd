/// The entities whose rows may have referred to deleted rows. Used after a deletion whose result contains only the
/// deleted rows, such as that of a batch request.
struct LostReferences {
  /// The roots of the deleted rows' entities. It is unknown which rows referred to them.
  private let gone: [EntityLayout]
  /// The roots of the entities whose rows may have referred to the deleted rows.
  private let referrers: [EntityLayout]
  /// The roots of the entities whose objects may have had the deleted rows as members.
  private let owners: [EntityLayout]

  /// - Parameter ids: The IDs of the deleted rows.
  init(to ids: [NSManagedObjectID]) {
    var layouts: [EntityLayout] = []
    for id in ids where !layouts.contains(where: { $0 === id.layout }) { layouts.append(id.layout) }
    var (referrers, owners): ([EntityLayout], [EntityLayout]) = ([], [])
    for slot in layouts.flatMap(\.slots) {
      guard let relationship = slot.relationship else { continue }
      let inverse = relationship.inverse.map { relationship.destination.slots[$0].kind }
      // These relationships keep the deleted row's key in a column of the destination's row. A
      // to-many relationship without an inverse does, too: Apple's stores add that column to the
      // destination's table.
      if inverse == .toOne || inverse == nil && slot.kind == .toMany {
        referrers.append(relationship.destination.root)
      } else if inverse == .toMany {
        owners.append(relationship.destination.root)
      }
    }
    gone = layouts.map(\.root)
    self.referrers = referrers
    self.owners = owners
  }

  /// Returns whether an object in use may have referred to a deleted row, or had it as a member.
  func mayBeOf(_ object: NSManagedObject) -> Bool {
    let root = object.layout.root
    return referrers.contains { $0 === root }
      || !object.contents.isEmpty && owners.contains { $0 === root }
  }

  /// Returns whether the deletion may have changed rows of an entity, or rows that the entity's
  /// rows depend on.
  ///
  /// - Parameters:
  ///   - hasObjects: Whether the rows' objects are in use. Objects in use are compared with the store separately.
  ///   - chains: The relationships that the rows depend on.
  func concern(
    _ layout: EntityLayout, hasObjects: Bool, _ chains: [RelationshipDependency]
  ) -> Bool {
    if !hasObjects, referrers.contains(where: { $0 === layout.root }) { return true }
    return chains.contains { chain in (gone + referrers).contains { $0 === chain.end.root } }
  }
}
