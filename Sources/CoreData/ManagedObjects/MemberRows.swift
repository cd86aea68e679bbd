/// The members of a to-many relationship as rows that were read ahead, without objects.
///
/// Their values are those at the time of reading. Before the context adopts newer values, in a
/// save, merge or refresh, it makes the objects (`makeMembersReadAhead`).
///
/// They stay rows until the program follows the relationship, so prefetching makes no unnecessary
/// objects. Rows suffice to count the members and to skip another prefetch. Any other read of the
/// relationship makes the objects.
struct MemberRows {
  /// The entity hierarchy of the members, which has one table.
  let root: EntityLayout
  let origin: StoreOrigin
  private(set) var parts: [(batch: RowBatch, rows: Range<Int>)] = []
  private(set) var count = 0

  mutating func append(_ rows: Range<Int>, of batch: RowBatch) {
    parts.append((batch, rows))
    count += rows.count
  }
}

extension NSManagedObjectContext {
  /// Makes the objects of rows that were read ahead. Objects that are already in use keep their values, which may be
  /// newer.
  func objects(of members: MemberRows) -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(members.count)
    for part in members.parts {
      appendObjects(
        of: part.batch, rows: part.rows, members.root, members.origin, isNew: false, to: &objects)
    }
    return objects
  }

  /// Returns whether at least one of the members has an object in use.
  func hasObjects(of members: MemberRows) -> Bool {
    members.parts.contains {
      registry.objects(of: $0.batch, $0.rows, members.root, members.origin) != nil
    }
  }

  /// Makes the objects of all members read ahead. Call it before the context adopts changes of the store.
  func makeMembersReadAhead() {
    if reading.membersReadAhead.isEmpty { return }
    for content in reading.drainMembersReadAhead() { content.makeMembers(in: self) }
  }
}

/// The relationships whose members were read ahead, held weakly. Sweeps remove those that were
/// deallocated or have objects now.
struct PrefetchedMembers {
  private var contents: [Entry] = []
  private var sweepAt = 64

  private struct Entry {
    weak var content: ToManyContent?
  }

  var isEmpty: Bool { contents.isEmpty }

  mutating func insert(_ content: ToManyContent) {
    if contents.count >= sweepAt {
      contents.removeAll { $0.content?.isReadAhead != true }
      // Because the limit doubles, the amortized cost of the sweeps is constant for each insertion.
      sweepAt = max(64, contents.count * 2)
    }
    contents.append(Entry(content: content))
  }

  /// Removes all relationships, and returns those still in use.
  mutating func drain() -> [ToManyContent] {
    defer { contents = [] }
    return contents.compactMap(\.content)
  }

  /// Returns a description of an error in the list, or nil. Changes nothing.
  func checkInvariants() -> String? {
    contents.count > sweepAt
      ? "\(contents.count) relationships read ahead are kept without a sweep, which was due at \(sweepAt)"
      : nil
  }
}
