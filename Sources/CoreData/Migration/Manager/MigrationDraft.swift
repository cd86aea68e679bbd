/// The store in which a migration makes the destination: a SQLite file beside it, under another name, or a store in memory
/// for a destination that is read and written as a whole.
///
/// It takes the destination's place as a whole. A process that ends before leaves a hidden folder with the
/// draft, which the next migration to that place removes, and the destination as it was.
struct MigrationDraft {
  private let destination: MigrationEndpoint
  private let addsToStore: Bool
  private let folder: URL
  /// Held as long as there is the folder, so that others know that it is not left behind.
  private let lock: FolderLock?
  /// What is at the destination, where it is replaced.
  private let replaced: (any UnchangedFile)?
  /// Whether that is the draft's to close.
  private let closesReplaced: Bool
  let url: URL

  /// Makes the folder of a draft.
  ///
  /// - Parameters:
  ///   - replacesStore: whether what is at the destination is left out, and goes in the end.
  ///   - replaced: what is left out, as it was before it was read.
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
    // It has its name when it is locked, lest others find it abandoned.
    let unlocked = parent.appendingPathComponent(
      "\(names.unlocked)\(identifier)", isDirectory: true)
    // Nobody else may read the draft, whoever may read other files here.
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

  /// What the names of drafts of a store begin with, before and after they are locked.
  private static func folderNames(_ store: URL) -> (own: String, unlocked: String) {
    (prefix(of: store), ".\(store.lastPathComponent).migrating-")
  }

  /// What the names of folders begin with that are there for a migration of a store: those that nobody has locked are
  /// left behind.
  static func prefix(of store: URL) -> String { ".\(store.lastPathComponent).migration-" }

  /// Removes the drafts of migrations of a store whose processes ended.
  static func removeAbandoned(of store: URL) {
    let store = store.resolvingSymlinksInPath()
    removeAbandoned(folderNames(store), in: store.deletingLastPathComponent())
  }

  private static func removeAbandoned(_ names: (own: String, unlocked: String), in folder: URL) {
    removeAbandoned(names.own, in: folder)
    removeAbandoned(names.unlocked, in: folder, after: 60)
  }

  /// - Parameter seconds: how old they have to be.
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

  /// Removes what a migration makes in the folder of a draft, file by file, and the folder if it is empty then. Only
  /// its name says whose it is, so whatever else is in it stays, and it with that.
  private static func removeAbandoned(_ name: String, of folder: URL) {
    do {
      let parent = try FolderHandle(folder.path)
      guard let draft = try parent.folder(name) else { return }
      let path = folder.appendingPathComponent(name, isDirectory: true)
      for file in [draftName, finishedName] {
        try StoreKind.sqlite.removeValueFiles(of: path.appendingPathComponent(file))
      }
      // A file that is written as a whole has a hidden name until it is.
      let beginnings = [draftName, finishedName].flatMap { [$0, ".\($0)."] }
      for file in try draft.names() where draft.kind(file) == .plainFile {
        if beginnings.contains(where: file.hasPrefix) { try draft.removeFile(file) }
      }
      if !parent.removeEmptyFolder(name) {
        Log.storeNotice("\(path.path) stays: there is something in it that is no migration's")
      }
    } catch {
      Log.storeError("\(name) in \(folder.path) stays behind: \(error.localizedDescription)")
    }
  }

  private static let draftName = "draft.sqlite"
  private static let finishedName = "finished"

  /// Opens the draft, with what is at the destination and stays.
  func open(
    _ coordinator: NSPersistentStoreCoordinator, configuration: String?
  ) throws -> NSPersistentStore {
    var configuration = configuration
    if addsToStore {
      configuration = try destination.configuration(in: coordinator.managedObjectModel)
    }
    if destination.isAtomic { return try openInMemory(coordinator, configuration) }
    if addsToStore { try copyDestinationIntoDraft(coordinator, configuration) }
    var options = destination.plainOptions
    // The draft is thrown away unless all is well, and copied then; and it has no history.
    var pragmas = options[NSSQLitePragmasOption] as? [String: Any] ?? [:]
    pragmas["synchronous"] = "OFF"
    // Pages of another size, or texts in another encoding, cannot be put in the place of those of a database
    // that is open.
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

  /// A draft that has all digits of decimals, which a column of SQLite has not.
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
    let other = NSPersistentStoreCoordinator(managedObjectModel: coordinator.managedObjectModel)
    if destination.type == NSSQLiteStoreType {
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

  /// Puts the draft in the destination's place. The draft has to be open in the coordinator, and is
  /// closed.
  func finish(_ store: NSPersistentStore, _ coordinator: NSPersistentStoreCoordinator) throws {
    var finished = url
    if destination.type == NSSQLiteStoreType {
      try coordinator.remove(store)
    } else {
      finished = folder.appendingPathComponent(Self.finishedName)
      let copy = try coordinator.migratePersistentStore(
        store, to: finished, options: destination.plainOptions, withType: destination.type)
      try coordinator.remove(copy)
    }
    try coordinator.replace(
      destination.url, destination.plainOptions, with: finished, nil, destination.type,
      if: replaced)
  }

  /// Removes the draft.
  func remove() {
    if closesReplaced { replaced?.close() }
    Self.remove(folder)
  }

  /// Removes a folder; what cannot be removed is only waste, and is logged.
  static func remove(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch {
      Log.storeError("\(folder.path) stays behind: \(error.localizedDescription)")
    }
  }
}
