/// The formats of stores in memory, and of stores that are read completely when they are opened and written as a whole
/// by each save.
enum AtomicFormat {
  case inMemory, binary, xml

  /// The type of stores in this format.
  var storeType: String {
    switch self {
    case .inMemory: NSInMemoryStoreType
    case .binary: NSBinaryStoreType
    case .xml: NSXMLStoreType
    }
  }

  func metadata(of url: URL) throws -> [String: Any] {
    let metadata: [String: Any]
    switch self {
    case .inMemory:
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "the metadata of a store in memory can be read only while it is open")
    case .binary: metadata = try BinaryStoreFile(try WholeFile.read(url), url).metadata
    case .xml: metadata = try XMLStoreHeader(try WholeFile.read(url), url).metadata
    }
    return metadata.merging([NSStoreTypeKey: storeType]) { $1 }
  }

  func setMetadata(_ metadata: [String: Any], of url: URL) throws {
    // Metadata that could not be read again would make the store unreadable.
    try StoreMetadata.requireReadable(metadata, isXML: self == .xml)
    let old = try self.metadata(of: url)
    let new = StoreMetadata.completed(metadata, from: old, type: storeType)
    let data = try WholeFile.read(url)
    switch self {
    case .inMemory: break
    case .binary: try WholeFile.write(BinaryStoreFile(data, url).replacing(new), to: url)
    case .xml: try WholeFile.write(XMLStoreHeader(data, url).replacing(new), to: url)
    }
  }

  /// Reads the content of a file.
  func read(_ url: URL, model: ModelLayout) throws -> StoreDocument {
    let data = try WholeFile.read(url)
    switch self {
    case .inMemory: return StoreDocument(metadata: [:])
    case .binary: return try BinaryStoreFile(data, url).document(model)
    case .xml: return try XMLStoreReader.read(data, url, model)
    }
  }

  /// Returns the bytes of the file for a document; nil if stores in this format have no file.
  func data(_ document: StoreDocument) throws -> Data? {
    try StoreMetadata.requireReadable(document.metadata, isXML: self == .xml)
    return switch self {
    case .inMemory: nil
    case .binary: try BinaryStoreFile.data(document)
    case .xml: try XMLStoreWriter.data(document)
    }
  }

  /// Throws an error if stores in this format cannot contain one of the entities.
  func require(_ layouts: [EntityLayout]) throws {
    // The text of this error is Apple's (`AtomicStoreTests`).
    for layout in layouts where layout.hasDerivedAttributes {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "Core Data provided atomic stores do not support derived properties: entity"
          + " \(layout.name) has some")
    }
    guard case .xml = self else { return }
    // XML stores do not preserve the case of names.
    var entities: Set<String> = []
    for layout in layouts {
      var properties: Set<String> = []
      let repeated = layout.slots.first { !properties.insert($0.name.lowercased()).inserted }
      if !entities.insert(layout.name.uppercased()).inserted || repeated != nil {
        throw CoreDataError.make(
          NSPersistentStoreIncompatibleSchemaError,
          "an XML store does not distinguish names by case: entity \(layout.name)"
            + (repeated.map { ", property \($0.name)" } ?? ""))
      }
    }
  }
}
