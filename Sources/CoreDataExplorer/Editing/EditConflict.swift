import CoreData
import StoreInspection

/// An object that both the user and another process changed, or that one of them changed and the other deleted. If the
/// other process did not delete it: for each property in conflict, the value before both changes, the user's value, and
/// the value of the other process.
struct EditConflict: Encodable {
  enum Kind: String, Encodable {
    /// The user and another process changed the same properties.
    case changed
    /// The user changed the object, and another process deleted it, so there is no row to save the changes to.
    case deletedThere
    /// The user deleted the object, and another process changed it.
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

/// The conflicts that a page shows, so that the user can decide what to do.
struct EditConflicts: Encodable {
  let conflicts: [EditConflict]
  /// A hash of the conflicts: a decision applies to these conflicts only, not to later saves of other processes.
  let state: String

  init(_ conflicts: [EditConflict]) {
    self.conflicts = conflicts
    // Hash the whole values, because pages show only the beginnings of long values.
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
