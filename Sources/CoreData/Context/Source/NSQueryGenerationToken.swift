/// A state of the stores to which a context's reads can be pinned.
///
/// `current` represents the latest state at the time of the first read. Get other tokens from a
/// pinned context; other contexts that are pinned to them read the same state.
///
/// While a token is in use, its state stays readable: a snapshot of the store's write-ahead log, which SQLite cannot
/// truncate meanwhile. Only SQLite stores in WAL mode support pinning. Reads of other stores always see the latest
/// state.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let count = try context.count(for: Person.fetchRequest())
/// ```
nonisolated open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  /// The latest state at the time of the first read.
  public class var current: NSQueryGenerationToken { latest }
  private static let latest = NSQueryGenerationToken(engines: [:])

  /// The engines that read the snapshots, by the origin of their store.
  private let engines: [ObjectIdentifier: any StoreEngine]

  init(engines: [ObjectIdentifier: any StoreEngine]) {
    self.engines = engines
    super.init()
  }

  /// Makes a token without a state. Reads pinned to it see the latest state.
  public override convenience init() { self.init(engines: [:]) }

  var isCurrent: Bool { self === Self.latest }

  /// Returns the engine that reads a store's snapshot.
  func engine(of store: NSPersistentStore) -> any StoreEngine {
    engines[ObjectIdentifier(store.engine.origin)] ?? store.engine
  }

  /// Makes a token of the stores' current state; nil if no store supports pinning.
  static func latest(of stores: [NSPersistentStore]) throws -> NSQueryGenerationToken? {
    var engines: [ObjectIdentifier: any StoreEngine] = [:]
    for store in stores {
      if let snapshot = try store.engine.snapshot() {
        engines[ObjectIdentifier(store.engine.origin)] = snapshot
      }
    }
    return engines.isEmpty ? nil : NSQueryGenerationToken(engines: engines)
  }

  /// Returns the token itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Always `true`.
  public static var supportsSecureCoding: Bool { true }

  /// Writes nothing, because a state does not outlive the process.
  open func encode(with coder: NSCoder) {}

  /// Always returns nil.
  ///
  /// Compared to Apple's Core Data: tokens cannot be decoded, because a state does not outlive the
  /// process.
  public required convenience init?(coder: NSCoder) { return nil }
}
