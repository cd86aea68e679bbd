import CoreData
import Foundation
import StoreInspection

/// What objects held when somebody began to change them.
///
/// The context takes what others save at once and keeps its own changes over it, so that a save finds nothing
/// amiss: whoever edits a value for a minute would not learn that it was changed meanwhile.
struct EditBases {
  private var values: [NSManagedObjectID: [String: Any]] = [:]

  /// Notes what the store holds for a property before it is changed; while it is changed, what it held then counts.
  mutating func note(_ object: NSManagedObject, _ key: String) {
    // Members of others are theirs to have changed; and there may be a million.
    guard !object.isInserted, object.entity.relationshipsByName[key]?.isToMany != true else {
      return
    }
    if values[object.objectID]?[key] != nil, object.changedValues()[key] != nil { return }
    values[object.objectID, default: [:]][key] = Self.committed(object, key)
  }

  mutating func forget() { values = [:] }

  /// The changed objects whose rows are not there any more.
  func gone(in context: NSManagedObjectContext) -> [PendingChanges.Change] {
    values.sorted { $0.key.primaryKey < $1.key.primaryKey }.compactMap { id, known in
      // What is changed is held by the context.
      guard context.registeredObject(for: id) == nil,
        (try? context.existingObject(with: id)) == nil
      else { return nil }
      let properties = id.entity.propertiesByName
      let keys = known.sorted { $0.key < $1.key }.map { key, value in
        PendingChanges.Key(
          key: key, old: Cell(value, of: properties[key]), new: Cell(value: .null))
      }
      let name = RowName.text(id.primaryKey)
      return PendingChanges.Change(
        entity: id.entityName, id: name, label: "\(id.entityName) \(name)", kind: "gone", keys: keys
      )
    }
  }

  /// The objects whose changes here meet other values than when they were begun.
  func conflicts(in context: NSManagedObjectContext) -> [EditConflict] {
    values.sorted { $0.key.primaryKey < $1.key.primaryKey }.compactMap { id, known in
      let object = context.registeredObject(for: id) ?? context.object(with: id)
      // An object that was deleted here is gone by will; those that others deleted are let go of at once.
      if context.deletedObjects.contains(object) { return nil }
      guard (try? context.existingObject(with: id)) != nil else {
        return EditConflict(object, keys: [], deleted: true)
      }
      let changed = object.changedValues()
      let keys = known.keys.filter { changed[$0] != nil }.sorted().compactMap { key in
        Self.conflict(of: object, key, known[key] ?? NSNull(), changed[key] ?? NSNull())
      }
      return keys.isEmpty ? nil : EditConflict(object, keys: keys, deleted: false)
    }
  }

  /// Gives up what is wanted here where it meets other values.
  func takeTheirs(in context: NSManagedObjectContext) throws {
    for (id, known) in values {
      guard let object = try? context.existingObject(with: id) else { continue }
      let changed = object.changedValues()
      for key in known.keys where changed[key] != nil {
        let mine = changed[key] ?? NSNull()
        guard Self.conflict(of: object, key, known[key] ?? NSNull(), mine) != nil else { continue }
        let theirs = Self.committed(object, key)
        try object.setValidatedValue(theirs is NSNull ? nil : theirs, forKey: key)
      }
    }
  }

  private static func conflict(
    of object: NSManagedObject, _ key: String, _ cached: Any, _ mine: Any
  ) -> EditConflict.Key? {
    let theirs = committed(object, key)
    guard !areEqual(theirs, cached), !areEqual(theirs, mine) else { return nil }
    let property = object.entity.propertiesByName[key]
    return EditConflict.Key(
      key: key, cached: Cell(cached, of: property), mine: Cell(mine, of: property),
      theirs: Cell(theirs, of: property))
  }

  private static func committed(_ object: NSManagedObject, _ key: String) -> Any {
    object.committedValues(forKeys: [key])[key] ?? NSNull()
  }

  private static func areEqual(_ one: Any, _ other: Any) -> Bool {
    // What has no equality is taken to differ.
    guard let one = one as? AnyHashable, let other = other as? AnyHashable else { return false }
    return one == other
  }
}
