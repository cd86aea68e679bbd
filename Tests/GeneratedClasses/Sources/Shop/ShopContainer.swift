import CoreData

/// A container with a lazy context, as in many applications.
public final class ShopContainer: NSPersistentContainer, @unchecked Sendable {
  /// A context for imports, whose merge policy prefers the objects' values.
  public private(set) lazy var importContext: NSManagedObjectContext = {
    let context = newBackgroundContext()
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    return context
  }()
}
