import CoreData

/// A custom store, as a program would write one. It keeps objects in dictionaries that all stores with
/// the same URL share, counts its calls, and fails when a test requests it.
final class DictionaryStore: NSIncrementalStore, @unchecked Sendable {
  static let storeType = "TestDictionaryStore"

  /// The data that a server would keep.
  final class Server: @unchecked Sendable {
    /// The values of each object, by entity name and reference. The references of a relationship's members
    /// are under its name with a leading `=`.
    var rows: [String: [String: [String: Any]]] = [:]
    var nextNumber = 1
    var calls: [String: Int] = [:]
    var failing: Set<String> = []
    var requests: [String] = []
    /// The number of objects that are registered in contexts.
    var inUse = 0
    /// The permanent IDs to return instead of the right ones.
    var wrongIDs: [NSManagedObjectID]?
    /// The object to return instead of the right ones, for requests and relationships.
    var wrongObject: NSManagedObjectID?
    /// Whether the store returns an empty node for an object that it does not have.
    var answersWithEmptyNodes = false

    func note(_ call: String) throws {
      calls[call, default: 0] += 1
      if failing.contains(call) {
        throw NSError(
          domain: "Server", code: 503, userInfo: [NSLocalizedDescriptionKey: "\(call) is down"])
      }
    }

    func drainCalls() -> [String: Int] {
      defer { calls = [:] }
      return calls
    }
  }

  nonisolated(unsafe) static var servers: [URL: Server] = [:]
  private static let lock = NSLock()

  static func register() {
    NSPersistentStoreCoordinator.registerStoreClass(
      DictionaryStore.self, type: .init(rawValue: storeType))
  }

  static func server(at url: URL) -> Server {
    lock.withLock {
      let server = servers[url] ?? Server()
      servers[url] = server
      return server
    }
  }

  private lazy var server: Server = { Self.server(at: url ?? URL(fileURLWithPath: "/")) }()

  override var type: String { Self.storeType }

  override func loadMetadata() throws {
    try server.note("loadMetadata")
    metadata = [
      NSStoreUUIDKey: "SERVER-\(url?.lastPathComponent ?? "")", NSStoreTypeKey: Self.storeType,
    ]
  }

  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    if let save = request as? NSSaveChangesRequest { return try self.save(save) }
    guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>, let context,
      let name = fetch.entityName, let entity = fetch.entity
    else { throw CocoaError(.featureUnsupported) }
    try server.note("fetch")
    server.requests.append("\(name) \(fetch.predicate?.description ?? "-") \(fetch.fetchLimit)")
    if let wrong = server.wrongObject { return [wrong] }
    var references = (server.rows[name] ?? [:]).keys.sorted()
    if let predicate = fetch.predicate {
      references = references.filter {
        predicate.evaluate(with: (server.rows[name]?[$0] ?? [:]) as NSDictionary)
      }
    }
    if fetch.fetchOffset > 0 { references = Array(references.dropFirst(fetch.fetchOffset)) }
    if fetch.fetchLimit > 0 { references = Array(references.prefix(fetch.fetchLimit)) }
    switch fetch.resultType {
    case .countResultType: return [NSNumber(value: references.count)]
    case .dictionaryResultType:
      return references.map { (server.rows[name]?[$0] ?? [:]) as NSDictionary }
    case .managedObjectIDResultType:
      return references.map { newObjectID(for: entity, referenceObject: $0) }
    default:
      return references.map {
        context.object(with: newObjectID(for: entity, referenceObject: $0))
      }
    }
  }

  private func save(_ request: NSSaveChangesRequest) throws -> Any {
    let (inserted, updated, deleted) = (
      request.insertedObjects ?? [], request.updatedObjects ?? [], request.deletedObjects ?? []
    )
    server.requests.append("save \(inserted.count) \(updated.count) \(deleted.count)")
    try server.note("save")
    for object in inserted.union(updated) {
      precondition(!object.objectID.isTemporaryID)
      server.rows[object.entity.name ?? "", default: [:]][reference(object.objectID)] = row(object)
    }
    for object in deleted {
      server.rows[object.entity.name ?? "", default: [:]][reference(object.objectID)] = nil
    }
    return [Any]()
  }

  private func reference(_ id: NSManagedObjectID) -> String {
    referenceObject(for: id) as? String ?? ""
  }

  private func row(_ object: NSManagedObject) -> [String: Any] {
    var row: [String: Any] = [:]
    for name in object.entity.attributesByName.keys { row[name] = object.value(forKey: name) }
    for (name, relationship) in object.entity.relationshipsByName {
      let ids =
        relationship.isToMany
        ? ((object.value(forKey: name) as? NSOrderedSet)?.array
          ?? (object.value(forKey: name) as? NSSet)?.allObjects ?? [])
          .compactMap { ($0 as? NSManagedObject)?.objectID }
        : [(object.value(forKey: name) as? NSManagedObject)?.objectID].compactMap { $0 }
      row["=" + name] = ids.map(reference).sorted()
    }
    return row
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    try server.note("values")
    guard let row = server.rows[objectID.entity.name ?? ""]?[reference(objectID)] else {
      if server.answersWithEmptyNodes {
        return NSIncrementalStoreNode(objectID: objectID, withValues: [:], version: 1)
      }
      throw CocoaError(.init(rawValue: NSManagedObjectReferentialIntegrityError))
    }
    return NSIncrementalStoreNode(
      objectID: objectID, withValues: row.filter { !$0.key.hasPrefix("=") }, version: 1)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    try server.note(relationship.isToMany ? "members" : "destination")
    if let wrong = server.wrongObject { return relationship.isToMany ? [wrong] : wrong }
    let row = server.rows[objectID.entity.name ?? ""]?[reference(objectID)] ?? [:]
    let references = row["=" + relationship.name] as? [String] ?? []
    guard let entity = relationship.destinationEntity else { return NSNull() }
    let ids = references.map { newObjectID(for: entity, referenceObject: $0) }
    return relationship.isToMany ? ids : ids.first ?? NSNull()
  }

  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
    Self.lock.withLock { server.inUse += objectIDs.count }
  }

  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
    Self.lock.withLock { server.inUse -= objectIDs.count }
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    try server.note("ids")
    if let wrong = server.wrongIDs { return wrong }
    return array.map { object in
      defer { server.nextNumber += 1 }
      return newObjectID(
        for: object.entity, referenceObject: "\(object.entity.name ?? "") #\(server.nextNumber)")
    }
  }
}
