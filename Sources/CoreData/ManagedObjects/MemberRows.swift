/// The members of a to-many relationship as rows that were read ahead, and of which no object was made.
///
/// They are of the time at which they were read, as objects made then would be: the context makes them
/// before it takes over anything newer, in a save, a merge or a refresh (`makeMembersReadAhead`).
///
/// They stay rows until the program follows the relationship, so that prefetching makes no objects in vain.
/// Rows are enough to count the members and to know that nothing has to be read; everything else treats the
/// relationship as unread.
struct MemberRows {
  /// The destination's table.
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
  /// Makes the objects of rows that were read ahead; those that are in use keep what they have, which may
  /// be newer.
  func objects(of members: MemberRows) -> [NSManagedObject] {
    var objects: [NSManagedObject] = []
    objects.reserveCapacity(members.count)
    for part in members.parts {
      appendObjects(
        of: part.batch, rows: part.rows, members.root, members.origin, isNew: false, to: &objects)
    }
    return objects
  }

  /// Whether the objects of some of the members are in use.
  func hasObjects(of members: MemberRows) -> Bool {
    members.parts.contains {
      registry.objects(of: $0.batch, $0.rows, members.root, members.origin) != nil
    }
  }

  /// Makes the members that were read ahead and that nobody asked for, before what the context knows of
  /// the store changes.
  func makeMembersReadAhead() {
    if reading.membersReadAhead.isEmpty { return }
    for content in reading.drainMembersReadAhead() { content.makeMembers(in: self) }
  }
}

/// The relationships of a context whose members were read ahead; those that are gone go from here some
/// time later.
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
      sweepAt = max(64, contents.count * 2)
    }
    contents.append(Entry(content: content))
  }

  /// Returns the relationships that are still in use, and empties the list.
  mutating func drain() -> [ToManyContent] {
    defer { contents = [] }
    return contents.compactMap(\.content)
  }
}
