/// A state of the stores that a context's reads stay at, whatever is saved meanwhile.
///
/// `current` stands for the latest state at the time of the first read. Other tokens are had from
/// a context that is pinned, and can be given to others, which then read the same state.
///
/// A token keeps the state readable as long as it is in use: a snapshot of the store's write-ahead
/// log, which cannot be cut back meanwhile. Only SQLite stores in WAL mode have states; others are
/// read as they are.
nonisolated open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  /// The latest state at the time of the first read.
  public class var current: NSQueryGenerationToken { latest }
  private static let latest = NSQueryGenerationToken(engines: [:])

  /// Engines that read a snapshot, by the origin of their store.
  private let engines: [ObjectIdentifier: any StoreEngine]

  init(engines: [ObjectIdentifier: any StoreEngine]) {
    self.engines = engines
    super.init()
  }

  /// Makes a token of no state: what is read by it is the latest state at each read.
  public override convenience init() { self.init(engines: [:]) }

  var isCurrent: Bool { self === Self.latest }

  /// The engine that reads a store's snapshot.
  func engine(of store: NSPersistentStore) -> any StoreEngine {
    engines[ObjectIdentifier(store.engine.origin)] ?? store.engine
  }

  /// A token of the stores as they are now; nil when none has states.
  static func latest(of coordinator: NSPersistentStoreCoordinator) throws -> NSQueryGenerationToken?
  {
    var engines: [ObjectIdentifier: any StoreEngine] = [:]
    for store in coordinator.persistentStores {
      if let snapshot = try store.engine.snapshot() {
        engines[ObjectIdentifier(store.engine.origin)] = snapshot
      }
    }
    return engines.isEmpty ? nil : NSQueryGenerationToken(engines: engines)
  }

  /// The same token: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Secure coding is supported.
  public static var supportsSecureCoding: Bool { true }

  /// Writes nothing: a state does not outlive the process.
  open func encode(with coder: NSCoder) {}

  /// Gives nil.
  ///
  /// Compared to Apple's Core Data: a token cannot be read back from an archive, since the state
  /// does not outlive the process.
  public required convenience init?(coder: NSCoder) { return nil }
}
