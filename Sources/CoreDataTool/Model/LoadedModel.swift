import CoreData
import StoreInspection

/// A model that a command works on, and where it came from.
struct LoadedModel {
  /// The path as it was given.
  let path: String
  /// The model, in the version that is meant.
  var model: NSManagedObjectModel
  /// The version's name; nil where the place holds one model only.
  let version: String?
  /// The names of all versions, in their order; empty where the place holds one model only.
  let versions: [String]
  /// The name of the version that programs use; nil where the place holds one model only.
  let currentVersion: String?
  /// How the model of a store was had; nil for a file.
  let origin: ModelSource?

  /// The entity of a name.
  func entity(named name: String) throws(Diagnostic) -> NSEntityDescription {
    guard let entity = model.entitiesByName[name] else {
      throw Diagnostic.unknownEntity(
        name, in: "the model", among: Array(model.entitiesByName.keys))
    }
    return entity
  }
}
