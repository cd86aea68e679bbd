import CoreData
import StoreInspection

/// The names of unsaved objects. Live results assign permanent IDs before the objects are saved, but pages continue
/// to use the names that they received first.
///
/// Use it on the context's queue.
final class NewObjects {
  private var objects: [String: NSManagedObject] = [:]

  /// Returns the name of an object, and assigns one if it has none.
  func name(of object: NSManagedObject) -> String {
    if let known = objects.first(where: { $0.value === object })?.key { return known }
    let name = ObjectReference.text(ofKey: object.objectID.primaryKey)
    objects[name] = object
    return name
  }

  func object(named name: String) -> NSManagedObject? { objects[name] }

  /// Returns the names of saved rows by the names that their objects had when they were unsaved. Pages may use the old
  /// names for a while longer.
  func savedNames() -> [String: String] {
    objects.mapValues { ObjectReference.text(ofKey: $0.objectID.primaryKey) }
      .filter { $0.key != $0.value }
  }

  func forget() { objects = [:] }

  /// Forgets objects that now have rows.
  func forgetSaved() { objects = objects.filter { $0.value.isInserted } }
}

extension NSManagedObjectContext {
  private static let newObjectsKey = "explorer.newObjects"

  /// The names of the context's unsaved objects.
  var newObjects: NewObjects {
    if let known = userInfo[Self.newObjectsKey] as? NewObjects { return known }
    let objects = NewObjects()
    userInfo[Self.newObjectsKey] = objects
    return objects
  }
}
