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
    // Which snapshots there are says who changed the row; see NSMergeConflict.
    let isElsewhere = conflict.objectSnapshot == nil
    let known = (isElsewhere ? conflict.cachedSnapshot : conflict.objectSnapshot) ?? [:]
    let theirs = isElsewhere ? conflict.persistedSnapshot : conflict.cachedSnapshot
    let mine = object.changedValues()
    let keys = mine.keys.sorted().map { key in
      let property = object.entity.propertiesByName[key]
      return Key(
        key: key, cached: Cell(known[key], of: property), mine: Cell(mine[key], of: property),
        theirs: Cell(theirs?[key], of: property))
    }
    self.init(object, keys: keys, deleted: theirs == nil)
  }
}
