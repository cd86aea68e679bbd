package import CoreData

/// A store, the model it is read with, and a context to work in.
package struct OpenedStore {
  package let path: String
  package let model: NSManagedObjectModel
  package let source: ModelSource
  /// What is wrong with what the store says of itself: sentences without a full stop.
  package let warnings: [String]
  package let coordinator: NSPersistentStoreCoordinator
  package let context: NSManagedObjectContext
  /// The configurations of the model that have the store's entities; none for a store of the whole model.
  package let configurations: [String]

  /// Opens a store that exists.
  ///
  /// Without a named model the store's own copy is taken, and where it has none, one inferred from
  /// its tables.
  ///
  /// - Parameters:
  ///   - isImmutable: whether the store is read as evidence: see `immutableStoreOption`.
  ///   - more: options of the store besides those that follow from the other parameters.
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
      // Who writes to a store with a history goes on with it.
      if !readOnly, type == .sqlite, try NSPersistentStoreCoordinator.hasHistory(storeAt: url) {
        options[NSPersistentHistoryTrackingKey] = NSNumber(value: true)
      }
      if !readOnly, source == .inferred, let fault = warnings.first {
        // What the tables do not say, such as inverses and rules, would not be kept.
        throw Diagnostic(
          .data, fault, details: ["To write to it, name its model: --model FILE."])
      }
      // A model of the store's own is its model, also where something in it could not be read.
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

  /// Opens a store for reading by its tables, where its own copy of its model does not do.
  private static func openInferred(
    _ url: URL, _ path: String, _ warnings: [String], _ options: [AnyHashable: Any],
    insteadOf fault: any Error
  ) throws -> OpenedStore {
    do {
      let model = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
      let reason =
        "\(fault.localizedDescription.withoutFullStop); the store is read with a model that follows from"
        + " its tables"
      return try OpenedStore(url, path, .sqlite, model, .inferred, warnings + [reason], options)
    } catch {
      throw fault
    }
  }

  /// Makes a new store.
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
    // What keeps it from being read keeps it from being opened, and is told then.
    guard !model.configurations.isEmpty,
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: type.rawValue, at: url)
    else { return [] }
    return model.configurations(ofStoreWith: metadata)
  }

  /// Closes the file, and takes away what SQLite made beside it for reading.
  ///
  /// - Parameter note: is given a line for what could not be closed.
  package func close(_ note: (String) -> Void) {
    for store in coordinator.persistentStores {
      do {
        try coordinator.remove(store)
      } catch {
        note("note: \(path) was not closed: \(error.localizedDescription)\n")
      }
    }
  }

  /// How many bytes the store's file has, also where its path is a symbolic link to the file; nil where that is not known.
  package var fileSize: Int? {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }

  /// The entity of a name.
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

  /// The model that a store is read with: the named one, its own copy, or one that follows from its tables; and what is
  /// wrong with what the store says of itself.
  package static func chooseModelToRead(
    _ url: URL, of type: NSPersistentStore.StoreType = .sqlite, named: String?
  ) throws -> (NSManagedObjectModel, ModelSource, warnings: [String]) {
    if let named {
      // A store that is none shall be told as such, whatever the model.
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
        .usage, "\(url.lastPathComponent) carries no model, as only SQLite stores do",
        details: ["Name it: --model FILE (.xcdatamodeld, .xcdatamodel, .momd or .mom)."])
    }
    let readable = try NSPersistentStoreCoordinator.readableStore(at: url)
    return (readable.model, readable.isOwn ? .cached : .inferred, readable.warnings)
  }
}
