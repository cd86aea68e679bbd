public import Foundation

/// Two saves that changed one object.
open class NSMergeConflict: NSObject {
  /// The object that was to be saved.
  public let sourceObject: NSManagedObject
  /// The version of the row in the store; 0 when it is gone.
  public let newVersionNumber: Int
  /// The version that the object was read with.
  public let oldVersionNumber: Int
  /// The values that the object was read with, by property name.
  public let cachedSnapshot: [String: Any]?
  /// The values in the store.
  public let persistedSnapshot: [String: Any]?

  /// Describes a conflict.
  public init(
    source: NSManagedObject, newVersion: Int, oldVersion: Int, cachedSnapshot: [String: Any]?,
    persistedSnapshot: [String: Any]?
  ) {
    sourceObject = source
    newVersionNumber = newVersion
    oldVersionNumber = oldVersion
    self.cachedSnapshot = cachedSnapshot
    self.persistedSnapshot = persistedSnapshot
    super.init()
  }

  open override var description: String {
    "NSMergeConflict for \(sourceObject.objectID) with oldVersion = \(oldVersionNumber) and"
      + " newVersion = \(newVersionNumber)"
  }
}
