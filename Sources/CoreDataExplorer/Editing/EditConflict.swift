import CoreData
import Foundation
import StoreInspection

/// An object that somebody else changed, too: per property what was known, what is wanted here, what they saved.
struct EditConflict: Encodable {
  struct Key: Encodable {
    let key: String
    let cached: Cell
    let mine: Cell
    let theirs: Cell
  }

  let entity: String
  let id: String
  let label: String
  let keys: [Key]
  /// Whether they deleted it: its changes here have no row any more.
  let deleted: Bool

  init(_ object: NSManagedObject, keys: [Key], deleted: Bool) {
    entity = object.entity.name ?? ""
    id = RowName.text(object.objectID.primaryKey)
    label = deleted ? "\(object.entity.name ?? "") \(id)" : RowLabel.text(of: object)
    self.keys = keys
    self.deleted = deleted
  }

  /// What the store found when it was to save.
  init(_ conflict: NSMergeConflict) {
    let object = conflict.sourceObject
    let mine = conflict.objectSnapshot ?? [:]
    let cached = conflict.cachedSnapshot ?? [:]
    let theirs = conflict.persistedSnapshot ?? [:]
    let changed = Set(object.changedValues().keys)
    let keys = changed.sorted().map { key in
      let property = object.entity.propertiesByName[key]
      return Key(
        key: key, cached: Cell(cached[key], of: property), mine: Cell(mine[key], of: property),
        theirs: Cell(theirs[key], of: property))
    }
    self.init(object, keys: keys, deleted: conflict.newVersionNumber == 0)
  }
}
