import CoreData

/// A small model of teams and players, with a store of the kind that the test's scope sets, or else SQLite in
/// memory.
struct SampleStack {
  let model: NSManagedObjectModel
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext
  private let scope: StoreScope
  private let url: URL

  init(
    _ scope: StoreScope = .current, url: URL? = nil, model: NSManagedObjectModel = makeModel()
  ) throws {
    self.model = model
    self.scope = scope
    self.url = try url ?? scope.newURL()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: scope.kind.type, configurationName: nil, at: self.url)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  /// Returns another context of the same coordinator.
  func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Performs work on the queue of another context of the same coordinator.
  func reading<T>(_ work: (NSManagedObjectContext) throws -> T) rethrows -> T {
    let context = newContext()
    return try context.performAndWait { try work(context) }
  }

  /// Opens the same store with another coordinator, as another launch of the program would. A store that has no
  /// file and no name cannot be opened twice: the result is then this stack with another context.
  func reopened(model: NSManagedObjectModel? = nil) throws -> SampleStack {
    guard url.path == "/dev/null" else {
      // A store in memory exists only as long as a coordinator has it open.
      return try withExtendedLifetime(coordinator) {
        try SampleStack(scope, url: url, model: model ?? self.model)
      }
    }
    return SampleStack(self, newContext())
  }

  private init(_ other: SampleStack, _ context: NSManagedObjectContext) {
    (model, coordinator, scope, url) = (other.model, other.coordinator, other.scope, other.url)
    self.context = context
  }

  /// Runs a test's body on the queue of the context of a new stack.
  static func withContext(
    model: NSManagedObjectModel = makeModel(), _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    let stack = try SampleStack(model: model)
    try stack.context.performAndWait { try body(stack.context) }
  }

  static func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    return attribute
  }

  static func relationship(
    _ name: String, to destination: NSEntityDescription, toMany: Bool = false,
    rule: NSDeleteRule = .nullifyDeleteRule, isOrdered: Bool = false
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = toMany ? 0 : 1
    relationship.deleteRule = rule
    relationship.isOrdered = isOrdered
    return relationship
  }

  /// Returns a model in which a `Team` has many `Player`s and ordered `Trophy`s; `Captain` is a subentity of
  /// `Player`; players and `Tag`s are many-to-many; a `Locker` cannot be deleted while a player has it.
  static func makeModel() -> NSManagedObjectModel {
    let team = NSEntityDescription()
    team.name = "Team"
    let player = NSEntityDescription()
    player.name = "Player"
    let captain = NSEntityDescription()
    captain.name = "Captain"
    let tag = NSEntityDescription()
    tag.name = "Tag"
    let locker = NSEntityDescription()
    locker.name = "Locker"
    let trophy = NSEntityDescription()
    trophy.name = "Trophy"

    let players = relationship("players", to: player, toMany: true)
    let teamOfPlayer = relationship("team", to: team)
    players.inverseRelationship = teamOfPlayer
    teamOfPlayer.inverseRelationship = players
    let tags = relationship("tags", to: tag, toMany: true)
    let taggedPlayers = relationship("players", to: player, toMany: true)
    tags.inverseRelationship = taggedPlayers
    taggedPlayers.inverseRelationship = tags
    let lockerOfPlayer = relationship("locker", to: locker)
    let owner = relationship("owner", to: player, rule: .denyDeleteRule)
    lockerOfPlayer.inverseRelationship = owner
    owner.inverseRelationship = lockerOfPlayer
    let trophies = relationship(
      "trophies", to: trophy, toMany: true, rule: .cascadeDeleteRule, isOrdered: true)
    let winner = relationship("winner", to: team)
    trophies.inverseRelationship = winner
    winner.inverseRelationship = trophies

    team.properties = [
      attribute("name", .stringAttributeType), attribute("founded", .dateAttributeType), players,
      trophies,
    ]
    player.properties = [
      attribute("name", .stringAttributeType), attribute("age", .integer16AttributeType),
      attribute("score", .doubleAttributeType), attribute("isActive", .booleanAttributeType),
      attribute("number", .integer32AttributeType), teamOfPlayer, tags, lockerOfPlayer,
    ]
    captain.properties = [attribute("since", .dateAttributeType)]
    player.subentities = [captain]
    tag.properties = [attribute("label", .stringAttributeType, isOptional: false), taggedPlayers]
    locker.properties = [attribute("number", .integer32AttributeType), owner]
    trophy.properties = [attribute("title", .stringAttributeType), winner]

    let model = NSManagedObjectModel()
    model.entities = [team, player, captain, tag, locker, trophy]
    return model
  }
}

/// Performs work on the queues of two contexts at once, such as comparing their objects.
func onQueues<T>(
  of first: NSManagedObjectContext, _ second: NSManagedObjectContext, perform work: () throws -> T
) rethrows -> T {
  try first.performAndWait { try second.performAndWait { try work() } }
}

extension NSManagedObjectContext {
  /// Inserts an object and sets its values.
  @discardableResult
  func insert(_ entity: String, _ values: [String: Any?] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  /// Returns all objects of an entity that match a format, sorted by keys; "-name" sorts in descending order.
  func all(
    _ entity: String, _ format: String? = nil, _ arguments: [Any] = [], sort: [String] = []
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = try format.map { try NSPredicate(validating: $0, arguments: arguments) }
    request.sortDescriptors = sort.map {
      $0.hasPrefix("-")
        ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
        : NSSortDescriptor(key: $0, ascending: true)
    }
    return try fetch(request)
  }
}

extension NSManagedObject {
  subscript<Value>(_ key: String) -> Value? {
    get { value(forKey: key) as? Value }
    set { setValue(newValue, forKey: key) }
  }
}
