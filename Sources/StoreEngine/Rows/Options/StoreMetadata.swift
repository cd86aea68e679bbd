/// What a store says of itself, whatever keeps it.
package enum StoreMetadata {
  /// The version of Core Data that new stores say they were made by: that of macOS 15, whose
  /// layout they have.
  package static let frameworkVersion = 1414

  /// Metadata is read this deep: see `CheckedPropertyList`.
  private static let deepestNesting = 30

  /// Throws where a program's metadata could not be read again: a store that has such metadata cannot be opened.
  ///
  /// - Parameter isXML: whether the store's file is XML, which has fewer characters and dates.
  package static func requireReadable(_ metadata: [String: Any], isXML: Bool = false) throws {
    if NestedValues.height(of: metadata) > deepestNesting {
      throw unsaved("a value is nested more than \(deepestNesting) levels deep")
    }
    for key in metadata.keys.sorted() {
      guard let value = metadata[key],
        let fault = fault(of: value, isXML: isXML) ?? fault(of: key, isXML: isXML)
      else { continue }
      throw unsaved("\(fault) (key \(key.debugDescription))")
    }
    // The UUID is an element of its own, as it is.
    if isXML, let uuid = metadata[NSStoreUUIDKey] as? String,
      uuid.unicodeScalars.contains(where: { "<>&".unicodeScalars.contains($0) })
    {
      throw unsaved("\(uuid.debugDescription) is no UUID")
    }
  }

  private static func unsaved(_ reason: String) -> NSError {
    CoreDataError.make(NSPersistentStoreSaveError, "the metadata cannot be saved: \(reason)")
  }

  /// What in a value a property list can be written with, but not be read with; nil for a value without it.
  ///
  /// Calls itself as deep as metadata may be nested.
  private static func fault(of value: Any, isXML: Bool) -> String? {
    switch value {
    case let text as String:
      guard isXML else { return nil }
      return text.unicodeScalars.first { !$0.isLegalInXML }.map {
        "a text has the character U+\(String(format: "%04X", Int($0.value))), which XML has not"
      }
    case let date as Date:
      let seconds = date.timeIntervalSinceReferenceDate
      // Foundation reads other dates than it wrote for those beyond its calendar.
      let isReadable = seconds.isFinite && (!isXML || abs(seconds) < 1e13)
      return isReadable ? nil : "a date is \(seconds) seconds after the year 2001 began"
    case let list as [Any]:
      return list.lazy.compactMap { fault(of: $0, isXML: isXML) }.first
    case let table as [String: Any]:
      return table.lazy.compactMap {
        fault(of: $0.value, isXML: isXML) ?? fault(of: $0.key, isXML: isXML)
      }.first
    default: return nil
    }
  }

  /// Keys that a store cannot be opened without, or that only the store itself knows.
  private static let required = [
    NSStoreUUIDKey, NSStoreModelVersionHashesKey, "NSStoreModelVersionHashesVersion",
    "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
    NSStoreModelVersionIdentifiersKey, "NSPersistenceFrameworkVersion", "_NSAutoVacuumLevel",
  ]

  /// Whether a key of the metadata is the program's own.
  package static func isProgramKey(_ key: String) -> Bool {
    key != NSStoreTypeKey && !required.contains(key)
  }

  /// Whether a key of the metadata tells of the model, and is another with another model.
  package static func isOfModel(_ key: String) -> Bool {
    required.contains(key) && key != NSStoreUUIDKey && key != "_NSAutoVacuumLevel"
  }

  /// Says which stage of a staged migration has a handler that still has to end: the checksum of the model after it.
  ///
  /// A program that gives a store other metadata does not know of it, so it stays until it is set to NSNull.
  package static let owedStageKey = "OpenCoreDataOwedMigrationStage"

  /// A program's new metadata with what it left out and the store needs.
  package static func completed(
    _ new: [String: Any], from old: [String: Any], type: String
  ) -> [String: Any] {
    var metadata = new
    for key in required where metadata[key] == nil { metadata[key] = old[key] }
    switch metadata[owedStageKey] {
    case nil: metadata[owedStageKey] = old[owedStageKey]
    case is NSNull: metadata[owedStageKey] = nil
    default: break
    }
    metadata[NSStoreTypeKey] = type
    return metadata
  }

  /// Merges a program's changes of the metadata that it had read (`base`) into the file's current metadata.
  package static func merged(
    _ new: [String: Any], base: [String: Any], current: [String: Any]
  ) -> [String: Any] {
    func isSame(_ left: Any?, _ right: Any?) -> Bool {
      switch (left, right) {
      case (nil, nil): true
      case (let left?, let right?): ([left] as NSArray).isEqual([right] as NSArray)
      default: false
      }
    }
    var merged = current
    for key in Set(new.keys).union(base.keys) where !isSame(new[key], base[key]) {
      merged[key] = new[key]
    }
    return merged
  }

  /// The property list of a new store.
  package static func new(
    for model: NSManagedObjectModel, entities: [String], type: String = NSSQLiteStoreType
  ) -> [String: Any] {
    let wanted = Set(entities)
    let hashes = model.entityVersionHashesByName.filter { wanted.contains($0.key) }
    return [
      NSStoreTypeKey: type,
      NSStoreUUIDKey: UUID().uuidString,
      NSStoreModelVersionHashesKey: hashes,
      "NSStoreModelVersionHashesVersion": 3,
      "NSStoreModelVersionHashesDigest": model.versionHashesDigest,
      "NSStoreModelVersionChecksumKey": model.versionChecksum,
      NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.compactMap { $0 as? String }
        .sorted(),
      "NSPersistenceFrameworkVersion": frameworkVersion,
      "_NSAutoVacuumLevel": "2",
    ]
  }
}
