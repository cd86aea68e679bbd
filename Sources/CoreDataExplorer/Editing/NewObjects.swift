import CoreData
import StoreInspection

/// The names of objects that are not saved: live results give them IDs of rows before they are, and pages know them by
/// the names that they had first.
///
/// Belongs to the context's queue.
final class NewObjects {
  private var objects: [String: NSManagedObject] = [:]

  /// The name that an object was or is given.
  func name(of object: NSManagedObject) -> String {
    if let known = objects.first(where: { $0.value === object })?.key { return known }
    let name = ObjectReference.text(ofKey: object.objectID.primaryKey)
    objects[name] = object
    return name
  }

  func object(named name: String) -> NSManagedObject? { objects[name] }

  /// The names of rows in place of the first ones. Pages may go on asking by those for a while.
  func savedNames() -> [String: String] {
    objects.mapValues { ObjectReference.text(ofKey: $0.objectID.primaryKey) }
      .filter { $0.key != $0.value }
  }

  func forget() { objects = [:] }

  /// Forgets those that have rows by now.
  func forgetSaved() { objects = objects.filter { $0.value.isInserted } }
}

extension NSManagedObjectContext {
  private static let newObjectsKey = "explorer.newObjects"

  /// The names of the context's objects that are not saved.
  var newObjects: NewObjects {
    if let known = userInfo[Self.newObjectsKey] as? NewObjects { return known }
    let objects = NewObjects()
    userInfo[Self.newObjectsKey] = objects
    return objects
  }
}
