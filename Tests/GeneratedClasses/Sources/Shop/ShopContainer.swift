import CoreData

/// A container as programs have them, with what is made when it is needed.
public final class ShopContainer: NSPersistentContainer, @unchecked Sendable {
  /// For imports, which merge by the rules of the object.
  public private(set) lazy var importContext: NSManagedObjectContext = {
    let context = newBackgroundContext()
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    return context
  }()
}
