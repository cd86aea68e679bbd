import CoreData
import StoreInspection

extension Explorer {
  /// Handles requests to `/api/objects/NAME/pN` and the paths below it.
  func object(_ request: WebRequest) async throws -> WebResponse {
    guard request.path.count >= 4 else { throw WebFailure.notFound("the request has no object") }
    let entity = try entity(named: request.path[2])
    let (name, rest) = (request.path[3], Array(request.path.dropFirst(4)))
    let offset = try request.number("offset", WebRequest.places, else: 0)
    let limit = try request.number("limit", 1...500, else: 50)
    let model = store.model
    var reach = EntityReach()
    switch (rest.first, rest.count) {
    case ("by"?, 3): reach.add(model.entitiesByName[rest[1]] ?? entity)
    case (let key?, 1):
      // The key may be the name of a relationship of a subentity.
      for kind in entity.family {
        if let members = kind.relationshipsByName[key]?.destinationEntity { reach.add(members) }
      }
    default: break
    }
    if rest.isEmpty, let summary = try await savedSummary(name, of: entity) {
      return try .json(summary)
    }
    let context = contextToRead(
      name, of: entity, rest.isEmpty ? ObjectSummary.reach(of: entity) : reach)
    return try await limits.run(in: context) {
      let object = try context.existingObject(named: name, of: entity)
      switch (rest.first, rest.count) {
      case (nil, _): return try .json(try ObjectSummary(object, in: context))
      case ("data"?, 2): return try Self.bytes(rest[1], of: object)
      case ("by"?, 3):
        guard let other = model.entitiesByName[rest[1]],
          let relationship = other.relationshipsByName[rest[2]]
        else { throw WebFailure.notFound("there is no relationship \(rest[1]).\(rest[2])") }
        return try .json(
          try RelatedRows(
            naming: object, relationship, of: other, offset: offset, limit: limit, in: context))
      case (let key?, 1):
        guard let relationship = object.entity.relationshipsByName[key] else {
          throw WebFailure.notFound("\(object.entity.name ?? "") has no relationship \(key)")
        }
        return try .json(
          try RelatedRows(of: object, relationship, offset: offset, limit: limit, in: context))
      default: throw WebFailure.notFound("there is no page at this address")
      }
    }
  }

  /// The names of objects of an entity, in a request to `/api/existing`.
  private struct NamedObjects: Decodable {
    let entity: String
    var `where`: String?
    let ids: [String]
  }

  /// The maximum number of names in a request.
  private static let mostNamed = 1_000

  /// Handles requests to `/api/existing`: returns which of the named objects exist and meet a condition.
  func existing(_ request: WebRequest) async throws -> WebResponse {
    let named: NamedObjects = try request.content()
    guard named.ids.count <= Self.mostNamed else {
      throw WebFailure(
        status: 400,
        "the request has \(named.ids.count) IDs; at most \(Self.mostNamed) are allowed")
    }
    let entity = try entity(named: named.entity)
    let query = try TableQuery(entity: named.entity, condition: named.where, sort: nil)
    // Only the context of the edits knows temporary names.
    let hasNew = named.ids.contains { (ObjectReference.key($0) ?? 0) < 0 }
    let context = try hasNew ? self.context : contextToRead(query.reachOfRows(entity))
    return try await limits.run(in: context) {
      try .json(["ids": try context.existing(named.ids, of: entity, query)])
    }
  }

  /// Returns the context that an object is read in.
  ///
  /// - Parameter reach: The entities of the other rows that the request reads.
  func contextToRead(
    _ name: String, of entity: NSEntityDescription, _ reach: EntityReach
  ) -> NSManagedObjectContext {
    // Only the context of the edits knows the temporary names of new objects, which pages may use even after a save.
    guard let key = ObjectReference.key(name), key > 0, !unsaved.contains(key, of: entity) else {
      return context
    }
    return contextToRead(reach)
  }

  /// Returns the summary of a stored object; nil if the object is new, or if it or the destination of one of its to-one
  /// relationships has unsaved changes.
  private func savedSummary(
    _ name: String, of entity: NSEntityDescription
  ) async throws -> ObjectSummary? {
    guard let key = ObjectReference.key(name), key > 0 else { return nil }
    let (unsaved, context) = (unsaved, makeContext())
    if unsaved.contains(key, of: entity) { return nil }
    return try await limits.run(in: context) {
      let object = try context.existingObject(named: name, of: entity)
      let leads = try object.entity.relationshipsByName.values.contains { relationship in
        guard !relationship.isToMany, !unsaved.isEmpty else { return false }
        return try object.destinationID(forKey: relationship.name).map(unsaved.contains) ?? false
      }
      return leads ? nil : try ObjectSummary(object, in: context)
    }
  }

  /// Returns an attribute's value as a file.
  private static func bytes(_ key: String, of object: NSManagedObject) throws -> WebResponse {
    // The name of a composite attribute's element is its key path.
    guard let name = key.split(separator: ".").first.map(String.init),
      object.entity.attributesByName[name] != nil
    else {
      throw WebFailure.notFound("\(object.entity.name ?? "") has no attribute \(key)")
    }
    let (data, ending): (Data, String)
    let isElement = key != name
    if isElement, object.entity.element(at: key) == nil {
      throw WebFailure.notFound("\(name) has no element \(key)")
    }
    switch isElement ? object.value(forKeyPath: key) : object.value(forKey: key) {
    case let bytes as Data: (data, ending) = (bytes, "bin")
    case let text as String: (data, ending) = (Data(text.utf8), "txt")
    case let url as URL: (data, ending) = (Data(url.absoluteString.utf8), "txt")
    case let value?
    where object.entity.attributesByName[name]?.attributeType == .transformableAttributeType:
      (data, ending) = (Data(ValueJSON.text(of: value).utf8), "json")
    default: throw WebFailure.notFound("\(key) has no data")
    }
    let file = "\(ObjectReference.text(ofKey: object.objectID.primaryKey)) \(key).\(ending)"
    // The browser should save the file, whatever its type, and not show it.
    return WebResponse(
      type: "application/octet-stream",
      headers: [("Content-Disposition", "attachment; filename*=UTF-8''\(Address.escaped(file))")],
      body: .data(data))
  }
}
