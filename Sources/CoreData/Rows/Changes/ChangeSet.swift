import Foundation

/// Everything one save writes to one store, in the store's own terms.
struct ChangeSet {
  /// A new row.
  struct NewRow {
    let layout: EntityLayout
    let key: Int64
    private let source: Source

    private enum Source {
      case values([StoredValue])
      case object(NSManagedObject, ChangeSetBuilder)
    }

    /// The row of an object that is being saved. Its values are taken from the object when they are
    /// written: those of all rows of a big save would take as much memory as the objects.
    init(of object: NSManagedObject, key: Int64, _ builder: ChangeSetBuilder) throws {
      layout = object.layout
      self.key = key
      try object.readRow()
      // Derived values follow from the whole row.
      source =
        layout.derivations.ofRow.isEmpty
        ? .object(object, builder) : .values(try builder.values(of: object))
    }

    init(_ layout: EntityLayout, key: Int64, _ given: [(slot: Int, value: StoredValue)]) {
      var values = [StoredValue](repeating: .null, count: layout.slots.count)
      for (slot, value) in given { values[slot] = value }
      self.layout = layout
      self.key = key
      source = .values(values)
    }

    /// What is written for a slot; null where nothing is stored.
    func value(_ slot: Int) throws -> StoredValue {
      switch source {
      case .values(let values): values[slot]
      case .object(let object, let builder): try builder.value(slot, of: object)
      }
    }

    /// Gives what is written for slots, one after the other.
    @inline(__always)
    func forEachValue(of slots: [Int], _ body: (StoredValue) throws -> Void) throws {
      switch source {
      case .values(let values):
        for slot in slots { try body(values[slot]) }
      case .object(let object, let builder):
        for slot in slots { try body(try builder.value(slot, of: object)) }
      }
    }

    /// The row as one whose values are all written.
    func whole() throws -> Row {
      Row(
        layout: layout, key: key, version: 0,
        values: try layout.rowSlots.map { (slot: $0, value: try value($0)) })
    }
  }

  /// New values of a row.
  struct Row {
    let layout: EntityLayout
    let key: Int64
    /// The version that the row must still have; 0 for a row that is not there yet.
    let version: Int32
    /// Slot numbers with the values to write.
    let values: [(slot: Int, value: StoredValue)]
    /// Whether the row is gone and comes back, with all values and the next version.
    var isRestored = false
  }

  /// A row to remove, or to look at.
  struct Deletion {
    let layout: EntityLayout
    let key: Int64
    let version: Int32
    /// Files of externally stored values that go with the row are found by the store.
  }

  /// What changed in a to-many relationship that rows of the destination do not say: membership
  /// where the inverse is to-many or missing, and order.
  struct Link {
    let layout: EntityLayout
    let slot: Int
    let key: Int64
    let added: [Int64]
    let removed: [Int64]
    /// The members in their order, for an ordered relationship; nil when order is not kept.
    let order: [Int64]?
  }

  var inserted: [NewRow] = []
  var updated: [Row] = []
  var deleted: [Deletion] = []
  /// Rows that must have the version that they were read with, though they are not written.
  var checked: [Deletion] = []
  /// Rows that must be there, whatever their version: nothing of them is written but links.
  var linked: [Deletion] = []
  var links: [Link] = []
  /// The other rows that the store computed values of because of these; set when it has written them.
  var computed: [ComputedRow] = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty }
}

/// A row that another save changed or removed since it was read.
struct RowConflict {
  let layout: EntityLayout
  let key: Int64
  /// The version this save expected.
  let expectedVersion: Int32
  /// The version in the store; 0 when the row is gone.
  let storedVersion: Int32
}

/// A row of a change set that would have the unique values of another row.
struct ConstraintViolation {
  let layout: EntityLayout
  let key: Int64
  /// The slots that are unique together.
  let constraint: [Int]
  /// The other row, which the store has or the same change set writes.
  let existingLayout: EntityLayout
  let existingKey: Int64

  /// The names of the properties that are unique together.
  var names: [String] { constraint.map { layout.slots[$0].name } }
}

/// What a store answers to a change set.
enum SaveOutcome {
  /// Written; the new version of each inserted and updated row, in the change set's order, and the
  /// number of the transaction in the store's history, where it has one.
  case saved(insertedVersions: [Int32], updatedVersions: [Int32], transaction: Int64? = nil)
  /// Nothing was written, because rows have other versions; whether somebody else than this store's
  /// coordinator ever changed the store since it was opened.
  case conflicts([RowConflict], isElsewhere: Bool)
  /// Nothing was written, because rows would have the same unique values.
  case violations([ConstraintViolation])

  /// Throws for what was not written, where nobody can be asked what to do.
  func requireSaved() throws {
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
