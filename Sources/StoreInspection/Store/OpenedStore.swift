package import CoreData

/// A store, the model it is read with, and a context to work in.
package struct OpenedStore {
  package let path: String
  package let model: NSManagedObjectModel
  package let source: ModelSource
  /// Problems with the store's metadata and its copy of the model: sentences without a full stop.
  package let warnings: [String]
  package let coordinator: NSPersistentStoreCoordinator
  package let context: NSManagedObjectContext
  /// The configurations of the model that have the store's entities; empty for a store of the whole model.
  package let configurations: [String]

  /// Opens an existing store.
  ///
  /// The model is the named one, or the store's own copy, or, for reading only, one that is inferred from its tables.
  ///
  /// - Parameters:
  ///   - isImmutable: Whether the store is read without modifying anything: see `immutableStoreOption`.
  ///   - more: Additional options of the store.
  package static func open(
    _ path: String, model named: String?, readOnly: Bool, isImmutable: Bool = false,
    options more: [AnyHashable: Any] = [:]
  ) throws -> OpenedStore {
    try ImmutableStoreScope.$isOn.withValue(isImmutable) {
      try open(path, model: named, readOnly: readOnly || isImmutable, more)
    }
  }

  private static func open(
    _ path: String, model named: String?, readOnly: Bool, _ more: [AnyHashable: Any]
  ) throws -> OpenedStore {
    try requireFile(path)
    let url = URL(fileURLWithPath: path)
    return try reportingStoreErrors {
      let type = NSPersistentStoreCoordinator.storeType(ofFileAt: url) ?? .sqlite
      let (model, source, warnings) = try chooseModelToRead(url, of: type, named: named)
      var options = more
      if ImmutableStoreScope.isOn { options[immutableStoreOption] = NSNumber(value: true) }
      options[NSPersistentStoreTimeoutOption] = NSNumber(value: 10)
      if readOnly { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: true) }
      // A store that has a history keeps recording it.
      if !readOnly, type == .sqlite, try NSPersistentStoreCoordinator.hasHistory(storeAt: url) {
        options[NSPersistentHistoryTrackingKey] = NSNumber(value: true)
      }
      if !readOnly, source == .inferred {
        // A write would ignore what the model says but the tables do not record, such as inverses and rules.
        throw Diagnostic(
          .data, warnings.first ?? "\(url.lastPathComponent) contains no copy of its model",
          details: ["To write to it, specify its model: --model FILE."])
      }
      // The store's own copy of its model matches the store, even if a part of it could not be read.
      if source == .inferred || source == .cached && readOnly {
        options[NSIgnorePersistentStoreVersioningOption] = NSNumber(value: true)
      }
      do {
        return try OpenedStore(url, path, type, model, source, warnings, options)
      } catch let error where source == .cached && readOnly {
        return try openInferred(url, path, warnings, options, insteadOf: error)
      }
    }
  }

  /// Opens a store for reading with a model inferred from its tables, because it does not open with its own copy.
  private static func openInferred(
    _ url: URL, _ path: String, _ warnings: [String], _ options: [AnyHashable: Any],
    insteadOf cause: any Error
  ) throws -> OpenedStore {
    do {
      let model = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
      let reason =
        "\(cause.localizedDescription.withoutFullStop); the store is read with a model inferred from"
        + " its tables"
      return try OpenedStore(url, path, .sqlite, model, .inferred, warnings + [reason], options)
    } catch {
      // The first error says why the store does not open as usual.
      throw cause
    }
  }

  /// Creates a store.
  package static func create(_ path: String, model: NSManagedObjectModel) throws -> OpenedStore {
    try reportingStoreErrors {
      try OpenedStore(URL(fileURLWithPath: path), path, .sqlite, model, .builtIn, [], nil)
    }
  }

  private init(
    _ url: URL, _ path: String, _ type: NSPersistentStore.StoreType, _ model: NSManagedObjectModel,
    _ source: ModelSource, _ warnings: [String],
    _ options: [AnyHashable: Any]?
  ) throws {
    self.path = path
    self.warnings = warnings
    self.model = model
    self.source = source
    KeptBytes.registerPlaceholders(for: model)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    configurations = Self.configurations(of: url, type, in: model)
    try coordinator.addPersistentStore(
      ofType: type.rawValue, configurationName: configurations.first, at: url, options: options)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  private static func configurations(
    of url: URL, _ type: NSPersistentStore.StoreType, in model: NSManagedObjectModel
  ) -> [String] {
    // An error that occurs here occurs again when the store is opened, and is reported then.
    guard !model.configurations.isEmpty,
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type.rawValue, at: url)
    else { return [] }
    return model.configurations(ofStoreWith: metadata)
  }

  /// Closes the file, and removes the files that SQLite created beside it for reading.
  ///
  /// - Parameter note: Called with a line for each store that could not be closed.
  package func close(_ note: (String) -> Void) {
    for store in coordinator.persistentStores {
      do {
        try coordinator.remove(store)
      } catch {
        note("note: \(path) was not closed: \(error.localizedDescription)\n")
      }
    }
  }

  /// The size of the store's file in bytes, even if its path is a symbolic link; nil if it cannot
  /// be determined.
  package var fileSize: Int? {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }

  /// Returns the entity with a name.
  package func entity(named name: String) throws(Diagnostic) -> NSEntityDescription {
    guard let entity = model.entitiesByName[name] else {
      throw Diagnostic.unknownEntity(name, among: Array(model.entitiesByName.keys))
    }
    return entity
  }

  package static func requireFile(_ path: String) throws(Diagnostic) {
    guard let kind = FileKind(path: path) else { throw Diagnostic.noSuchFile(path) }
    if kind == .folder { throw Diagnostic.isDirectory(path) }
  }

  /// Chooses the model to read a store with: the named one, the store's own copy, or one inferred from its tables. Also
  /// returns warnings about the store's metadata and its copy of the model.
  package static func chooseModelToRead(
    _ url: URL, of type: NSPersistentStore.StoreType = .sqlite, named: String?
  ) throws -> (NSManagedObjectModel, ModelSource, warnings: [String]) {
    if let named {
      // A file that is not a store is reported as such, whatever the model.
      if type != .sqlite {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: type.rawValue, at: url)
      }
      let warnings =
        type == .sqlite
        ? try NSPersistentStoreCoordinator.readableStore(at: url, given: NSManagedObjectModel())
          .warnings : []
      do {
        let model = try NSManagedObjectModel(validating: URL(fileURLWithPath: named))
        return (model, .named(named), warnings)
      } catch {
        throw Diagnostic(.data, error.localizedDescription.withoutFullStop)
      }
    }
    guard type == .sqlite else {
      throw Diagnostic(
        .usage, "\(url.lastPathComponent) contains no model, because only SQLite stores do",
        details: [
          "Name the model: --model FILE (.xcdatamodeld, .xcdatamodel, .momd, .mom or .json)."
        ])
    }
    let readable = try NSPersistentStoreCoordinator.readableStore(at: url)
    return (readable.model, readable.isOwn ? .cached : .inferred, readable.warnings)
  }
}
