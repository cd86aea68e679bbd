import CoreData
import StoreInspection

/// An object that somebody else changed, too: per property what was known, what is wanted here, what they saved.
struct EditConflict: Encodable {
  enum Kind: String, Encodable {
    /// Both changed the same properties.
    case changed
    /// It was changed here, and they deleted it: its changes have no row any more.
    case deletedThere
    /// It was deleted here, and they changed it.
    case deletedHere
  }

  struct Key: Encodable, Equatable {
    let key: String
    let cached: Cell
    let mine: Cell
    let theirs: Cell
  }

  let object: NSManagedObject
  let entity: String
  let id: String
  let label: String
  let keys: [Key]
  let kind: Kind

  private enum CodingKeys: CodingKey { case entity, id, label, keys, kind }

  init(_ object: NSManagedObject, keys: [Key], kind: Kind) {
    self.object = object
    entity = object.entity.name ?? ""
    id = ObjectReference.text(ofKey: object.objectID.primaryKey)
    label =
      kind == .deletedThere ? "\(object.entity.name ?? "") \(id)" : RowLabel.text(of: object)
    self.keys = keys
    self.kind = kind
  }
}

/// Conflicts as somebody is told of them, who says afterwards what is to be done.
struct EditConflicts: Encodable {
  let conflicts: [EditConflict]
  /// Names what is told: a decision is about that, and about nothing that others saved since.
  let state: String

  init(_ conflicts: [EditConflict]) {
    self.conflicts = conflicts
    // Whole values, of which pages show the beginning.
    var hasher = Hasher()
    for conflict in conflicts {
      hasher.combine(conflict.object.objectID)
      hasher.combine(conflict.kind)
      for key in conflict.keys {
        hasher.combine(key.key)
        for cell in [key.mine, key.theirs] { Self.combine(cell, into: &hasher) }
      }
    }
    state = String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 36)
  }

  private static func combine(_ cell: Cell, into hasher: inout Hasher) {
    if case .data(let data) = cell.value { return hasher.combine(data) }
    hasher.combine(String(describing: cell.value))
  }
}
