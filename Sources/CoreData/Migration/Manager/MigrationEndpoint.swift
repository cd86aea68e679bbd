/// A store that a migration reads or writes.
struct MigrationEndpoint {
  let url: URL
  let type: String
  let options: [AnyHashable: Any]?
  /// The configuration of the new store, if a migration replaces this store; nil for the whole model.
  var configuration: String?

  /// The options without those that would migrate the store again.
  var plainOptions: [AnyHashable: Any] {
    (options ?? [:]).filter { key, _ in
      key as? String != NSMigratePersistentStoresAutomaticallyOption
        && key as? String != NSInferMappingModelAutomaticallyOption
    }
  }

  /// Whether the store is in a file instead of in memory.
  var isFile: Bool {
    fileEngine == nil || !StoreLocation(url.resolvingSymlinksInPath()).isInMemory
  }

  /// The engine of the store's file; nil for a type without such an engine, or for an unknown type, which causes an
  /// error when the store is opened.
  private var fileEngine: (any FileEngine.Type)? { (try? StoreKind(type))?.fileEngine }

  /// Returns whether an engine opens the store. If so, the engine can copy the store and replace it with the copy.
  func isStore(of engine: any FileEngine.Type) -> Bool {
    if let fileEngine { fileEngine == engine } else { false }
  }

  /// Whether the store is one of the library's stores that are read and written as a whole.
  var isAtomic: Bool { type == NSXMLStoreType || type == NSBinaryStoreType }

  /// Returns the current state of the store's file, for detecting later changes.
  func noteUnchanged() throws -> any UnchangedFile {
    guard let files = try StoreKind(type).fileEngine else { return try UnchangedPlainFile(url) }
    return try files.unchangedFile(url, StoreOptions(options))
  }

  /// Returns the configuration with which the store was created from a model; nil for the whole model.
  func configuration(in model: NSManagedObjectModel) throws -> String? {
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: type, at: url, options: options)
    return model.configurations(ofStoreWith: metadata).first
  }
}
