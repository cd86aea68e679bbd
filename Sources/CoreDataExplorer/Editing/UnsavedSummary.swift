import CoreData
import StoreInspection

/// What is changed and not saved.
struct UnsavedSummary: Encodable {
  /// More objects than these are only counted.
  private static let listed = 200

  struct Key: Encodable {
    let key: String
    let old: Cell
    let new: Cell
  }

  struct Change: Encodable {
    let entity: String
    let id: String
    let label: String
    /// `inserted`, `updated`, `deleted` or `gone`.
    let kind: String
    let keys: [Key]
  }

  let inserted: Int
  let updated: Int
  let deleted: Int
  /// Objects that were changed here and that others deleted: somebody has to decide.
  let gone: Int
  let canUndo: Bool
  let canRedo: Bool
  let undoName: String?
  let changes: [Change]
  /// How many more rows entities have than the store, those of subentities with them; less than nothing where more
  /// were deleted. Entities with as many are left out.
  let added: [String: Int]

  /// To be made on the context's queue.
  ///
  /// - Parameter bases: what objects held when they were changed first.
  init(of context: NSManagedObjectContext, _ bases: EditBases) {
    let lost = bases.changesOfDeletedObjects(in: context)
    let updatedObjects = context.updatedObjects.filter { !$0.changedValues().isEmpty }
    inserted = context.insertedObjects.count
    updated = updatedObjects.count
    deleted = context.deletedObjects.count
    gone = lost.count
    canUndo = context.undoManager?.canUndo ?? false
    canRedo = context.undoManager?.canRedo ?? false
    undoName = context.undoManager.flatMap { $0.undoActionName.isEmpty ? nil : $0.undoActionName }
    let kinds = [
      ("inserted", context.insertedObjects), ("updated", updatedObjects),
      ("deleted", context.deletedObjects),
    ]
    var listed = lost
    for (kind, objects) in kinds where listed.count < Self.listed {
      let newest = objects.map { (key: $0.objectID.primaryKey, object: $0) }
        .sorted { $0.key > $1.key }
      listed += newest.prefix(Self.listed - listed.count).map { Change($0.object, kind) }
    }
    changes = Array(listed.prefix(Self.listed))
    added = Self.added(context.insertedObjects, 1)
      .merging(Self.added(context.deletedObjects, -1), uniquingKeysWith: +).filter { $0.value != 0 }
  }

  private static func added(_ objects: Set<NSManagedObject>, _ each: Int) -> [String: Int] {
    var counts: [String: Int] = [:]
    for objects in Dictionary(grouping: objects, by: { ObjectIdentifier($0.entity) }).values {
      for entity in objects[0].entity.lineage {
        counts[entity.name ?? "", default: 0] += each * objects.count
      }
    }
    return counts
  }
}

extension UnsavedSummary.Change {
  init(_ object: NSManagedObject, _ kind: String) {
    entity = object.entity.name ?? ""
    id = ObjectReference.text(ofKey: object.objectID.primaryKey)
    label = RowLabel.text(of: object)
    self.kind = kind
    guard kind == "updated" else {
      keys = []
      return
    }
    let new = object.changedValues()
    let old = object.committedValues(forKeys: Array(new.keys))
    keys = new.keys.sorted().map { key in
      let property = object.entity.propertiesByName[key]
      return UnsavedSummary.Key(
        key: key, old: Cell(old[key], of: property), new: Cell(new[key], of: property))
    }
  }
}

extension Cell {
  /// A property's value as objects and snapshots have it.
  init(_ value: Any?, of property: NSPropertyDescription?) {
    switch (value, property) {
    case (nil, _), (is NSNull, _): self.init(value: .null)
    case (let value?, let attribute as NSAttributeDescription):
      self.init(value: CellValue(value, attribute.attributeType))
    case (let object as NSManagedObject, _):
      self.init(value: .row(object.objectID), label: RowLabel.text(of: object))
    case (let id as NSManagedObjectID, _): self.init(value: .row(id))
    case (let members?, let relationship as NSRelationshipDescription):
      let count =
        (members as? NSOrderedSet)?.count ?? (members as? NSSet)?.count
        ?? (members as? any Collection)?.count ?? 0
      self.init(
        value: .objects(entity: relationship.destinationEntity?.name ?? "", count: count))
    case (let value?, _): self.init(value: .other(String(describing: value)))
    }
  }
}
