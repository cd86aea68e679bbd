/// The key of a store's option, an `NSNumber`, by which a SQLite store is read as evidence: not one byte and no time
/// of a file in its folder changes, nor is a file made there, and what is in the store's write-ahead log is read as
/// well.
///
/// ```swift
/// description.setOption(true as NSNumber, forKey: immutableStoreOption)
/// ```
///
/// The store is open for reading only. It is taken not to change: what another process writes while it is open is not
/// seen, and may make what is read wrong. (`NSReadOnlyPersistentStoreOption` alone leaves the folder alone as long as
/// no other process has the store open, and shares the store with those that have.)
///
/// Compared to Apple's Core Data: new.
public let immutableStoreOption = "OpenCoreData.Immutable"
