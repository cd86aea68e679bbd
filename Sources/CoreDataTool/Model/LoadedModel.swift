import CoreData
import StoreInspection

/// A model that a command works on, and where it came from.
struct LoadedModel {
  /// The path as given by the user.
  let path: String
  /// The selected version of the model.
  var model: NSManagedObjectModel
  /// The version's name; nil if the file holds one model only.
  let version: String?
  /// The names of all versions, in natural order; empty if the file holds one model only.
  let versions: [String]
  /// The name of the version that programs use; nil if the file holds one model only.
  let currentVersion: String?
  /// Where the model of a store came from; nil for a model file.
  let origin: ModelSource?

  func entity(named name: String) throws(Diagnostic) -> NSEntityDescription {
    guard let entity = model.entitiesByName[name] else {
      throw Diagnostic.unknownEntity(
        name, in: "the model", among: Array(model.entitiesByName.keys))
    }
    return entity
  }
}
