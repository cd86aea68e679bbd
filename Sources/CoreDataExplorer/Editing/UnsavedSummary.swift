import CoreData
import StoreInspection

struct UnsavedSummary: Encodable {
  /// The maximum number of objects that are listed.
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
    /// `inserted`, `updated`, `deleted` or `deletedElsewhere`.
    let kind: String
    let keys: [Key]
  }

  let inserted: Int
  let updated: Int
  let deleted: Int
  /// The number of objects that the user changed and another process deleted. These changes cannot be saved.
  let deletedElsewhere: Int
  let canUndo: Bool
  let canRedo: Bool
  let undoName: String?
  let changes: [Change]
  /// The difference in the number of rows between the context and the store, by entity including subentities.
  /// Negative if more rows were deleted; entities without a difference are left out.
  let added: [String: Int]
  /// The problems that edits and saves found in the changes and that still exist.
  let problems: [EditProblem]

  /// Call it on the context's queue.
  ///
  /// - Parameter bases: The values that objects had before they were edited.
  init(of context: NSManagedObjectContext, _ bases: EditBases, _ problems: [EditProblem]) {
    self.problems = problems
    let lost = bases.changesOfDeletedObjects(in: context)
    // An object whose values were changed back is still in `updatedObjects`.
    let updatedObjects = context.updatedObjects.filter { !$0.changedValues().isEmpty }
    inserted = context.insertedObjects.count
    updated = updatedObjects.count
    deleted = context.deletedObjects.count
    deletedElsewhere = lost.count
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
  /// Makes a cell from a property's value in an object or a snapshot.
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
