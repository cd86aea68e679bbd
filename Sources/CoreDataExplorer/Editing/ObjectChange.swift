import CoreData
import StoreInspection

/// Performs the operations of one request on the objects of a context.
struct ObjectChange {
  let store: OpenedStore
  let context: NSManagedObjectContext
  private(set) var created: [NSManagedObject] = []
  /// The properties that were set to values that break a rule.
  private(set) var invalid: [(object: NSManagedObject, key: String)] = []
  /// The name of the change, for the undo command.
  private(set) var name = ""

  mutating func carryOut(_ operation: EditOperation) throws {
    switch operation.op {
    case "set": try set(operation)
    case "insert": try insert(operation)
    case "delete": try delete(operation)
    case "link": try connect(operation, isLink: true)
    case "unlink": try connect(operation, isLink: false)
    case "move": try move(operation)
    default: throw WebFailure(status: 400, "there is no operation '\(operation.op)'")
    }
  }

  private mutating func note(_ name: String) {
    self.name = self.name.isEmpty ? name : "Changes"
  }

  private func object(_ name: String?, of entity: String) throws -> NSManagedObject {
    guard let name else { throw WebFailure(status: 400, "the operation has no object") }
    return try context.existingObject(named: name, of: try store.entity(named: entity))
  }

  // MARK: Values

  private mutating func set(_ operation: EditOperation) throws {
    let object = try object(operation.id, of: operation.entity)
    guard let key = operation.key else {
      throw WebFailure(status: 400, "the operation has no attribute")
    }
    try set(key, of: object, to: operation.text, bytes: operation.value)
    note("Change of \(key)")
  }

  private mutating func set(
    _ key: String, of object: NSManagedObject, to text: String?, bytes: EditOperation.Bytes? = nil
  ) throws {
    let value: Any?
    if let bytes {
      guard let data = Data(base64Encoded: bytes.base64) else {
        throw WebFailure(status: 400, "the data for \(key) is not base64")
      }
      value = data
    } else {
      value = try EditedText.value(of: text, for: key, of: object.entity, in: context)
    }
    try object.setValidatedValue(value, forKey: key)
    do {
      try object.validateValue(value, forKey: key)
      try validateComposite(of: key, object)
    } catch {
      // Keep the value for now; a save validates it again.
      invalid.append((object, key))
    }
  }

  /// Validates the composite attribute that contains an element, because it may lack other elements or break a rule as
  /// a whole.
  private func validateComposite(of path: String, _ object: NSManagedObject) throws {
    guard let key = path.split(separator: ".").first.map(String.init), key != path else { return }
    try object.validateValue(object.value(forKey: key), forKey: key)
  }

  // MARK: Objects

  private mutating func insert(_ operation: EditOperation) throws {
    let entity = try store.entity(named: operation.entity)
    guard !entity.isAbstract else {
      throw WebFailure(
        status: 400, "\(operation.entity) is abstract and has no objects of its own")
    }
    let object = NSManagedObject(entity: entity, insertInto: context)
    note("Insertion")
    created.append(object)
    for (key, text) in (operation.values ?? [:]).sorted(by: { $0.key < $1.key }) {
      try set(key, of: object, to: text)
    }
    guard let into = operation.into else { return }
    let owner = try self.object(into.id, of: into.entity)
    try link(object, to: owner, by: into.relationship, isLink: true)
  }

  private mutating func delete(_ operation: EditOperation) throws {
    let ids = operation.ids ?? operation.id.map { [$0] } ?? []
    // Find all objects before deleting the first, because delete rules may delete others.
    let objects = try context.existingObjects(
      named: ids, of: try store.entity(named: operation.entity))
    for object in objects { context.delete(object) }
    note(objects.count == 1 ? "Deletion" : "Deletion of \(objects.count) objects")
    // Process changes now, so that delete rules that forbid the deletion are reported now instead of when saving.
    context.processPendingChanges()
    for object in context.deletedObjects { try object.validateForDelete() }
  }

  // MARK: Relationships

  private mutating func connect(_ operation: EditOperation, isLink: Bool) throws {
    guard let relationship = operation.relationship, let other = operation.other else {
      throw WebFailure(status: 400, "the operation has no relationship or no object")
    }
    let owner = try object(operation.id, of: operation.entity)
    try link(try object(other.id, of: other.entity), to: owner, by: relationship, isLink: isLink)
    note("Change of \(relationship)")
  }

  private func link(
    _ object: NSManagedObject, to owner: NSManagedObject, by name: String, isLink: Bool
  ) throws {
    guard let relationship = owner.entity.relationshipsByName[name] else {
      throw WebFailure(
        Diagnostic.unknownKey(
          name, entity: owner.entity.name ?? "", use: "relationship",
          among: Array(owner.entity.relationshipsByName.keys)))
    }
    guard let destination = relationship.destinationEntity,
      object.entity.isKindOf(entity: destination)
    else {
      throw WebFailure(
        status: 400,
        "\(name) leads to \(relationship.destinationEntity?.name ?? ""), not to \(object.entity.name ?? "")"
      )
    }
    try owner.connect(object, by: relationship, isLink: isLink)
  }

  // MARK: Places

  private mutating func move(_ operation: EditOperation) throws {
    guard let to = operation.to, to >= 0 else {
      throw WebFailure(status: 400, "the operation has no position to move to")
    }
    let object = try object(operation.id, of: operation.entity)
    if let place = operation.in {
      let owner = try self.object(place.id, of: place.entity)
      guard let relationship = owner.entity.relationshipsByName[place.relationship],
        relationship.isOrdered
      else { throw WebFailure(status: 400, "\(place.relationship) is not an ordered relationship") }
      let members = owner.mutableOrderedSetValue(forKey: place.relationship)
      let from = members.index(of: object)
      guard from != NSNotFound, to < members.count else {
        throw WebFailure(
          status: 409, "the members of \(place.relationship) have changed: move the member again")
      }
      members.moveObjects(at: IndexSet(integer: from), to: to)
    } else {
      try move(object, to: to, inTableOf: operation)
    }
    note("Move")
  }
}
