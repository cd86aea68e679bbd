import CoreData

/// A model that a command works on, and where it came from.
struct LoadedModel {
  /// The path as it was given.
  let path: String
  /// The model, in the version that is meant.
  let model: NSManagedObjectModel
  /// The version's name; nil where the place holds one model only.
  let version: String?
  /// The names of all versions, in their order; empty where the place holds one model only.
  let versions: [String]
  /// The name of the version that programs use; nil where the place holds one model only.
  let currentVersion: String?
  /// How a model was had that is not simply a file: as the rest of a sentence that begins with
  /// "model:"; nil for a file.
  let origin: ModelSource?
}
