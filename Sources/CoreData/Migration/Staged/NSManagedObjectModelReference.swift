/// A model by where it is found, and by what tells it from other versions.
///
/// The model is looked for when it is asked for first.
nonisolated open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private let find: () throws -> NSManagedObjectModel?
  private var found: NSManagedObjectModel?
  private let place: String
  /// The model's `versionChecksum`.
  public let versionChecksum: String

  private init(
    _ place: String, _ versionChecksum: String, _ find: @escaping () throws -> NSManagedObjectModel?
  ) {
    self.place = place
    self.versionChecksum = versionChecksum
    self.find = find
  }

  /// Refers to a model that is there.
  public convenience init(model: NSManagedObjectModel, versionChecksum: String) {
    self.init("the given model", versionChecksum) { model }
  }

  /// Refers to the model in a file: `.mom`, `.momd`, `.xcdatamodel` or `.xcdatamodeld`; of several versions
  /// the one with the checksum.
  public convenience init(fileURL: URL, versionChecksum: String) {
    self.init(fileURL.path, versionChecksum) {
      let versions = ModelFile.versions(of: fileURL)
      if versions.count < 2 { return try NSManagedObjectModel(validating: fileURL) }
      return versions.lazy.compactMap { NSManagedObjectModel(contentsOf: $0) }
        .first { $0.versionChecksum == versionChecksum }
    }
  }

  /// Refers to a model by its name among the resources of a bundle, or a version of one.
  ///
  /// - Parameter bundle: nil for the main bundle, to which those of a package's targets belong.
  public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    self.init("\(modelName) in \((bundle ?? .main).bundlePath)", versionChecksum) {
      NSManagedObjectModel.allVersions(in: bundle).first { $0.versionChecksum == versionChecksum }
    }
  }

  /// Refers to the model in a bundle whose entities have these version hashes.
  ///
  /// - Parameter bundle: nil for the main bundle, to which those of a package's targets belong.
  public convenience init(
    entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
  ) {
    self.init("the model of the version hashes", versionChecksum) {
      NSManagedObjectModel.allVersions(in: bundle).first { model in
        let hashes = model.entityVersionHashesByName
        return hashes.count == versionHash.count
          && hashes.allSatisfy { versionHash[$0.key] as? Data == $0.value }
      }
    }
  }

  /// The model.
  ///
  /// A model that is not there, or has another checksum, stops the program; a migration throws an error
  /// instead.
  open var resolvedModel: NSManagedObjectModel {
    do { return try resolve() } catch { stopProgram(error.localizedDescription) }
  }

  /// - Throws: `NSStagedMigrationModelReferenceNotFoundError` for a model that is not there, or has another
  ///   checksum.
  final func resolve() throws -> NSManagedObjectModel {
    try lock.withLock {
      if let found { return found }
      func failure(_ reason: String, _ cause: (any Error)? = nil) -> NSError {
        CoreDataError.make(
          NSStagedMigrationModelReferenceNotFoundError,
          "no model with the checksum \(versionChecksum): \(reason)", cause: cause)
      }
      let model: NSManagedObjectModel?
      do { model = try find() } catch {
        throw failure("\(place) cannot be read: \(error.localizedDescription)", error)
      }
      guard let model else { throw failure("\(place) is not there") }
      guard model.versionChecksum == versionChecksum else {
        throw failure("\(place) has \(model.versionChecksum)")
      }
      found = model
      return model
    }
  }
}
