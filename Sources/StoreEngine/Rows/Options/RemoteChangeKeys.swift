/// Option, a number: the coordinator posts `NSPersistentStoreRemoteChange` after the store was written.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// Option: the interval in seconds for polling the store's file, instead of waiting for a notification of the system.
///
/// This is for file systems that do not report the writes of other computers, and that the library does not recognize
/// as such. It recognizes network file systems, FUSE file systems, and folders that a virtual machine shares with its
/// host, and polls stores on them 20 times a second without this option.
///
/// Compared to Apple's Core Data: new.
public let storePollingIntervalOption = "OpenCoreData.PollingInterval"

/// The URL of the store, in the user info of `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreURLKey = "storeURL"
/// The history token of the store's current state, in the user info of `NSPersistentStoreRemoteChange`, if the store
/// has a history.
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSNotification.Name {
  /// Posted by a coordinator after one of its stores was written by another process, by another coordinator of this
  /// process, or by itself.
  ///
  /// Posted only for SQLite stores that were opened with
  /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. It is posted on a private thread, so use a
  /// context's queue for all work. `NSStoreUUIDKey` and `NSPersistentStoreURLKey` identify the store, and if it
  /// has a history, `NSPersistentHistoryTokenKey` is its current position.
  ///
  /// One notification may stand for several saves of other processes. Without history, it may also be posted after
  /// another process wrote the file without a save, for example with `VACUUM`.
  public static let NSPersistentStoreRemoteChange = NSNotification.Name(
    "NSPersistentStoreRemoteChangeNotification")
}
