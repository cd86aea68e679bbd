/// A conflict of objects with equal values for a uniqueness constraint.
///
/// If several objects of one save have the values, `conflictingObjects` contains them, at least
/// two, and `databaseObject` is nil. If one object of the save has the values of a row that the
/// save does not change, `databaseObject` is the object of that row.
///
/// Compared to Apple's Core Data: the snapshot of an object without original values is an empty
/// dictionary, because a Swift array of dictionaries cannot contain `NSNull`.
///
/// ```swift
/// func describe(_ error: NSError) {
///   let conflicts =
///     error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
///   for conflict in conflicts ?? [] { print(conflict.constraint, conflict.constraintValues) }
/// }
/// ```
nonisolated open class NSConstraintConflict: NSObject {
  /// The names of the properties of the constraint.
  public let constraint: [String]
  /// The values of the conflicting objects when the conflict was found, by name. For a derived attribute, this is the
  /// value that the save computed.
  public let constraintValues: [String: Any]
  /// The object whose row has the values; nil if several objects of the save have them.
  ///
  /// ```swift
  /// final class KeepExisting: NSMergePolicy, @unchecked Sendable {
  ///   override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
  ///     for conflict in list where conflict.databaseObject != nil {
  ///       for object in conflict.conflictingObjects { object.managedObjectContext?.delete(object) }
  ///     }
  ///   }
  /// }
  /// ```
  public let databaseObject: NSManagedObject?
  /// The row of `databaseObject`: attributes and IDs of to-one destinations, by name; nil if there is no such object or
  /// row.
  public let databaseSnapshot: [String: Any]?
  /// The objects of the save that have the values.
  public let conflictingObjects: [NSManagedObject]
  /// The values that the conflicting objects were read with, in the same order; an empty dictionary for a new object.
  public let conflictingSnapshots: [[AnyHashable: Any]]

  /// Creates a conflict with the current values of the first conflicting object.
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

  /// Creates a conflict without objects, for tests.
  public override convenience init() {
    self.init(
      constraint: [], database: nil, databaseSnapshot: nil, conflicting: [],
      conflictingSnapshots: [])
  }

  /// - Parameter present: The row of the database object.
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

  /// A short text with the objects and the values.
  var summary: String {
    let objects = conflictingObjects + [databaseObject].compactMap { $0 }
    let names = objects.map { $0.ownID.uriRepresentation().absoluteString }
    return "\(conflictingObjects.first?.layout.name ?? "") \(SnapshotText.text(constraintValues)):"
      + " \(names.joined(separator: ", "))"
  }

  open override var description: String {
    let database = databaseObject?.ownID.uriRepresentation().absoluteString ?? "(null)"
    let objects = conflictingObjects.map { $0.ownID.uriRepresentation().absoluteString }
    return "NSConstraintConflict for constraint (\(constraint.joined(separator: ", "))) with values"
      + " \(SnapshotText.text(constraintValues)): database: \(database), conflictedObjects:"
      + " (\(objects.joined(separator: ", ")))"
  }
}
