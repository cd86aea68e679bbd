/// The options of a store.
package struct StoreOptions {
  package var isReadOnly = false
  /// Whether the store is read as evidence; see `immutableStoreOption`.
  package var isImmutable = false
  /// Whether a store that lacks metadata, or a table or column of the model, cannot even be opened for reading only.
  /// A migration sets this. It would otherwise read what is missing as empty, and the new store would lack the values.
  package var requiresWholeStore = false
  /// The key of the library's internal option that sets `requiresWholeStore`.
  package static let wholeStoreOption = "OpenCoreData.RequiresWholeStore"
  /// The time in seconds to wait until another connection releases a lock.
  package var timeout: Double = 240
  package var pragmas: [String: String] = [:]
  package var ignoresVersionHashes = false
  /// Whether a store of another model version is migrated. If so, an error message about the differences is not needed.
  package var migrates = false
  /// Whether SQLite's statistics are updated.
  package var analyzes = false
  /// Whether the file is vacuumed.
  package var vacuums = false
  /// Whether a store is destroyed despite a lock, hard links or a journal; see `NSPersistentStoreForceDestroyOption`.
  package var forcesDestruction = false
  /// The maximum number of connections that read concurrently.
  package var maximumReadConnections = 4
  /// The SQL log.
  package var log = StatementLog.ofProcess
  /// Whether saves are recorded in the store's history.
  package var tracksHistory = false
  /// Whether `NSPersistentStoreRemoteChange` is posted.
  package var postsRemoteChanges = false
  /// The seconds between polls of the file; nil if no option sets them.
  package var pollingInterval: Double?
  /// Whether decimals keep all digits, as in the rows of atomic stores. A SQLite file cannot keep them, because its
  /// columns have Apple's format.
  package var keepsExactDecimals = false
  /// Whether the program requests that the system protects the files. The request has no effect and is logged.
  package var requestsFileProtection = false

  /// The options of the rows of an atomic store.
  package static var ofAtomicRows: StoreOptions {
    var options = StoreOptions()
    options.keepsExactDecimals = true
    return options
  }

  package init(_ options: [AnyHashable: Any]? = nil) {
    guard let options else { return }
    isImmutable = Self.bool(options[immutableStoreOption])
    isReadOnly = isImmutable || Self.bool(options[NSReadOnlyPersistentStoreOption])
    requiresWholeStore = Self.bool(options[Self.wholeStoreOption])
    migrates = Self.bool(options[NSMigratePersistentStoresAutomaticallyOption])
    ignoresVersionHashes = Self.bool(options[NSIgnorePersistentStoreVersioningOption])
    analyzes = Self.bool(options[NSSQLiteAnalyzeOption])
    vacuums = Self.bool(options[NSSQLiteManualVacuumOption])
    forcesDestruction = Self.bool(options[NSPersistentStoreForceDestroyOption])
    if let timeout = options[NSPersistentStoreTimeoutOption] as? NSNumber {
      self.timeout = timeout.doubleValue
    }
    if let number = options[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber {
      maximumReadConnections = max(1, number.intValue)
    }
    if let number = options[sqlDebugStoreOption] as? NSNumber {
      log = StatementLog(level: number.intValue)
    }
    // The observer is set after the level, because setting the level replaces the log.
    log.observer = options[statementObserverOption] as? StatementObserver
    // Apple's own programs pass a dictionary instead of a number.
    tracksHistory =
      options[NSPersistentHistoryTrackingKey].map { $0 is NSDictionary || Self.bool($0) } ?? false
    postsRemoteChanges = Self.bool(options[NSPersistentStoreRemoteChangeNotificationPostOptionKey])
    pollingInterval = (options[storePollingIntervalOption] as? NSNumber)?.doubleValue
    requestsFileProtection = options[NSPersistentStoreFileProtectionKey] != nil
    if let pragmas = options[NSSQLitePragmasOption] as? [String: Any] {
      self.pragmas = pragmas.mapValues { "\($0)" }
    }
  }

  /// Returns the value of a pragma in lowercase, whatever the case of its name in the options; nil if they lack it.
  ///
  /// - Parameter name: The name in lowercase.
  package func pragma(_ name: String) -> String? {
    pragmas.first { $0.key.lowercased() == name }?.value.lowercased()
  }

  /// Whether one connection locks the file for all others, including those of this process.
  package var isExclusive: Bool { pragma("locking_mode") == "exclusive" }

  private static func bool(_ value: Any?) -> Bool { (value as? NSNumber)?.boolValue ?? false }
}
