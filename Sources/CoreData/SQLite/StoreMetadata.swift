import Foundation
import ObjectModel
import Predicates

/// Reads and writes `Z_METADATA`: one row with the store's UUID and a property list.
enum StoreMetadata {
  /// The version of Core Data that new stores say they were made by: that of macOS 15, whose
  /// layout they have.
  static let frameworkVersion = 1414

  /// The most bytes that are read: those of real stores are a few thousand.
  private static let largest: Int64 = 64 << 20

  /// The metadata of a store, its type and UUID included.
  static func read(on connection: SQLiteConnection, url: URL) throws -> [String: Any] {
    let statement = try connection.statement(
      "SELECT Z_UUID, Z_PLIST, LENGTH(Z_PLIST) FROM Z_METADATA WHERE Z_VERSION = 1")
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreErrors.damaged(url, "its metadata (table Z_METADATA) has no row")
    }
    guard let uuid = statement.optionalText(0) else {
      throw StoreErrors.damaged(url, "its metadata has no UUID (Z_METADATA.Z_UUID is NULL)")
    }
    guard !statement.isNull(1) else {
      throw StoreErrors.damaged(
        url, "its metadata has no property list (Z_METADATA.Z_PLIST is NULL)")
    }
    guard statement.integer(2) <= largest else {
      throw StoreErrors.damaged(
        url,
        "its metadata (Z_METADATA.Z_PLIST) has \(statement.integer(2)) bytes;"
          + " at most \(largest) are read")
    }
    let data = statement.data(1)
    let list: Any
    do {
      list = try CheckedPropertyList.read(data)
    } catch {
      throw StoreErrors.damaged(
        url, "its metadata (Z_METADATA.Z_PLIST) is no property list", cause: error)
    }
    guard var metadata = list as? [String: Any] else {
      throw StoreErrors.damaged(url, "its metadata (Z_METADATA.Z_PLIST) is no dictionary")
    }
    metadata[NSStoreUUIDKey] = uuid
    metadata[NSStoreTypeKey] = NSSQLiteStoreType
    return metadata
  }

  /// Metadata is read this deep: see `CheckedPropertyList`.
  private static let deepestNesting = 30

  /// Throws where a program's metadata could not be read again: a store that has such metadata cannot be opened.
  ///
  /// - Parameter isXML: whether the store's file is XML, which has fewer characters and dates.
  static func requireReadable(_ metadata: [String: Any], isXML: Bool = false) throws {
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

  /// The metadata of a store that is only read, as far as it can be.
  ///
  /// - Returns: the metadata, with the store's type and a UUID in any case; and what is wrong with it, nil for
  ///   metadata that is whole.
  /// - Throws: what has nothing to do with the metadata, such as a lock.
  static func readable(
    on connection: SQLiteConnection, url: URL
  ) throws -> (metadata: [String: Any], fault: NSError?) {
    var fault: NSError
    do {
      return (try read(on: connection, url: url), nil)
    } catch let error as SQLiteError where StoreErrors.isOfSchema(error) || error.isDamage {
      fault = StoreErrors.damaged(
        url, "its metadata (table Z_METADATA) cannot be read: \(error.message)", cause: error)
    } catch let error as NSError where error.code == NSFileReadCorruptFileError {
      fault = error
    }
    var uuid: String?
    do {
      uuid = try connection.text("SELECT Z_UUID FROM Z_METADATA WHERE Z_UUID IS NOT NULL")
    } catch let error as SQLiteError where StoreErrors.isOfSchema(error) || error.isDamage {}
    return (
      [NSStoreUUIDKey: uuid ?? madeUpUUID(of: url), NSStoreTypeKey: NSSQLiteStoreType], fault
    )
  }

  /// A UUID for a store that has none, the same each time the store is opened at its place: IDs of objects have
  /// it in them.
  private static func madeUpUUID(of url: URL) -> String {
    let bytes = Array(url.path.utf8)
    let sums = [Checksum.of(bytes), Checksum.of(bytes.reversed() + [1])]
    let text = sums.map { String(format: "%016lX", Int(bitPattern: UInt($0))) }.joined()
    let characters = Array(text)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(characters[$0]) }
      .joined(separator: "-")
  }

  /// Replaces the metadata; the UUID stands in a column of its own.
  static func write(_ metadata: [String: Any], on connection: SQLiteConnection) throws {
    try requireReadable(metadata)
    var list = metadata
    let uuid = list.removeValue(forKey: NSStoreUUIDKey) as? String
    list[NSStoreTypeKey] = NSSQLiteStoreType
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, "
        + "COALESCE(?1, (SELECT Z_UUID FROM Z_METADATA WHERE Z_VERSION = 1)), ?2)")
    defer { statement.reset() }
    if let uuid { statement.bind(uuid, at: 1) }
    statement.bind(data, at: 2)
    try statement.run()
  }

  /// Keys that a store cannot be opened without, or that only the store itself knows.
  private static let required = [
    NSStoreUUIDKey, NSStoreModelVersionHashesKey, "NSStoreModelVersionHashesVersion",
    "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
    NSStoreModelVersionIdentifiersKey, "NSPersistenceFrameworkVersion", "_NSAutoVacuumLevel",
  ]

  /// Whether a key of the metadata is the program's own.
  static func isProgramKey(_ key: String) -> Bool {
    key != NSStoreTypeKey && !required.contains(key)
  }

  /// Whether a key of the metadata tells of the model, and is another with another model.
  static func isOfModel(_ key: String) -> Bool {
    required.contains(key) && key != NSStoreUUIDKey && key != "_NSAutoVacuumLevel"
  }

  /// Says which stage of a staged migration has a handler that still has to end: the checksum of the model after it.
  ///
  /// A program that gives a store other metadata does not know of it, so it stays until it is set to NSNull.
  static let owedStageKey = "OpenCoreDataOwedMigrationStage"

  /// A program's new metadata with what it left out and the store needs.
  static func completed(
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

  /// What a program made of the metadata that it knew, brought into what the file has meanwhile.
  static func merged(
    _ new: [String: Any], known: [String: Any], present: [String: Any]
  ) -> [String: Any] {
    func isSame(_ left: Any?, _ right: Any?) -> Bool {
      switch (left, right) {
      case (nil, nil): true
      case (let left?, let right?): ([left] as NSArray).isEqual([right] as NSArray)
      default: false
      }
    }
    var merged = present
    for key in Set(new.keys).union(known.keys) where !isSame(new[key], known[key]) {
      merged[key] = new[key]
    }
    return merged
  }

  /// The property list of a new store.
  static func new(
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
