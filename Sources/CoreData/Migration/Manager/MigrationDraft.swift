import Foundation
import ObjectModel

/// The store in which a migration makes the destination: a SQLite file beside it, under another name.
///
/// It takes the destination's place as a whole. A process that ends before leaves a hidden folder with the
/// draft, and the destination as it was.
struct MigrationDraft {
  private let destination: MigrationPlace
  private let folder: URL
  let url: URL

  init(for destination: MigrationPlace) throws {
    self.destination = destination
    let target = destination.url.resolvingSymlinksInPath()
    let parent =
      destination.isFile
      ? target.deletingLastPathComponent() : FileManager.default.temporaryDirectory
    folder = parent.appendingPathComponent(
      ".\(target.lastPathComponent)-migration-\(UUID().uuidString)")
    url = folder.appendingPathComponent("draft.sqlite")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  /// Whether there is a store at the destination.
  private var isThere: Bool {
    SQLiteStore.exists(destination.url.resolvingSymlinksInPath())
      || destination.isFile
        && FileManager.default.fileExists(atPath: destination.url.resolvingSymlinksInPath().path)
  }

  /// Opens the draft, with what is at the destination.
  func open(
    _ coordinator: NSPersistentStoreCoordinator, configuration: String?
  ) throws -> NSPersistentStore {
    var configuration = configuration
    if isThere {
      configuration = try destination.configuration(in: coordinator.managedObjectModel)
      try takeOver(coordinator, configuration)
    }
    var options = destination.plainOptions
    // The draft is thrown away unless all is well, and copied then; and it has no history.
    var pragmas = options[NSSQLitePragmasOption] as? [String: Any] ?? [:]
    pragmas["synchronous"] = "OFF"
    options[NSSQLitePragmasOption] = pragmas
    if !isThere { options[NSPersistentHistoryTrackingKey] = nil }
    options[NSReadOnlyPersistentStoreOption] = nil
    options[NSPersistentStoreRemoteChangeNotificationPostOptionKey] = nil
    return try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
  }

  private func takeOver(
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
      finished = folder.appendingPathComponent("finished")
      let copy = try coordinator.migratePersistentStore(
        store, to: finished, options: destination.plainOptions, withType: destination.type)
      try coordinator.remove(copy)
    }
    try coordinator.replacePersistentStore(
      at: destination.url, destinationOptions: destination.plainOptions,
      withPersistentStoreFrom: finished, sourceOptions: nil, ofType: destination.type)
  }

  /// Removes the draft.
  func remove() {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Log.storeError("\(folder.path) stays behind: \(error.localizedDescription)")
    }
  }
}
