/// Identifies an object of a store in all contexts and on all threads.
///
/// Two IDs are equal if they identify the same row of the same open store. The ID of an object that was never saved
/// is temporary: it identifies the object in its context and in the contexts above and below it. When the root
/// context saves the object, it gets a permanent ID in all of these contexts at the same time.
///
/// A temporary ID itself does not change: it stays temporary, and is equal only to itself, so that sets and
/// dictionaries still find it. When it is passed to a context, a request or a predicate after the save, it is treated
/// as the permanent ID. The mapping exists as long as the temporary ID is in memory, and takes no memory afterwards.
///
/// IDs are created on demand. Creating and comparing them does no I/O.
///
/// Compared to Apple's Core Data: there, a context does not find an object by its temporary ID after the object was
/// saved.
public final class NSManagedObjectID: NSObject, @unchecked Sendable {
  package let layout: EntityLayout
  /// The primary key in the store, or a negative number for a temporary ID.
  @usableFromInline package let key: Int64
  package let origin: StoreOrigin

  package init(layout: EntityLayout, key: Int64, origin: StoreOrigin) {
    self.layout = layout
    self.key = key
    self.origin = origin
    super.init()
    if key < 0 { TemporaryIDs.shared.addUse(of: key) }
  }

  deinit { if key < 0 { TemporaryIDs.shared.removeUse(of: key) } }

  /// Creates an ID that identifies nothing, as a placeholder in tests. All of these IDs differ.
  public override convenience init() {
    self.init(layout: .nothing, key: StoreOrigin.nextTemporaryKey(), origin: .temporary)
  }

  /// The entity of the object.
  public var entity: NSEntityDescription { layout.entity }

  /// Whether the ID is temporary, because the object was not saved when the ID was created.
  public var isTemporaryID: Bool { key < 0 }

  /// Returns the ID as a URI that can be used in another process: `x-coredata://<UUID of the
  /// store>/<entity>/p<primary key>`. For a custom store, the string of the reference object replaces the key.
  ///
  /// The URI of a temporary ID is `x-coredata:///<entity>/t<…>`, which identifies nothing later.
  public func uriRepresentation() -> URL {
    let entity =
      layout.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? layout.name
    let text =
      isTemporaryID
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

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    return self === other
      // The entities of a table share its keys, and an ID may have been created with a parent
      // entity.
      || key == other.key && origin === other.origin && layout.rootIndex == other.layout.rootIndex
        && layout.model === other.layout.model
  }

  /// This value need not be well distributed, because sets and dictionaries hash it again.
  public override var hash: Int { Int(truncatingIfNeeded: key) &* 1021 ^ layout.rootIndex }

  public override var description: String {
    "<\(uriRepresentation().absoluteString)>"
  }
}

extension NSManagedObjectID: NSCopying {
  /// Returns the ID itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}
