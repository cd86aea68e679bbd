/// Option: the coordinator posts `NSPersistentStoreRemoteChange` when the store was written, a number.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationPostOptionKey"
/// Option: the store's file is looked at this often, a number of seconds, rather than when the system
/// tells that it was written.
///
/// For file systems that do not tell of what is written elsewhere and are not known for it: folders that
/// a virtual machine shares with its host, for example. Network file systems are known, and are looked
/// at 20 times a second without being asked.
///
/// Compared to Apple's Core Data: new.
public let storePollingIntervalOption = "OpenCoreData.PollingInterval"

/// The URL of the store, in the user info of `NSPersistentStoreRemoteChange`.
public let NSPersistentStoreURLKey = "storeURL"
/// The history token of the store's state, in the user info of `NSPersistentStoreRemoteChange`; there
/// where the store has history.
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSNotification.Name {
  /// Posted by a coordinator when one of its stores was written: by another process, by another
  /// coordinator of this one, or by itself.
  ///
  /// Only for SQLite stores that were opened with
  /// `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. It is posted on a thread of its own: go to
  /// a context's queue before doing anything. `NSStoreUUIDKey` and `NSPersistentStoreURLKey` say which
  /// store it was, and where the store has history `NSPersistentHistoryTokenKey` up to where.
  ///
  /// Several saves of others that come at once may be told together. Without history it may also be
  /// posted when another process only tidied the file up.
  public static let NSPersistentStoreRemoteChange = NSNotification.Name(
    "NSPersistentStoreRemoteChangeNotification")
}
