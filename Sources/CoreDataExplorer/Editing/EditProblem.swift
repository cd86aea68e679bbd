import CoreData
import StoreInspection

/// A reason why a save fails: a value that violates the model's validation rules or a uniqueness constraint, or an
/// object that cannot be deleted.
struct EditProblem: Encodable {
  let object: NSManagedObject
  let entity: String
  let id: String
  let key: String?
  let message: String
  /// The properties of the violated uniqueness constraint; empty for other problems.
  let constraint: [String]

  private enum CodingKeys: CodingKey { case entity, id, key, message }

  init(
    _ object: NSManagedObject, key: String?, _ error: any Error, constraint: [String] = []
  ) {
    self.object = object
    entity = object.entity.name ?? ""
    id = ObjectReference.text(ofKey: object.objectID.primaryKey)
    self.key = key
    message = error.localizedDescription.withoutFullStop
    self.constraint = constraint
  }

  /// Returns the problems in a save's error: violations of validation rules and of uniqueness constraints. Empty for
  /// other errors.
  static func problems(of error: NSError) -> [EditProblem] {
    if error.code == NSValidationMultipleErrorsError {
      return (error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []).flatMap(problems)
    }
    if let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
      as? [NSConstraintConflict]
    {
      return conflicts.flatMap { conflict in
        conflict.conflictingObjects.map { object in
          EditProblem(
            object, key: conflict.constraint.first, error, constraint: conflict.constraint)
        }
      }
    }
    guard let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject else {
      return []
    }
    return [EditProblem(object, key: error.userInfo[NSValidationKeyErrorKey] as? String, error)]
  }

  /// Returns the problems that would make a save of an object's changes fail, except for violated uniqueness
  /// constraints, which only a save detects.
  static func brokenRules(of object: NSManagedObject) -> [EditProblem] {
    guard object.managedObjectContext != nil else { return [] }
    do {
      if object.isDeleted {
        try object.validateForDelete()
      } else if object.isInserted {
        try object.validateForInsert()
      } else if !object.changedValues().isEmpty {
        try object.validateForUpdate()
      }
      return []
    } catch {
      return problems(of: error as NSError)
    }
  }
}
