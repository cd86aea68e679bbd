import CoreData

// The default isolation of this target is the main actor, as in new projects for Apple's platforms.
// The library's classes are nonisolated, and so are their subclasses. Extensions must be declared
// `nonisolated`.

/// Public, because a public generated class has methods with parameters of this type.
public class Note: NSManagedObject {
  /// The title in the list.
  @NSManaged public var title: String?
  /// The folder that contains the note.
  @NSManaged public var folder: Folder?

  public override func awakeFromInsert() {
    super.awakeFromInsert()
    title = Self.untitled
  }

  public override func willSave() {
    super.willSave()
    if title?.isEmpty == true { title = Self.untitled }
  }

  private static var untitled: String { "untitled" }
}

extension NSManagedObject {
  nonisolated var isNew: Bool { objectID.isTemporaryID }
}

extension NSManagedObjectContext {
  nonisolated func saveIfNeeded() throws {
    if hasChanges { try save() }
  }
}

nonisolated final class Container: NSPersistentContainer, @unchecked Sendable {
  override class func defaultDirectoryURL() -> URL {
    FileManager.default.temporaryDirectory
  }
}

final class Policy: NSEntityMigrationPolicy {
  private var mappings: [String] = []

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    mappings.append(mapping.name)
    try super.begin(mapping, with: manager)
  }
}

final class ShoutingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? String)?.uppercased() }
}
