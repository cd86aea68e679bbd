/// Everything one save writes to one store, in the store's own terms: values, which nothing changes while they are
/// written.
package struct ChangeSet {
  /// New values of a row.
  package struct Row {
    package let layout: EntityLayout
    package let key: Int64
    /// The version that the row must still have; 0 for a row that is not there yet.
    package let version: Int32
    /// Slot numbers with the values to write.
    package fileprivate(set) var values: [(slot: Int, value: StoredValue)]
    /// Whether the row is gone and comes back, with all values and the next version.
    package var isRestored = false

    package init(
      layout: EntityLayout, key: Int64, version: Int32, values: [(slot: Int, value: StoredValue)],
      isRestored: Bool = false
    ) {
      self.layout = layout
      self.key = key
      self.version = version
      self.values = values
      self.isRestored = isRestored
    }
  }

  /// A row to remove, or to look at.
  package struct Deletion {
    package let layout: EntityLayout
    package let key: Int64
    package let version: Int32

    package init(layout: EntityLayout, key: Int64, version: Int32) {
      self.layout = layout
      self.key = key
      self.version = version
    }
    /// Files of externally stored values that go with the row are found by the store.
  }

  /// What changed in a to-many relationship that rows of the destination do not say: membership
  /// where the inverse is to-many or missing, and order.
  package struct Link {
    package let layout: EntityLayout
    package let slot: Int
    package fileprivate(set) var key: Int64
    package fileprivate(set) var added: [Int64]
    package let removed: [Int64]
    /// The members in their order, for an ordered relationship; nil when order is not kept.
    package fileprivate(set) var order: [Int64]?

    package init(
      layout: EntityLayout, slot: Int, key: Int64, added: [Int64], removed: [Int64],
      order: [Int64]? = nil
    ) {
      self.layout = layout
      self.slot = slot
      self.key = key
      self.added = added
      self.removed = removed
      self.order = order
    }
  }

  package var inserted = NewRows()
  package var updated: [Row] = []
  package var deleted: [Deletion] = []
  /// Rows that must have the version that they were read with, though they are not written.
  package var checked: [Deletion] = []
  /// Rows that must be there, whatever their version: nothing of them is written but links.
  package var linked: [Deletion] = []
  package var links: [Link] = []
  /// The other rows that the store computed values of because of these; set when it has written them.
  package var computed: [ComputedRow] = []

  /// The values of changed rows that are references to new rows without a key.
  private var pendingReferences: [(row: Int, value: Int, target: Int)] = []
  /// The values of changed rows that are the time of the transaction.
  private var times: [(row: Int, value: Int)] = []

  package init() {}

  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty
  }

  /// The keys that the store has to allocate, by root entity.
  package var keyRequests: [KeyRequest] {
    var requests: [KeyRequest] = []
    var last = (root: -1, place: 0)
    for row in inserted.indices where inserted.key(row) < 0 {
      let layout = inserted.layout(row)
      if last.root != layout.rootIndex {
        let known = requests.firstIndex { $0.root.index == layout.rootIndex }
        last = (layout.rootIndex, known ?? requests.count)
        if known == nil { requests.append(KeyRequest(root: layout.root, count: 0)) }
      }
      requests[last.place].count += 1
    }
    return requests
  }

  /// Adds a value of the last changed row that is a reference to a new row, which has no key yet.
  package mutating func addPendingReference(value: Int, ofLastUpdated target: Int) {
    pendingReferences.append((updated.count - 1, value, target))
  }

  /// Has a value of the last changed row be the time of the transaction.
  package mutating func setTime(value: Int) { times.append((updated.count - 1, value)) }

  /// Sets the values that say when their row was written to the time of the transaction. The time is taken while
  /// the store is locked for writing, so that later saves have later times.
  package mutating func setTimes(_ date: Date) {
    let time = StoredValue.double(date.timeIntervalSinceReferenceDate)
    inserted.setTimes(time)
    for (row, value) in times { updated[row].values[value].value = time }
  }

  /// Assigns a key to each new row that has none, and puts it into everything that leads to it.
  ///
  /// - Parameters:
  ///   - keys: for each of ``keyRequests`` that many keys.
  ///   - origin: the store that the rows are of.
  package mutating func assignKeys(_ keys: [Range<Int64>], _ origin: StoreOrigin) {
    if keys.isEmpty { return }
    var rest = Dictionary(uniqueKeysWithValues: zip(keyRequests.map(\.root.index), keys))
    var last = (root: -1, keys: Int64(0)..<0)
    inserted.assignKeys(origin) { layout in
      if last.root != layout.rootIndex {
        rest[last.root] = last.keys
        last = (layout.rootIndex, rest[layout.rootIndex] ?? 0..<0)
      }
      guard let key = last.keys.popFirst() else {
        preconditionFailure("a store allocated fewer keys than it should")
      }
      return key
    }
    for (row, value, target) in pendingReferences {
      updated[row].values[value].value = .reference(
        NSManagedObjectID(
          layout: inserted.layout(target), key: inserted.key(target), origin: origin))
    }
    pendingReferences = []
    func assigned(_ key: Int64) -> Int64 {
      key < 0 ? inserted.key(NewRows.row(ofPlaceholder: key)) : key
    }
    for link in links.indices {
      links[link].key = assigned(links[link].key)
      if links[link].added.first.map({ $0 < 0 }) == true {
        links[link].added = links[link].added.map(assigned).sorted()
      }
      links[link].order = links[link].order?.map(assigned)
    }
  }
}

/// A request for new keys: how many, and for objects of which root entity.
package struct KeyRequest {
  package let root: EntityLayout
  package var count: Int

  package init(root: EntityLayout, count: Int) {
    self.root = root
    self.count = count
  }
}

/// A row that another save changed or removed since it was read.
package struct RowConflict {
  package let layout: EntityLayout
  package let key: Int64
  /// The version this save expected.
  package let expectedVersion: Int32

  package init(layout: EntityLayout, key: Int64, expectedVersion: Int32) {
    self.layout = layout
    self.key = key
    self.expectedVersion = expectedVersion
  }
}

/// A row of a change set that would have the unique values of another row.
package struct ConstraintViolation {
  package let layout: EntityLayout
  package let key: Int64
  /// The slots that are unique together.
  package let constraint: [Int]
  /// The other row, which the store has or the same change set writes.
  package let existingLayout: EntityLayout
  package let existingKey: Int64

  package init(
    layout: EntityLayout, key: Int64, constraint: [Int], existingLayout: EntityLayout,
    existingKey: Int64
  ) {
    self.layout = layout
    self.key = key
    self.constraint = constraint
    self.existingLayout = existingLayout
    self.existingKey = existingKey
  }

  /// The names of the properties that are unique together.
  package var names: [String] { constraint.map { layout.slots[$0].name } }
}

/// What a store answers to a change set.
package enum SaveOutcome {
  /// Written; the new version of each inserted and updated row, in the change set's order, and the
  /// number of the transaction in the store's history, where it has one.
  case saved(insertedVersions: [Int32], updatedVersions: [Int32], transaction: Int64? = nil)
  /// Nothing was written, because rows have other versions; whether somebody else than this store's
  /// coordinator ever changed the store since it was opened.
  case conflicts([RowConflict], isElsewhere: Bool)
  /// Nothing was written, because rows would have the same unique values.
  case violations([ConstraintViolation])

  /// Throws for what was not written, where nobody can be asked what to do.
  package func requireSaved() throws {
    switch self {
    case .saved: break
    case .conflicts(let conflicts, _):
      throw CoreDataError.make(
        NSManagedObjectMergeError,
        "\(conflicts.count) rows of \(conflicts.first?.layout.name ?? "") were changed meanwhile")
    case .violations(let violations):
      let texts = violations.prefix(3).map { violation in
        let names = violation.constraint.map { violation.layout.slots[$0].name }
        return
          "\(violation.layout.name) \(violation.key) and \(violation.existingKey) have the same"
          + " \(names.joined(separator: ", "))"
      }
      throw CoreDataError.make(
        NSManagedObjectConstraintMergeError,
        "a uniqueness constraint is broken: \(texts.joined(separator: "; "))")
    }
  }
}
