/// Objects that have the same values where the model says that they are unique.
///
/// Either several objects of one save have them: `conflictingObjects` are these, at least two, and
/// `databaseObject` is nil. Or one object of the save has the values of a row that the save does not
/// change: `databaseObject` is the object of that row.
///
/// Compared to Apple's Core Data: the snapshot of an object that has no original values is an empty
/// dictionary, because a Swift array of dictionaries cannot hold `NSNull`.
nonisolated open class NSConstraintConflict: NSObject {
  /// The names of the properties that are unique together.
  public let constraint: [String]
  /// The values that the conflicting objects had when the conflict was found, by name.
  public let constraintValues: [String: Any]
  /// The object whose row in the store has the values; nil when objects of one save have them.
  public let databaseObject: NSManagedObject?
  /// The row of `databaseObject`: attributes and IDs of to-one destinations by name.
  public let databaseSnapshot: [String: Any]?
  /// The objects of the save that have the values.
  public let conflictingObjects: [NSManagedObject]
  /// The values that the conflicting objects were read with, in their order; empty for new ones.
  public let conflictingSnapshots: [[AnyHashable: Any]]

  /// Describes a conflict; the values are those of the first conflicting object.
  public init(
    constraint: [String], database databaseObject: NSManagedObject?,
    databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
    conflictingSnapshots: [Any]
  ) {
    self.constraint = constraint
    self.databaseObject = databaseObject
    self.databaseSnapshot = databaseSnapshot.map { snapshot in
      var values: [String: Any] = [:]
      for (key, value) in snapshot { if let name = key.base as? String { values[name] = value } }
      return values
    }
    self.conflictingObjects = conflictingObjects
    self.conflictingSnapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
    constraintValues = conflictingObjects.first?.values(ofConstraint: constraint) ?? [:]
    super.init()
  }

  /// A conflict of nothing, as tests of errors have it.
  public override convenience init() {
    self.init(
      constraint: [], database: nil, databaseSnapshot: nil, conflicting: [],
      conflictingSnapshots: [])
  }

  /// - Parameter present: the row of the database object.
  init(
    _ constraint: [String], _ objects: [NSManagedObject], database: NSManagedObject? = nil,
    present: RowSnapshot = .none
  ) {
    self.constraint = constraint
    databaseObject = database
    databaseSnapshot = database.flatMap { present.values(in: $0.layout, origin: $0.origin) }
    conflictingObjects = objects
    conflictingSnapshots = objects.map {
      $0.snapshot.values(in: $0.layout, origin: $0.origin) ?? [:]
    }
    constraintValues = objects.first?.values(ofConstraint: constraint) ?? [:]
    super.init()
  }

  /// The objects and the values, in short.
  var summary: String {
    let objects = conflictingObjects + [databaseObject].compactMap { $0 }
    let names = objects.map { $0.objectID.uriRepresentation().absoluteString }
    return "\(conflictingObjects.first?.layout.name ?? "") \(SnapshotText.text(constraintValues)):"
      + " \(names.joined(separator: ", "))"
  }

  open override var description: String {
    let database = databaseObject?.objectID.uriRepresentation().absoluteString ?? "(null)"
    let objects = conflictingObjects.map { $0.objectID.uriRepresentation().absoluteString }
    return "NSConstraintConflict for constraint (\(constraint.joined(separator: ", "))) with values"
      + " \(SnapshotText.text(constraintValues)): database: \(database), conflictedObjects:"
      + " (\(objects.joined(separator: ", ")))"
  }
}

extension NSManagedObject {
  /// The present values of some properties, IDs for destinations, `NSNull` for none.
  func values(ofConstraint names: [String]) -> [String: Any] {
    var values: [String: Any] = [:]
    for name in names {
      let value = layout.slotNumbers[name].flatMap { externalValue($0) }
      values[name] = (value as? NSManagedObject)?.objectID ?? value ?? NSNull()
    }
    return values
  }
}
