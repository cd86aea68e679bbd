/// What a caller asks of a store when it is opened.
package struct StoreOptions {
  package var isReadOnly = false
  /// Whether the store is read as evidence: see `immutableStoreOption`.
  package var isImmutable = false
  /// Whether a store that is only read has to have all that the model needs: what is missing would be missing in what
  /// is made of it.
  package var requiresWholeStore = false
  /// The key of an option of this library's own for that.
  package static let wholeStoreOption = "OpenCoreData.RequiresWholeStore"
  /// Seconds to wait for another connection's lock.
  package var timeout: Double = 240
  package var pragmas: [String: String] = [:]
  package var ignoresVersionHashes = false
  /// Whether a store of another model is migrated, so that nobody reads what differs.
  package var migrates = false
  /// Whether SQLite's statistics are made anew.
  package var analyzes = false
  /// Whether the file is packed.
  package var vacuums = false
  /// Whether a store is destroyed whoever holds a lock on it.
  package var forcesDestruction = false
  /// How many connections may read at the same time.
  package var maximumReadConnections = 4
  /// Which statements are logged.
  package var log = StatementLog.ofProcess
  /// Whether what is written is recorded in the store's history.
  package var tracksHistory = false
  /// Whether `NSPersistentStoreRemoteChange` is posted.
  package var postsRemoteChanges = false
  /// Seconds between looks at the file; nil where the system tells when it was written.
  package var pollingInterval: Double?
  /// Whether decimals keep all digits, in the rows of atomic stores; the columns of a file are Apple's.
  package var keepsExactDecimals = false
  /// Whether the files are to be protected by the system.
  package var requestsFileProtection = false

  /// Those of the rows of an atomic store.
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
    log.observer = options[statementObserverOption] as? StatementObserver
    // Apple's own programs give a dictionary.
    tracksHistory =
      options[NSPersistentHistoryTrackingKey].map { $0 is NSDictionary || Self.bool($0) } ?? false
    postsRemoteChanges = Self.bool(options[NSPersistentStoreRemoteChangeNotificationPostOptionKey])
    pollingInterval = (options[storePollingIntervalOption] as? NSNumber)?.doubleValue
    requestsFileProtection = options[NSPersistentStoreFileProtectionKey] != nil
    if let pragmas = options[NSSQLitePragmasOption] as? [String: Any] {
      self.pragmas = pragmas.mapValues { "\($0)" }
    }
  }

  /// A pragma's value, whatever case its name is written in.
  package func pragma(_ name: String) -> String? {
    pragmas.first { $0.key.lowercased() == name }?.value.lowercased()
  }

  /// Whether one connection keeps all others from the file, ours too.
  package var isExclusive: Bool { pragma("locking_mode") == "exclusive" }

  private static func bool(_ value: Any?) -> Bool { (value as? NSNumber)?.boolValue ?? false }
}
