import CoreData

/// A custom store, as a program may define one, that supports every feature of a model. Its rows are on a simulated
/// server in memory, which all stores with the same URL share. Each request is evaluated in a separate context that
/// contains only saved values.
final class GraphServerStore: NSIncrementalStore, @unchecked Sendable {
  static let storeType = "TestGraphServer"

  struct Row {
    let entity: String
    var attributes: [String: Any] = [:]
    /// The references of the destinations, in order.
    var relationships: [String: [String]] = [:]
  }

  final class Server: @unchecked Sendable {
    let identifier = UUID().uuidString
    private let lock = NSLock()
    private var rows: [String: Row] = [:]
    private var lastNumber = 0

    subscript(_ reference: String) -> Row? { lock.withLock { rows[reference] } }

    func references(of entities: Set<String>) -> [String] {
      lock.withLock { rows.filter { entities.contains($0.value.entity) }.keys.sorted() }
    }

    func apply(_ changes: [(reference: String, row: Row?)]) {
      lock.withLock { for change in changes { rows[change.reference] = change.row } }
    }

    func nextNumber() -> Int {
      lock.withLock {
        lastNumber += 1
        return lastNumber
      }
    }
  }

  private static let lock = NSLock()
  nonisolated(unsafe) private static var servers: [URL: Server] = [:]

  private lazy var server = Self.server(at: url ?? URL(fileURLWithPath: "/"))

  private static func server(at place: URL) -> Server {
    lock.withLock {
      let server = servers[place] ?? Server()
      servers[place] = server
      return server
    }
  }

  override var type: String { Self.storeType }

  override func loadMetadata() throws {
    metadata = [NSStoreUUIDKey: server.identifier, NSStoreTypeKey: Self.storeType]
  }

  private func reference(_ id: NSManagedObjectID) -> String {
    referenceObject(for: id) as? String ?? ""
  }

  // MARK: Requests

  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    if let request = request as? NSSaveChangesRequest {
      save(request)
      return [Any]()
    }
    guard let request = request as? NSFetchRequest<any NSFetchRequestResult>, let context,
      let entity = request.entity
    else { throw CocoaError(.featureUnsupported) }
    let query = GraphServerQuery(request, entity: entity)
    let ids = server.references(of: query.entityNames).compactMap { reference in
      server[reference].flatMap { row in
        persistentStoreCoordinator?.managedObjectModel.entitiesByName[row.entity]
      }.map { newObjectID(for: $0, referenceObject: reference) }
    }
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    reader.persistentStoreCoordinator = persistentStoreCoordinator
    return try reader.performAndWait {
      let found = try query.results(among: ids.map(reader.object(with:)))
      switch request.resultType {
      case .countResultType: return [NSNumber(value: found.count)]
      case .dictionaryResultType: return try found.map(query.dictionary)
      case .managedObjectIDResultType: return found.map(\.objectID)
      default: return found.map { context.object(with: $0.objectID) }
      }
    }
  }

  private func save(_ request: NSSaveChangesRequest) {
    let written = (request.insertedObjects ?? []).union(request.updatedObjects ?? [])
    server.apply(
      written.map { (reference($0.objectID), row($0)) }
        + (request.deletedObjects ?? []).map { (reference($0.objectID), nil) })
  }

  private func row(_ object: NSManagedObject) -> Row {
    var row = Row(entity: object.entity.name ?? "")
    for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
      row.attributes[name] = object.value(forKey: name)
    }
    for (name, relationship) in object.entity.relationshipsByName
    where !relationship.isTransient {
      let destinations: [Any] =
        switch object.value(forKey: name) {
        case let set as NSOrderedSet: set.array
        case let set as NSSet: set.allObjects
        case let one?: [one]
        case nil: []
        }
      row.relationships[name] = destinations.compactMap {
        ($0 as? NSManagedObject).map { reference($0.objectID) }
      }
    }
    return row
  }

  // MARK: Values

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard let row = server[reference(objectID)] else {
      throw CocoaError(.init(rawValue: NSManagedObjectReferentialIntegrityError))
    }
    return NSIncrementalStoreNode(objectID: objectID, withValues: row.attributes, version: 1)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    let references = server[reference(objectID)]?.relationships[relationship.name] ?? []
    let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
    let ids = references.compactMap { reference in
      server[reference].flatMap { entities[$0.entity] }
        .map { newObjectID(for: $0, referenceObject: reference) }
    }
    return relationship.isToMany ? ids : ids.first ?? NSNull()
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    array.map { newObjectID(for: $0.entity, referenceObject: "r\(server.nextNumber())") }
  }
}
