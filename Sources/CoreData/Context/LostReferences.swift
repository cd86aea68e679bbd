/// What a deletion leaves unsaid that names the deleted rows alone, as the result of a batch request does: which
/// rows referred to them.
struct LostReferences {
  /// The roots of the entities whose rows are gone. Who led to them is not known.
  private let gone: [EntityLayout]
  /// The roots of the entities whose rows referred to them, and do no longer.
  private let referrers: [EntityLayout]
  /// The roots of the entities whose objects had them as members, and do no longer.
  private let owners: [EntityLayout]

  /// - Parameter ids: of the deleted rows.
  init(to ids: [NSManagedObjectID]) {
    var layouts: [EntityLayout] = []
    for id in ids where !layouts.contains(where: { $0 === id.layout }) { layouts.append(id.layout) }
    var (referrers, owners): ([EntityLayout], [EntityLayout]) = ([], [])
    for slot in layouts.flatMap(\.slots) {
      guard let relationship = slot.relationship else { continue }
      let inverse = relationship.inverse.map { relationship.destination.slots[$0].kind }
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

  /// Whether an object in use may have referred to one of them, or had it as a member.
  func mayBeOf(_ object: NSManagedObject) -> Bool {
    let root = object.layout.root
    return referrers.contains { $0 === root }
      || !object.contents.isEmpty && owners.contains { $0 === root }
  }

  /// Whether rows of an entity may be others.
  ///
  /// - Parameters:
  ///   - hasObjects: whether the rows' objects are in use: these are compared with the store.
  ///   - chains: what else they depend on.
  func concern(
    _ layout: EntityLayout, hasObjects: Bool, _ chains: [RelationshipDependency]
  ) -> Bool {
    if !hasObjects, referrers.contains(where: { $0 === layout.root }) { return true }
    return chains.contains { chain in (gone + referrers).contains { $0 === chain.end.root } }
  }
}
