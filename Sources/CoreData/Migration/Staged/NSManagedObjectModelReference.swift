/// A reference to a model by its location and version checksum.
///
/// The model is loaded when it is first needed.
nonisolated open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  /// Returns the models from which the checksum selects one.
  private let find: () throws -> [NSManagedObjectModel]
  private var found: NSManagedObjectModel?
  private let place: String
  /// The `versionChecksum` of the model.
  public let versionChecksum: String

  private init(
    _ place: String, _ versionChecksum: String,
    _ find: @escaping () throws -> [NSManagedObjectModel]
  ) {
    self.place = place
    self.versionChecksum = versionChecksum
    self.find = find
  }

  /// Creates a reference to a model in memory.
  ///
  /// ```swift
  /// let reference = NSManagedObjectModelReference(
  ///   model: model, versionChecksum: model.versionChecksum)
  /// print(reference.resolvedModel.entities.count)  // 5
  /// ```
  public convenience init(model: NSManagedObjectModel, versionChecksum: String) {
    self.init("the given model", versionChecksum) { [model] }
  }

  /// Creates a reference to the model in a file: `.mom`, `.momd`, `.xcdatamodel`, `.xcdatamodeld` or `.json`. If the
  /// file contains several versions, the reference is to the one with the checksum.
  ///
  /// ```swift
  /// let file = url.deletingLastPathComponent().appendingPathComponent("Contacts.xcdatamodeld")
  /// let reference = NSManagedObjectModelReference(
  ///   fileURL: file, versionChecksum: model.versionChecksum)
  /// ```
  public convenience init(fileURL: URL, versionChecksum: String) {
    self.init(fileURL.path, versionChecksum) {
      do { return try VersionedModel(contentsOf: fileURL).versions.map(\.model) } catch {
        // A damaged version must not make the others unavailable.
        let models = ModelFile.versions(of: fileURL).compactMap {
          NSManagedObjectModel(contentsOf: $0)
        }
        if models.isEmpty { throw error }
        return models
      }
    }
  }

  /// Creates a reference to the model with a name in a bundle.
  ///
  /// - Parameters:
  ///   - modelName: The name of the model's file, or of the file of one of its versions, without its extension.
  ///   - bundle: The bundle; nil for the main bundle and the bundles of the package's targets.
  ///   - versionChecksum: The checksum by which the version is found.
  ///
  /// ```swift
  /// let contacts = NSManagedObjectModelReference(
  ///   name: "Contacts 2", in: nil, versionChecksum: model.versionChecksum)
  /// ```
  public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    self.init("\(modelName) in \((bundle ?? .main).bundlePath)", versionChecksum) {
      NSManagedObjectModel.allVersions(named: modelName, in: bundle)
    }
  }

  /// Creates a reference to the model in a bundle whose entities have these version hashes.
  ///
  /// - Parameters:
  ///   - versionHash: The version hashes by entity name.
  ///   - bundle: The bundle; nil for the main bundle and the bundles of the package's targets.
  ///   - versionChecksum: The checksum that the model must have.
  ///
  /// ```swift
  /// let reference = NSManagedObjectModelReference(
  ///   entityVersionHashes: model.entityVersionHashesByName, in: nil,
  ///   versionChecksum: model.versionChecksum)
  /// ```
  public convenience init(
    entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
  ) {
    self.init("the model with these version hashes", versionChecksum) {
      NSManagedObjectModel.allVersions(in: bundle).filter { model in
        let hashes = model.entityVersionHashesByName
        return hashes.count == versionHash.count
          && hashes.allSatisfy { versionHash[$0.key] as? Data == $0.value }
      }
    }
  }

  /// The model.
  ///
  /// If the model is missing or has a different checksum, the program stops. A migration throws an
  /// error instead.
  open var resolvedModel: NSManagedObjectModel {
    do { return try resolve() } catch { stopProgram(error.localizedDescription) }
  }

  /// - Throws: `NSManagedObjectModelReferenceNotFoundError` if the model is missing or has a
  ///   different checksum.
  final func resolve() throws -> NSManagedObjectModel {
    // The lock is held while the model is read, so that all threads receive the same object.
    try lock.withLock {
      if let found { return found }
      func failure(_ reason: String, _ cause: (any Error)? = nil) -> NSError {
        CoreDataError.make(
          NSManagedObjectModelReferenceNotFoundError,
          "no model with the checksum \(versionChecksum): \(reason)", cause: cause)
      }
      let models: [NSManagedObjectModel]
      do { models = try find() } catch {
        throw failure("\(place) cannot be read: \(error.localizedDescription)", error)
      }
      guard let model = models.first(where: { $0.versionChecksum == versionChecksum }) else {
        let checksums = models.map(\.versionChecksum).joined(separator: ", ")
        let reason =
          switch models.count {
          case 0: "\(place) does not exist"
          case 1: "\(place) has the checksum \(checksums)"
          default: "the versions of \(place) have the checksums \(checksums)"
          }
        throw failure(reason)
      }
      found = model
      return model
    }
  }
}
