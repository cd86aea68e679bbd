import CoreData
import StoreInspection

/// A reason why a save fails: a value that violates the model's validation rules or a uniqueness constraint, or an
/// object that cannot be deleted.
struct EditProblem: Encodable, Equatable {
  let entity: String
  let id: String
  let key: String?
  let message: String

  init(_ object: NSManagedObject, key: String?, _ error: any Error) {
    entity = object.entity.name ?? ""
    id = ObjectReference.text(ofKey: object.objectID.primaryKey)
    self.key = key
    message = error.localizedDescription.withoutFullStop
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
          EditProblem(object, key: conflict.constraint.first, error)
        }
      }
    }
    guard let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject else {
      return []
    }
    return [EditProblem(object, key: error.userInfo[NSValidationKeyErrorKey] as? String, error)]
  }
}
