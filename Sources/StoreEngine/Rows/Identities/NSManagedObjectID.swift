/// Identifies an object of a store in all contexts and on all threads.
///
/// Two IDs are equal if they identify the same row of the same open store. The ID of an object that was never saved is
/// temporary: it identifies the object in its context and in the contexts above and below it. When the root context
/// saves the object, or `obtainPermanentIDs(for:)` is called for it, the object gets a permanent ID in all of these
/// contexts at the same time.
///
/// A temporary ID itself does not change: it stays temporary, and is equal only to itself, so that sets and
/// dictionaries still find it. When it is passed to a context, a request or a predicate after the save, it is treated
/// as the permanent ID. The mapping exists as long as the temporary ID is in memory, and takes no memory afterwards.
///
/// IDs are created on demand. Creating and comparing them does no I/O.
///
/// A test can make an ID of a subclass. It identifies no object, whatever its members return: `object(with:)` returns
/// a fault without a row, and a predicate finds nothing.
///
/// ```swift
/// final class MadeUpID: NSManagedObjectID, @unchecked Sendable {
///   override func uriRepresentation() -> URL { URL(fileURLWithPath: "/made/up") }
/// }
/// print(MadeUpID().uriRepresentation().path)  // /made/up
/// ```
///
/// Compared to Apple's Core Data: there, a context does not find an object by its temporary ID after the object was
/// saved.
nonisolated open class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
  // The library reads these constants, so that an override in a subclass has no effect on it.
  package final let layout: EntityLayout
  /// The primary key in the store, or a negative number for a temporary ID.
  @usableFromInline package final let key: Int64
  package final let origin: StoreOrigin

  package init(layout: EntityLayout, key: Int64, origin: StoreOrigin) {
    self.layout = layout
    self.key = key
    self.origin = origin
    super.init()
    if key < 0 { TemporaryIDs.shared.addUse(of: key) }
  }

  /// Creates an ID that identifies nothing, as a placeholder in tests. All of these IDs differ.
  public override init() {
    layout = .nothing
    key = StoreOrigin.nextTemporaryKey()
    origin = .temporary
    super.init()
    TemporaryIDs.shared.addUse(of: key)
  }

  deinit { if key < 0 { TemporaryIDs.shared.removeUse(of: key) } }

  /// The entity of the object.
  open var entity: NSEntityDescription { layout.entity }

  /// Whether the ID is temporary, because the object had no permanent ID when this ID was created.
  open var isTemporaryID: Bool { key < 0 }

  /// Returns the ID as a URI that can be used in another process: `x-coredata://<UUID of the
  /// store>/<entity>/p<primary key>`. For a custom store, the string of the reference object replaces the key.
  ///
  /// The URI of a temporary ID is `x-coredata:///<entity>/t<…>`, which identifies nothing later.
  open func uriRepresentation() -> URL {
    let entity =
      layout.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? layout.name
    let text =
      key < 0
      // The identifier is that of this process, so temporary URIs of two processes differ.
      ? "x-coredata:///\(entity)/t\(origin.identifier)\(key.magnitude)"
      : "x-coredata://\(origin.identifier)/\(entity)/p\(keyText)"
    return URL(string: text) ?? URL(fileURLWithPath: "/")
  }

  private var keyText: String {
    guard let references = origin.references else { return "\(key)" }
    let text = references.text(of: key)
    return text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    return self === other
      || key == other.key && origin === other.origin
        // The entities of a table share its keys, and an ID may have been created with a parent entity.
        && layout.rootIndex == other.layout.rootIndex && layout.model === other.layout.model
  }

  /// This value need not be well distributed, because sets and dictionaries hash it again.
  open override var hash: Int { Int(truncatingIfNeeded: key) &* 1021 ^ layout.rootIndex }

  open override var description: String {
    "<\(uriRepresentation().absoluteString)>"
  }

  /// Returns the ID itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
