import CoreData
import StoreInspection

/// The mapping models that the steps of a migration may use: those that were named, before those that lie
/// beside the model.
struct StepMappings {
  private let requested: [(path: String, mapping: NSMappingModel)]
  private let folders: [URL]

  /// Reads the mapping models that were named.
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

  /// The one that is made for a step; nil where the differences of its models are to decide.
  ///
  /// - Throws: what is wrong with one that may be it and cannot be read.
  func mappingModel(
    _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel
  ) throws -> NSMappingModel? {
    try named(source, destination) ?? found(source, destination)?.mapping
  }

  /// The files that lie beside the model and are used by the steps through some models.
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

  /// A mapping model that no step uses is made for other models, and not what somebody wants left out.
  func requireUsed(in path: [NSManagedObjectModel]) throws(Diagnostic) {
    let used = zip(path, path.dropFirst()).compactMap { named($0, $1) }
    for (name, mapping) in requested where !used.contains(where: { $0 === mapping }) {
      let isFit = zip(path, path.dropFirst()).contains {
        mapping.isCompatible(withSourceModel: $0, destinationModel: $1)
      }
      throw Diagnostic(
        .usage, "'\(name)' is \(isFit ? "not taken" : "made for no step of this migration")",
        details: [
          isFit
            ? "One that was named before it is made for the same step."
            : "Its entities have other version hashes than those of the models."
        ])
    }
  }
}
