import CoreData
import Testing

/// A model of teams, players and lockers in code, with a SQLite store. Uses only API that Apple's Core Data has, too.
struct OracleStack {
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext

  /// Opens a store, which is in memory unless there is a location.
  init(at url: URL = URL(fileURLWithPath: "/dev/null")) throws {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.makeModel())
    _ = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    context = Self.makeContext(of: coordinator)
  }

  static func makeContext(of coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Runs a test's body on the queue of the context of a new store in memory.
  static func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
    let stack = try OracleStack()
    try stack.context.performAndWait { try body(stack.context) }
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    return attribute
  }

  /// Returns two relationships that are inverses of each other. The first one leads to one object.
  private static func relationships(
    _ toOne: String, to destination: NSEntityDescription, inverse: String,
    of source: NSEntityDescription, inverseCount: Int, inverseRule: NSDeleteRule
  ) -> (NSRelationshipDescription, NSRelationshipDescription) {
    let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
    there.name = toOne
    there.destinationEntity = destination
    there.maxCount = 1
    there.deleteRule = .nullifyDeleteRule
    back.name = inverse
    back.destinationEntity = source
    back.maxCount = inverseCount
    back.deleteRule = inverseRule
    there.inverseRelationship = back
    back.inverseRelationship = there
    return (there, back)
  }

  /// Returns a new model. A team requires a name and has many players, and a locker that has an owner cannot be deleted.
  static func makeModel() -> NSManagedObjectModel {
    let (team, player, locker) = (
      NSEntityDescription(), NSEntityDescription(), NSEntityDescription()
    )
    team.name = "Team"
    player.name = "Player"
    locker.name = "Locker"
    let (teamOfPlayer, players) = relationships(
      "team", to: team, inverse: "players", of: player, inverseCount: 0,
      inverseRule: .nullifyDeleteRule)
    let (lockerOfPlayer, owner) = relationships(
      "locker", to: locker, inverse: "owner", of: player, inverseCount: 1,
      inverseRule: .denyDeleteRule)
    team.properties = [attribute("name", .stringAttributeType, isOptional: false), players]
    player.properties = [
      attribute("name", .stringAttributeType), attribute("age", .integer16AttributeType),
      attribute("score", .doubleAttributeType), teamOfPlayer, lockerOfPlayer,
    ]
    locker.properties = [attribute("number", .integer32AttributeType), owner]
    let model = NSManagedObjectModel()
    model.entities = [team, player, locker]
    return model
  }
}

extension NSManagedObjectContext {
  /// Inserts an object and sets its values.
  @discardableResult
  func insert(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  /// Returns the names of the players that match a format, in the order of their names.
  func players(_ format: String? = nil, _ arguments: [Any] = []) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try fetch(request).map { $0.value(forKey: "name") as? String ?? "nil" }
  }
}
