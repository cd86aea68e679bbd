/// Everything that one save writes to one store: copies of values, which later changes of the objects do not affect.
package struct ChangeSet {
  /// New values of a row.
  package struct Row {
    package let layout: EntityLayout
    package let key: Int64
    /// The expected version of the row; 0 for a new row.
    package let version: Int32
    /// The slot numbers and the values to write.
    package fileprivate(set) var values: [(slot: Int, value: StoredValue)]
    /// Whether the row was deleted and is inserted again, with all values and the next version.
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

  /// A row to delete or to check.
  package struct Deletion {
    package let layout: EntityLayout
    package let key: Int64
    package let version: Int32

    package init(layout: EntityLayout, key: Int64, version: Int32) {
      self.layout = layout
      self.key = key
      self.version = version
    }
  }

  /// A change of a to-many relationship that the ``Row``s of the members do not contain: their membership, if the
  /// inverse is to-many or missing, and their order.
  package struct Link {
    package let layout: EntityLayout
    package let slot: Int
    package fileprivate(set) var key: Int64
    package fileprivate(set) var added: [Int64]
    package let removed: [Int64]
    /// The ordered members of an ordered relationship; nil if the order is not stored.
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
  /// Rows that are not written but must have the version that they were read with.
  package var checked: [Deletion] = []
  /// Rows that must exist in any version, because the save writes their links but not the rows themselves.
  package var linked: [Deletion] = []
  package var links: [Link] = []
  /// Other rows whose derived attributes the store computed again because of these changes. Set by the store after it
  /// has written the changes.
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
      // Consecutive rows usually have the same root, and need no search.
      if last.root != layout.rootIndex {
        let known = requests.firstIndex { $0.root.index == layout.rootIndex }
        last = (layout.rootIndex, known ?? requests.count)
        if known == nil { requests.append(KeyRequest(root: layout.root, count: 0)) }
      }
      requests[last.place].count += 1
    }
    return requests
  }

  /// Records that a value of the last changed row is a reference to a new row, which has no key yet.
  package mutating func addPendingReference(value: Int, ofLastUpdated target: Int) {
    pendingReferences.append((updated.count - 1, value, target))
  }

  /// Records that a value of the last changed row is the time of the transaction.
  package mutating func setTime(value: Int) { times.append((updated.count - 1, value)) }

  /// Sets the recorded values to the time of the transaction. This happens while the store is locked for writing, so
  /// that later saves have later times.
  package mutating func setTimes(_ date: Date) {
    let time = StoredValue.double(date.timeIntervalSinceReferenceDate)
    inserted.setTimes(time)
    for (row, value) in times { updated[row].values[value].value = time }
  }

  /// Assigns keys to the new rows without a key, and updates all references to them.
  ///
  /// - Parameters:
  ///   - keys: The keys for each of ``keyRequests``, as many as it requests.
  ///   - origin: The store that contains the rows.
  package mutating func assignKeys(_ keys: [Range<Int64>], _ origin: StoreOrigin) {
    if keys.isEmpty { return }
    // This computes the same requests in the same order, because rows without a key still have none.
    var rest = Dictionary(uniqueKeysWithValues: zip(keyRequests.map(\.root.index), keys))
    // Consecutive rows usually have the same root, so its range is kept outside of the dictionary.
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
      // The keys are sorted, so placeholders, which are negative, come first.
      if links[link].added.first.map({ $0 < 0 }) == true {
        links[link].added = links[link].added.map(assigned).sorted()
      }
      links[link].order = links[link].order?.map(assigned)
    }
  }
}

/// A request for a number of new keys of a root entity.
package struct KeyRequest {
  package let root: EntityLayout
  package var count: Int

  package init(root: EntityLayout, count: Int) {
    self.root = root
    self.count = count
  }
}

/// A row that another save has changed or deleted since it was read.
package struct RowConflict {
  package let layout: EntityLayout
  package let key: Int64
  /// The version that this save expected.
  package let expectedVersion: Int32

  package init(layout: EntityLayout, key: Int64, expectedVersion: Int32) {
    self.layout = layout
    self.key = key
    self.expectedVersion = expectedVersion
  }
}

/// A row of a change set with the same unique values as another row.
package struct ConstraintViolation {
  package let layout: EntityLayout
  package let key: Int64
  /// The slots that are unique together.
  package let constraint: [Int]
  /// The other row, which is in the store or in the same change set.
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

/// The result of saving a change set.
package enum SaveOutcome {
  /// The change set was written. Contains the new version of each inserted and updated row, in the order of the
  /// change set, and the number of the transaction in the store's history, if it has one.
  case saved(insertedVersions: [Int32], updatedVersions: [Int32], transaction: Int64? = nil)
  /// Nothing was written, because rows do not have the expected versions. `isForeign` is whether another process or
  /// coordinator has ever changed the store since it was opened.
  case conflicts([RowConflict], isForeign: Bool)
  /// Nothing was written, because rows would have the same unique values.
  case violations([ConstraintViolation])

  /// Throws an error if nothing was written, for saves without a merge policy.
  package func requireSaved() throws {
    switch self {
    case .saved: break
    case .conflicts(let conflicts, _):
      throw CoreDataError.make(
        NSManagedObjectMergeError,
        "\(conflicts.count == 1 ? "a row" : "\(conflicts.count) rows") of"
          + " \(Set(conflicts.map(\.layout.name)).sorted().joined(separator: " and "))"
          + " \(conflicts.count == 1 ? "has" : "have") been changed by another save"
      )
    case .violations(let violations):
      let texts = violations.prefix(3).map { violation in
        let names = violation.constraint.map { violation.layout.slots[$0].name }
        return
          "\(violation.layout.name) \(violation.key) and \(violation.existingKey) have the same"
          + " \(names.joined(separator: ", "))"
      }
      throw CoreDataError.make(
        NSManagedObjectConstraintMergeError,
        "a uniqueness constraint is violated: \(texts.joined(separator: "; "))")
    }
  }
}
