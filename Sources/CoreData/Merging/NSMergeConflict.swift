/// An object whose row another save changed or removed since the object was read.
///
/// Snapshots have the attributes and the IDs of to-one destinations by name, `NSNull` for none;
/// to-many relationships are not in them. Which snapshots there are says where the row was changed:
///
/// - through the same coordinator, by another context: `objectSnapshot` is what the object was read
///   with, `cachedSnapshot` what the store has now, `persistedSnapshot` is nil;
/// - through another coordinator, in this process or another: `cachedSnapshot` is what the object
///   was read with, `persistedSnapshot` what the store has now, `objectSnapshot` is nil.
///
/// The snapshot of what the store has is nil when the row is gone.
///
/// Compared to Apple's Core Data: the coordinator keeps no rows, so it tells the two apart by
/// whether anybody else ever wrote to the file since it was opened.
nonisolated open class NSMergeConflict: NSObject {
  /// The object that was to be saved.
  public let sourceObject: NSManagedObject
  /// The values that the object was read with.
  public let objectSnapshot: [String: Any]?
  /// The values that the coordinator knows.
  public let cachedSnapshot: [String: Any]?
  /// The values in the store.
  public let persistedSnapshot: [String: Any]?
  /// The version of the row in the store; 0 when it is gone.
  public let newVersionNumber: Int
  /// The version that the object was read with.
  public let oldVersionNumber: Int
  /// The store's present row, where this library found the conflict.
  let present: RowSnapshot?

  /// Describes a conflict that a store of the program's own found.
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
  ///   - present: the store's row; `none` when it is gone.
  ///   - isElsewhere: whether somebody else than the object's coordinator changed it.
  init(_ object: NSManagedObject, oldVersion: Int32, present: RowSnapshot, isElsewhere: Bool) {
    func values(_ snapshot: RowSnapshot) -> [String: Any]? {
      snapshot.values(in: object.layout, origin: object.origin)
    }
    sourceObject = object
    objectSnapshot = isElsewhere ? nil : values(object.snapshot)
    cachedSnapshot = isElsewhere ? values(object.snapshot) : values(present)
    persistedSnapshot = isElsewhere ? values(present) : nil
    newVersionNumber = Int(present.version)
    oldVersionNumber = Int(oldVersion)
    self.present = present
    super.init()
  }

  /// The object and the versions, in short.
  var summary: String {
    "\(sourceObject.layout.name) \(sourceObject.objectID.uriRepresentation().absoluteString):"
      + " version \(oldVersionNumber)"
      + (newVersionNumber == 0 ? ", the row is gone" : " → \(newVersionNumber)")
  }

  open override var description: String {
    let isElsewhere = objectSnapshot == nil
    let old = isElsewhere ? cachedSnapshot : objectSnapshot
    let new = isElsewhere ? persistedSnapshot : cachedSnapshot
    return "NSMergeConflict for \(sourceObject.layout.name) with objectID"
      + " '\(sourceObject.objectID.uriRepresentation().absoluteString)' with oldVersion ="
      + " \(oldVersionNumber) and newVersion = \(newVersionNumber) and old"
      + " \(isElsewhere ? "cached row" : "object snapshot") = \(SnapshotText.text(old)) and new"
      + " \(isElsewhere ? "database row" : "cached row") = \(SnapshotText.text(new))"
  }
}

/// Snapshots in messages, by name.
enum SnapshotText {
  static func text(_ snapshot: [String: Any]?) -> String {
    guard let snapshot else { return "(null)" }
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
  /// Attributes and IDs of to-one destinations by name, `NSNull` for none; nil when nothing is known.
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
