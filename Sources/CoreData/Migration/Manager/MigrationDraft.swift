/// The store to which a migration writes the new objects, and which then replaces the destination: a SQLite file next
/// to the destination, or a store in memory if the destination is read and written as a whole.
///
/// The draft replaces the destination as a whole. If the process ends before that, the destination is unchanged. The
/// hidden folder with the draft is left behind, and the next migration to the same location removes it.
struct MigrationDraft {
  private let destination: MigrationEndpoint
  private let addsToStore: Bool
  private let folder: URL
  /// Locked as long as the folder exists, so that other processes do not treat it as abandoned.
  private let lock: FolderLock?
  /// The file at the destination, if it is replaced.
  private let replaced: (any UnchangedFile)?
  /// Whether the draft must close ``replaced``.
  private let closesReplaced: Bool
  let url: URL

  /// Creates the folder of a draft.
  ///
  /// - Parameters:
  ///   - replacesStore: Whether the store at the destination is replaced, instead of receiving the new objects.
  ///   - replaced: The file of the replaced store, whose state was noted before the store was read.
  init(
    for destination: MigrationEndpoint, replacesStore: Bool, replaced: (any UnchangedFile)? = nil
  ) throws {
    self.destination = destination
    let target = destination.url.resolvingSymlinksInPath()
    addsToStore =
      !replacesStore
      && (StoreKind.sqlite.exists(target)
        || destination.isFile && FileManager.default.fileExists(atPath: target.path))
    let parent =
      destination.isFile
      ? target.deletingLastPathComponent() : FileManager.default.temporaryDirectory
    closesReplaced = replaced == nil
    self.replaced =
      try replaced
      ?? (destination.isFile && addsToStore
        ? destination.noteUnchanged() : nil)
    let names = Self.folderNames(target)
    Self.removeAbandoned(names, in: parent)
    let identifier = UUID().uuidString
    folder = parent.appendingPathComponent("\(names.own)\(identifier)", isDirectory: true)
    url = folder.appendingPathComponent(Self.draftName)
    // The folder is renamed after it is locked. Otherwise, another process could treat it as abandoned in between.
    let unlocked = parent.appendingPathComponent(
      "\(names.unlocked)\(identifier)", isDirectory: true)
    // Other users must not be able to read the draft, even if they can read other files here.
    try FileManager.default.createDirectory(
      at: unlocked, withIntermediateDirectories: false,
      attributes: [.posixPermissions: NSNumber(value: 0o700)])
    do {
      lock = try FolderLock(unlocked)
      try FileManager.default.moveItem(at: unlocked, to: folder)
    } catch {
      Self.remove(unlocked)
      throw error
    }
  }

  /// Returns the prefixes of the names of a store's draft folders: of locked ones, and of ones not locked yet.
  private static func folderNames(_ store: URL) -> (own: String, unlocked: String) {
    (prefix(of: store), ".\(store.lastPathComponent).migrating-")
  }

  /// Returns the prefix of the names of a store's locked draft folders. An unlocked folder with this prefix is
  /// abandoned.
  static func prefix(of store: URL) -> String { ".\(store.lastPathComponent).migration-" }

  /// Removes the drafts of earlier migrations of a store whose processes ended before they removed them.
  static func removeAbandoned(of store: URL) {
    let store = store.resolvingSymlinksInPath()
    removeAbandoned(folderNames(store), in: store.deletingLastPathComponent())
  }

  private static func removeAbandoned(_ names: (own: String, unlocked: String), in folder: URL) {
    removeAbandoned(names.own, in: folder)
    // Another process may be about to lock a folder that it has just created, so only old folders are
    // treated as abandoned.
    removeAbandoned(names.unlocked, in: folder, after: 60)
  }

  /// - Parameter seconds: The minimum age of the drafts.
  private static func removeAbandoned(_ prefix: String, in folder: URL, after seconds: Double = 0) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let draft = folder.appendingPathComponent(name, isDirectory: true)
      let facts = try? FileManager.default.attributesOfItem(atPath: draft.path)
      guard let changed = facts?[.modificationDate] as? Date,
        changed.timeIntervalSinceNow <= -seconds,
        let lock = try? FolderLock(draft)
      else { continue }
      withExtendedLifetime(lock) { removeAbandoned(name, of: folder) }
    }
  }

  /// Removes the files of a migration in a draft folder, and the folder if it is then empty.
  private static func removeAbandoned(_ name: String, of folder: URL) {
    do {
      let parent = try FolderHandle(folder.path)
      guard let draft = try parent.folder(name) else { return }
      let path = folder.appendingPathComponent(name, isDirectory: true)
      for file in [draftName, finishedName] {
        try StoreKind.sqlite.removeValueFiles(of: path.appendingPathComponent(file))
      }
      // A file that is written as a whole has a hidden name until it is complete.
      let beginnings = [draftName, finishedName].flatMap { [$0, ".\($0)."] }
      // Only its name identifies the folder as a draft's, so files that a migration does not create are kept.
      for file in try draft.names() where draft.kind(file) == .plainFile {
        if beginnings.contains(where: file.hasPrefix) { try draft.removeFile(file) }
      }
      if !parent.removeEmptyFolder(name) {
        Log.storeNotice("\(path.path) is not removed: it contains files that no migration created")
      }
    } catch {
      Log.storeError("\(name) in \(folder.path) cannot be removed: \(error.localizedDescription)")
    }
  }

  private static let draftName = "draft.sqlite"
  private static let finishedName = "finished"

  /// Opens the draft. If objects are added to the destination, the draft begins as a copy of it.
  func open(
    _ coordinator: NSPersistentStoreCoordinator, configuration: String?
  ) throws -> NSPersistentStore {
    var configuration = configuration
    if addsToStore {
      configuration = try destination.configuration(in: coordinator.model)
    }
    if destination.isAtomic { return try openInMemory(coordinator, configuration) }
    if addsToStore { try copyDestinationIntoDraft(coordinator, configuration) }
    var options = destination.plainOptions
    // The draft needs no protection from crashes, because it is copied if the migration succeeds, and otherwise
    // discarded. It has no history, unless it begins as a copy of the destination.
    var pragmas = options[NSSQLitePragmasOption] as? [String: Any] ?? [:]
    pragmas["synchronous"] = "OFF"
    // SQLite cannot replace the pages of an open database with pages of another size or encoding.
    for (name, value) in try replaced?.fixedPragmas() ?? [:] {
      pragmas = pragmas.filter { $0.key.lowercased() != name }
      pragmas[name] = value
    }
    options[NSSQLitePragmasOption] = pragmas
    if !addsToStore { options[NSPersistentHistoryTrackingKey] = nil }
    options[NSReadOnlyPersistentStoreOption] = nil
    options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = nil
    return try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
  }

  /// Opens a draft in memory, which preserves all digits of decimals; a SQLite column would not.
  private func openInMemory(
    _ coordinator: NSPersistentStoreCoordinator, _ configuration: String?
  ) throws -> NSPersistentStore {
    guard addsToStore else {
      return try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: configuration, at: url)
    }
    let store = try coordinator.addPersistentStore(
      ofType: destination.type, configurationName: configuration, at: destination.url,
      options: destination.plainOptions)
    return try coordinator.migratePersistentStore(store, to: url, withType: NSInMemoryStoreType)
  }

  private func copyDestinationIntoDraft(
    _ coordinator: NSPersistentStoreCoordinator, _ configuration: String?
  ) throws {
    let other = NSPersistentStoreCoordinator(managedObjectModel: coordinator.model)
    if destination.isStore(of: StoreKind.sqlite) {
      try other.replacePersistentStore(
        at: url, destinationOptions: nil, withPersistentStoreFrom: destination.url,
        sourceOptions: destination.plainOptions, ofType: NSSQLiteStoreType)
      return
    }
    let store = try other.addPersistentStore(
      ofType: destination.type, configurationName: configuration, at: destination.url,
      options: destination.plainOptions)
    let copy = try other.migratePersistentStore(store, to: url, withType: NSSQLiteStoreType)
    try other.remove(copy)
  }

  /// Replaces the destination with the draft. Closes the draft, which must be open in the coordinator.
  func finish(_ store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator) throws {
    var finished = url
    if destination.isStore(of: StoreKind.sqlite) {
      try coordinator.remove(store)
    } else {
      finished = folder.appendingPathComponent(Self.finishedName)
      let copy = try coordinator.migratePersistentStore(
        store, to: finished, options: destination.plainOptions, withType: destination.type)
      try coordinator.remove(copy)
    }
    // Fails if another process has written the destination since its state was noted.
    try coordinator.replace(
      destination.url, destination.plainOptions, with: finished, nil, destination.type,
      if: replaced)
  }

  /// Removes the draft.
  func remove() {
    if closesReplaced { replaced?.close() }
    Self.remove(folder)
  }

  /// Removes a folder.
  static func remove(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch {
      // Only log this error, because the leftover files take space but do no harm.
      Log.storeError("\(folder.path) cannot be removed: \(error.localizedDescription)")
    }
  }
}
