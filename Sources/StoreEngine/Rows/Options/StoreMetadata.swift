/// The metadata of stores of all types.
package enum StoreMetadata {
  /// The version of Core Data in the metadata of new stores: that of macOS 15, because new stores have its file format.
  package static let frameworkVersion = 1414

  /// The maximum nesting depth of metadata that `CheckedPropertyList` can read from a store.
  private static let deepestNesting = 30

  /// Throws an error if a program's metadata could be written but not read again. A store with such metadata could not
  /// be opened.
  ///
  /// - Parameter isXML: Whether the store's file is XML, which supports fewer characters and dates.
  package static func requireReadable(_ metadata: [String: Any], isXML: Bool = false) throws {
    if NestedValues.height(of: metadata) > deepestNesting {
      throw unsaved("a value is nested more than \(deepestNesting) levels deep")
    }
    for key in metadata.keys.sorted() {
      guard let value = metadata[key],
        let problem = problem(of: value, isXML: isXML) ?? problem(of: key, isXML: isXML)
      else { continue }
      throw unsaved("\(problem) (key \(key.debugDescription))")
    }
    // The UUID is written into an element without escaping.
    if isXML, let uuid = metadata[NSStoreUUIDKey] as? String,
      uuid.unicodeScalars.contains(where: { "<>&".unicodeScalars.contains($0) })
    {
      throw unsaved("\(uuid.debugDescription) is not a UUID")
    }
  }

  private static func unsaved(_ reason: String) -> NSError {
    CoreDataError.make(NSPersistentStoreSaveError, "the metadata cannot be saved: \(reason)")
  }

  /// Describes a part of a value that can be written to a property list, but not read again; nil if there is none.
  ///
  /// The recursion is limited, because the caller checks the nesting first.
  private static func problem(of value: Any, isXML: Bool) -> String? {
    switch value {
    case let text as String:
      guard isXML else { return nil }
      return text.unicodeScalars.first { !$0.isLegalInXML }.map {
        "a string contains the character U+\(String(format: "%04X", Int($0.value))), which is invalid in XML"
      }
    case let date as Date:
      let seconds = date.timeIntervalSinceReferenceDate
      // Foundation's XML reader returns a wrong date for a date that is outside the range of Foundation's calendar.
      let isReadable = seconds.isFinite && (!isXML || abs(seconds) < 1e13)
      return isReadable ? nil : "a date is out of range: \(seconds) seconds since 2001"
    case let list as [Any]:
      return list.lazy.compactMap { problem(of: $0, isXML: isXML) }.first
    case let table as [String: Any]:
      return table.lazy.compactMap {
        problem(of: $0.value, isXML: isXML) ?? problem(of: $0.key, isXML: isXML)
      }.first
    default: return nil
    }
  }

  /// The keys without which a store cannot be opened, or whose values only the store itself determines.
  private static let required = [
    NSStoreUUIDKey, NSStoreModelVersionHashesKey, "NSStoreModelVersionHashesVersion",
    "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
    NSStoreModelVersionIdentifiersKey, "NSPersistenceFrameworkVersion", "_NSAutoVacuumLevel",
  ]

  /// Returns whether a metadata key belongs to the program.
  package static func isProgramKey(_ key: String) -> Bool {
    key != NSStoreTypeKey && !required.contains(key)
  }

  /// Returns whether a migration to another model replaces the value of a metadata key: it describes the model, or is
  /// the version of Core Data.
  package static func isOfModel(_ key: String) -> Bool {
    required.contains(key) && key != NSStoreUUIDKey && key != "_NSAutoVacuumLevel"
  }

  /// The key of an unfinished stage of a staged migration, whose `didMigrateHandler` has not completed. The value is
  /// the checksum of the stage's next model.
  ///
  /// A program that sets other metadata does not know this key, so the value is kept if the key is missing. Set it to
  /// NSNull to remove it.
  package static let unfinishedStageKey = "OpenCoreDataOwedMigrationStage"

  /// Returns a program's new metadata together with the old values of the required keys that the program omitted.
  package static func completed(
    _ new: [String: Any], from old: [String: Any], type: String
  ) -> [String: Any] {
    var metadata = new
    for key in required where metadata[key] == nil { metadata[key] = old[key] }
    switch metadata[unfinishedStageKey] {
    case nil: metadata[unfinishedStageKey] = old[unfinishedStageKey]
    case is NSNull: metadata[unfinishedStageKey] = nil
    default: break
    }
    metadata[NSStoreTypeKey] = type
    return metadata
  }

  /// Returns the file's current metadata with the changes that a program made to the metadata it had read (`base`).
  package static func merged(
    _ new: [String: Any], base: [String: Any], current: [String: Any]
  ) -> [String: Any] {
    func isSame(_ left: Any?, _ right: Any?) -> Bool {
      switch (left, right) {
      case (nil, nil): true
      // The values may have any types, so they are compared as objects.
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

  /// Returns the metadata of a new store.
  package static func new(
    for model: NSManagedObjectModel, entities: [String], type: String = NSSQLiteStoreType
  ) -> [String: Any] {
    let wanted = Set(entities)
    let hashes = model.entityVersionHashesByName.filter { wanted.contains($0.key) }
    return [
      NSStoreTypeKey: type,
      NSStoreUUIDKey: UUID().uuidString,
      NSStoreModelVersionHashesKey: hashes,
      // The value in all of Apple's stores.
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
