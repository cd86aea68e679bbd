/// Store option, an `NSNumber`: reads a SQLite store as evidence, without modifying anything. No file in its folder
/// is changed or created. On Linux, access times are not updated either, if the process runs as the owner of the files
/// or as root. The content of the store's write-ahead log is read as well.
///
/// ```swift
/// description.setOption(true as NSNumber, forKey: immutableStoreOption)
/// ```
///
/// The store is open for reading only and must not change: writes by other processes while it is open are not seen,
/// and may make results wrong. (With `NSReadOnlyPersistentStoreOption` alone, the folder is unchanged only as long as
/// no other process has the store open; otherwise the store is shared with those processes.)
///
/// Compared to Apple's Core Data: new.
public let immutableStoreOption = "OpenCoreData.Immutable"
