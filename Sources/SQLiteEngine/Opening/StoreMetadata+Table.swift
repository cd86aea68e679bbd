import StoreEngine

/// Reads and writes `Z_METADATA`: one row with the UUID of the store and a property list.
extension StoreMetadata {
  /// The maximum size of metadata that is read. The metadata of real stores has a few thousand bytes.
  private static let largest: Int64 = 64 << 20

  /// Returns the metadata of a store, including its type and UUID.
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
        url, "its metadata (Z_METADATA.Z_PLIST) is not a property list", cause: error)
    }
    guard var metadata = list as? [String: Any] else {
      throw StoreErrors.damaged(url, "its metadata (Z_METADATA.Z_PLIST) is not a dictionary")
    }
    metadata[NSStoreUUIDKey] = uuid
    metadata[NSStoreTypeKey] = NSSQLiteStoreType
    return metadata
  }

  /// Returns the readable metadata of a store.
  ///
  /// - Returns: The metadata, which always includes the type and a UUID, and the error in the stored metadata.
  ///   The error is nil if the metadata is intact.
  /// - Throws: Errors that do not concern the metadata, such as that of a locked store.
  static func readPartially(
    on connection: SQLiteConnection, url: URL
  ) throws -> (metadata: [String: Any], error: NSError?) {
    let metadataError: NSError
    do {
      return (try read(on: connection, url: url), nil)
    } catch let error as SQLiteError where StoreErrors.isOfSchema(error) || error.isDamage {
      metadataError = StoreErrors.damaged(
        url, "its metadata (table Z_METADATA) cannot be read: \(error.message)", cause: error)
    } catch let error as NSError where error.code == NSFileReadCorruptFileError {
      metadataError = error
    }
    var uuid: String?
    do {
      uuid = try connection.text("SELECT Z_UUID FROM Z_METADATA WHERE Z_UUID IS NOT NULL")
    } catch let error as SQLiteError where StoreErrors.isOfSchema(error) || error.isDamage {}
    return (
      [NSStoreUUIDKey: uuid ?? derivedUUID(of: url), NSStoreTypeKey: NSSQLiteStoreType],
      metadataError
    )
  }

  /// Returns a UUID for a store that has none. Object IDs contain the UUID, so it must stay the same; it is derived
  /// from the store's path.
  private static func derivedUUID(of url: URL) -> String {
    // A store that is opened through a link must get the same UUID.
    let bytes = Array(url.withoutLinks.path.utf8)
    let sums = [Checksum.of(bytes), Checksum.of(bytes.reversed() + [1])]
    let text = sums.map { String(format: "%016lX", Int(bitPattern: UInt($0))) }.joined()
    let characters = Array(text)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(characters[$0]) }
      .joined(separator: "-")
  }

  /// Replaces the metadata. The UUID is in a separate column.
  static func write(_ metadata: [String: Any], on connection: SQLiteConnection) throws {
    try requireReadable(metadata)
    var list = metadata
    let uuid = list.removeValue(forKey: NSStoreUUIDKey) as? String
    list[NSStoreTypeKey] = NSSQLiteStoreType
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    // If the metadata has no UUID, the store keeps its own.
    try connection.run(
      "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, "
        + "COALESCE(?1, (SELECT Z_UUID FROM Z_METADATA WHERE Z_VERSION = 1)), ?2)",
      [uuid.map(StoredValue.text) ?? .null, .data(data)])
  }
}
