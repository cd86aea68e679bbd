import CoreData
import StoreInspection

/// The mapping models for the steps of a migration: those that `--mapping` names, then those found beside the model.
struct StepMappings {
  private let requested: [(path: String, mapping: NSMappingModel)]
  private let folders: [URL]

  /// Reads the mapping models that `--mapping` names.
  init(paths: [String], beside folders: [URL]) throws {
    self.folders = folders
    requested = try paths.map { path in
      guard FileManager.default.fileExists(atPath: path) else {
        throw Diagnostic(.data, "there is no mapping model at '\(path)'")
      }
      return try reportingStoreErrors {
        (path, try NSMappingModel(validating: URL(fileURLWithPath: path)))
      }
    }
  }

  /// Returns the mapping model for a step; nil if the mapping has to be inferred.
  ///
  /// - Throws: The error of a file that may be the mapping model and cannot be read.
  func mappingModel(
    _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
  ) throws -> NSMappingModel? {
    try named(source, destination) ?? found(source, destination)?.mapping
  }

  /// Returns the files beside the model whose mapping models the steps of a migration use.
  func found(for path: [NSManagedObjectModel]) throws -> [URL] {
    try zip(path, path.dropFirst()).filter { named($0, $1) == nil }
      .compactMap { try found($0, $1)?.url }
  }

  private func named(
    _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
  ) -> NSMappingModel? {
    let fitting = requested.map(\.mapping).filter {
      $0.isCompatible(withSourceModel: source, destinationModel: destination)
    }
    // A mapping model that leaves out entities is compatible too, but it would not migrate their rows.
    let whole = fitting.first { mapping in
      LeftOutEntities(mapping.entityMappings ?? [], from: source, to: destination).names.isEmpty
    }
    return whole ?? fitting.first
  }

  private func found(
    _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
  ) throws -> (url: URL, mapping: NSMappingModel)? {
    try MappingFinder(source: source, destination: destination).found(in: folders)
  }

  /// Throws if a mapping model that `--mapping` names is not used by any step: the tool must not ignore it silently.
  func requireUsed(in path: [NSManagedObjectModel]) throws(Diagnostic) {
    let used = zip(path, path.dropFirst()).compactMap { named($0, $1) }
    for (name, mapping) in requested where !used.contains(where: { $0 === mapping }) {
      let isFit = zip(path, path.dropFirst()).contains {
        mapping.isCompatible(withSourceModel: $0, destinationModel: $1)
      }
      throw Diagnostic(
        .usage,
        "'\(name)' is \(isFit ? "not used" : "not a mapping model for any step of this migration")",
        details: [
          isFit
            ? "Another --mapping is used for the same step."
            : "The version hashes of its entities differ from those of the models."
        ])
    }
  }
}
