/// A conflict of an object whose row another save has changed or deleted since the object was read.
///
/// Snapshots contain attributes and IDs of to-one destinations by name, with `NSNull` for nil, and
/// no to-many relationships. The snapshots that are present show where the row was changed:
///
/// - Through the same coordinator, by another context: `objectSnapshot` contains the values that the
///   object was read with, `cachedSnapshot` the store's current values, and `persistedSnapshot` is nil.
/// - Through another coordinator, in this process or another: `cachedSnapshot` contains the values
///   that the object was read with, `persistedSnapshot` the store's current values, and
///   `objectSnapshot` is nil.
///
/// The snapshot of the store's current values is nil if the row is gone.
///
/// If an undo inserted a deleted object again, and another save did so as well, the conflict has the snapshots of the
/// second case. `cachedSnapshot` is then nil, because the object was not read from the new row.
///
/// Compared to Apple's Core Data: the coordinator has no row cache. After another coordinator or process has written to
/// the store, all conflicts have the snapshots of the second case, until the store is opened again.
///
/// ```swift
/// func describe(_ error: NSError) {
///   let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
///   for conflict in conflicts ?? [] {
///     let isForeign = conflict.objectSnapshot == nil
///     print("read:", (isForeign ? conflict.cachedSnapshot : conflict.objectSnapshot) ?? [:])
///     print("stored:", (isForeign ? conflict.persistedSnapshot : conflict.cachedSnapshot) ?? [:])
///   }
/// }
/// ```
nonisolated open class NSMergeConflict: NSObject {
  /// The object to be saved.
  public let sourceObject: NSManagedObject
  /// The values that the object was read with; nil if `cachedSnapshot` contains them, or if the object was never read.
  public let objectSnapshot: [String: Any]?
  /// The store's current values; if `objectSnapshot` is nil, the values that the object was read with.
  public let cachedSnapshot: [String: Any]?
  /// The store's current values; nil if `cachedSnapshot` contains them, or if the row is gone.
  ///
  /// ```swift
  /// func ages(_ conflict: NSMergeConflict) -> (read: Int?, stored: Int?) {
  ///   let read = conflict.cachedSnapshot?["age"] as? Int
  ///   return (read, conflict.persistedSnapshot?["age"] as? Int)
  /// }
  /// ```
  public let persistedSnapshot: [String: Any]?
  /// The version of the row in the store; 0 if the row is gone.
  public let newVersionNumber: Int
  /// The version that the object was read with; 0 if the object was never read.
  public let oldVersionNumber: Int
  /// The store's current row, if this library found the conflict.
  let present: RowSnapshot?

  /// Creates a conflict that a custom store has found.
  public init(
    source: NSManagedObject, newVersion: Int, oldVersion: Int, cachedSnapshot: [String: Any]?,
    persistedSnapshot: [String: Any]?
  ) {
    sourceObject = source
    objectSnapshot = nil
    self.cachedSnapshot = cachedSnapshot
    self.persistedSnapshot = persistedSnapshot
    newVersionNumber = newVersion
    oldVersionNumber = oldVersion
    present = nil
    super.init()
  }

  /// - Parameters:
  ///   - read: The row that the object was read with; `none` if it was not read.
  ///   - present: The store's row; `none` if it is gone.
  ///   - isForeign: Whether another coordinator or process has changed the store since it was opened.
  init(
    _ object: NSManagedObject, oldVersion: Int32, read: RowSnapshot, present: RowSnapshot,
    isForeign: Bool
  ) {
    func values(_ snapshot: RowSnapshot) -> [String: Any]? {
      snapshot.values(in: object.layout, origin: object.origin)
    }
    sourceObject = object
    objectSnapshot = isForeign ? nil : values(read)
    cachedSnapshot = isForeign ? values(read) : values(present)
    persistedSnapshot = isForeign ? values(present) : nil
    newVersionNumber = Int(present.version)
    oldVersionNumber = Int(oldVersion)
    self.present = present
    super.init()
  }

  /// A short text with the object and the versions.
  var summary: String {
    "\(sourceObject.layout.name) \(sourceObject.ownID.uriRepresentation().absoluteString):"
      + " version \(oldVersionNumber)"
      + (newVersionNumber == 0 ? ", the row is gone" : " → \(newVersionNumber)")
  }

  open override var description: String {
    let isForeign = objectSnapshot == nil
    let old = isForeign ? cachedSnapshot : objectSnapshot
    let new = isForeign ? persistedSnapshot : cachedSnapshot
    return "NSMergeConflict for \(sourceObject.layout.name) with objectID"
      + " '\(sourceObject.ownID.uriRepresentation().absoluteString)' with oldVersion ="
      + " \(oldVersionNumber) and newVersion = \(newVersionNumber) and old"
      + " \(isForeign ? "cached row" : "object snapshot") = \(SnapshotText.text(old)) and new"
      + " \(isForeign ? "database row" : "cached row") = \(SnapshotText.text(new))"
  }
}

/// The text of snapshots in messages.
enum SnapshotText {
  static func text(_ snapshot: [String: Any]?) -> String {
    guard let snapshot else { return "(null)" }
    // A dictionary's order is random in each process; messages have a fixed order.
    let parts = snapshot.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { name in
      switch snapshot[name] {
      case let id as NSManagedObjectID: "\(name) = \(id.uriRepresentation().absoluteString)"
      case nil, is NSNull: "\(name) = nil"
      case let value?: "\(name) = \(MessageText.description(of: value))"
      }
    }
    return "{ " + parts.joined(separator: "; ") + " }"
  }
}

extension RowSnapshot {
  /// Returns attributes and IDs of to-one destinations by name, with `NSNull` for nil; nil if there is no row.
  func values(in layout: EntityLayout, origin: StoreOrigin) -> [String: Any]? {
    guard isPresent else { return nil }
    var values: [String: Any] = [:]
    for slot in layout.slots where !slot.isTransient && slot.composite == nil {
      switch slot.kind {
      case .attribute, .toOne:
        values[slot.name] =
          AttributeCodec.external(value(of: slot, in: layout, origin: origin), slot) ?? NSNull()
      case .composite:
        let dictionary = CompositeValue(slot, in: layout).dictionary {
          AttributeCodec.external(value(of: $0, in: layout, origin: origin), $0)
        }
        values[slot.name] = dictionary ?? NSNull()
      case .toMany, .fetched: break
      }
    }
    return values
  }
}
