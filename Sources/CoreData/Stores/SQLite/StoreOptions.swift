import Foundation

/// What a caller asks of a store when it is opened.
struct StoreOptions {
  var isReadOnly = false
  /// Seconds to wait for another connection's lock.
  var timeout: Double = 240
  var pragmas: [String: String] = [:]
  var ignoresVersionHashes = false
  /// Whether SQLite's statistics are made anew.
  var analyzes = false
  /// Whether the file is packed.
  var vacuums = false
  /// Whether a store is destroyed whoever holds a lock on it.
  var forcesDestruction = false

  init(_ options: [AnyHashable: Any]? = nil) {
    guard let options else { return }
    isReadOnly = Self.bool(options[NSReadOnlyPersistentStoreOption])
    ignoresVersionHashes = Self.bool(options[NSIgnorePersistentStoreVersioningOption])
    analyzes = Self.bool(options[NSSQLiteAnalyzeOption])
    vacuums = Self.bool(options[NSSQLiteManualVacuumOption])
    forcesDestruction = Self.bool(options[NSPersistentStoreForceDestroyOption])
    if let timeout = options[NSPersistentStoreTimeoutOption] as? NSNumber {
      self.timeout = timeout.doubleValue
    }
    if let pragmas = options[NSSQLitePragmasOption] as? [String: Any] {
      self.pragmas = pragmas.mapValues { "\($0)" }
    }
  }

  private static func bool(_ value: Any?) -> Bool { (value as? NSNumber)?.boolValue ?? false }
}
