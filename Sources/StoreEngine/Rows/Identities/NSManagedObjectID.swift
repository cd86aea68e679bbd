/// Says which object of which store is meant, in every context and thread.
///
/// Two IDs are equal when they name the same row of the same open store. The ID of an object that
/// was never saved is temporary: it names that object in its context and in the contexts above and
/// below it. When the context at the root saves the object, the object has another, permanent ID at
/// once in all of these contexts, whatever their depth.
///
/// A temporary ID itself never changes: it stays temporary, and equal to itself alone, so that sets and
/// dictionaries keep finding it. Wherever it is passed to a context, a request or a predicate after
/// the save, it stands for the permanent ID. That is known as long as the temporary ID is in memory
/// and takes no room afterwards.
///
/// IDs are made when asked for; making and comparing them does no I/O.
///
/// Compared to Apple's Core Data: a context there finds nothing by a temporary ID whose object was
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

  /// Makes an ID that names nothing, as a stand-in in tests. Every one is another.
  public override convenience init() {
    self.init(layout: .nothing, key: StoreOrigin.nextTemporaryKey(), origin: .temporary)
  }

  /// The entity of the object.
  public var entity: NSEntityDescription { layout.entity }

  /// Whether the object was not saved yet.
  public var isTemporaryID: Bool { key < 0 }

  /// The ID as text that outlives the process:
  /// `x-coredata://<store's UUID>/<entity>/p<primary key>`. In a store of a program's own the text
  /// of the reference object stands for the key.
  ///
  /// A temporary ID gives `x-coredata:///<entity>/t<…>`, which nothing can be found by later.
  public func uriRepresentation() -> URL {
    let entity =
      layout.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? layout.name
    let text =
      isTemporaryID
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
      || key == other.key && origin === other.origin && layout.rootIndex == other.layout.rootIndex
        && layout.model === other.layout.model
  }

  /// Sets and dictionaries mix what this is made of.
  public override var hash: Int { Int(truncatingIfNeeded: key) &* 1021 ^ layout.rootIndex }

  public override var description: String {
    "<\(uriRepresentation().absoluteString)>"
  }
}

extension NSManagedObjectID: NSCopying {
  /// The same ID: it cannot change.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}
