import CoreData
import FixtureSupport

/// Steps that read.
extension GraphWalk {
  func obtainIDs(_ member: WalkMember) throws -> String? {
    note("\(member.name): obtain IDs")
    let unsaved = Array(member.context.insertedObjects)
    try member.context.obtainPermanentIDs(for: unsaved)
    for uid in member.inserted(on: base(member)) {
      guard let object = member.held[uid] else { return "\(uid) is not held" }
      if object.objectID.isTemporaryID || !object.isInserted {
        return "\(uid) has no permanent ID, or isInserted is wrong"
      }
      recordID(object.objectID, uid)
    }
    return nil
  }

  /// Releases saved objects that have no mood.
  func release(_ member: WalkMember) {
    note("\(member.name): release objects")
    member.held = member.held.filter { uid, _ in
      ids[uid] == nil || member.current.objects[uid]?.mood != nil
        || base(member).objects[uid] == nil
    }
  }

  func fire(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    note("\(member.name): fire")
    for uid in member.current.uids where choices.once(in: 3) {
      guard let object = object(uid, member), let naive = member.current.objects[uid] else {
        continue
      }
      object.willAccessValue(forKey: nil)
      if object.isFault { return "\(uid) is still a fault" }
      // Reads the IDs of related objects without reading the relationships.
      for relationship in NaiveGraph.relationships(of: naive.entity) where choices.once(in: 4) {
        member.context.processPendingChanges()
        let found = object.objectIDs(forRelationshipNamed: relationship.name)
        let wanted = naive.members(relationship).compactMap {
          self.object($0, member)?.objectID
        }
        let isSame = relationship.isOrdered ? found == wanted : Set(found) == Set(wanted)
        if !isSame || found.count != wanted.count {
          return "the IDs of \(uid).\(relationship.name) are \(found) instead of \(wanted)"
        }
      }
    }
    return nil
  }

  func fetch(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    var generator = choices.generator
    let query = WalkQuery(&generator)
    note("\(member.name): fetch \(query)")
    let expected = query.expected(member.current)
    let request = try query.request()
    if choices.once(in: 4) { request.fetchBatchSize = 2 }
    if choices.once(in: 4) { request.returnsObjectsAsFaults = false }
    if choices.once(in: 4) { request.includesPropertyValues = false }
    if choices.once(in: 6), query.entity == "Node" {
      request.relationshipKeyPathsForPrefetching = ["tags", "parent.children", "items"]
    }
    let found = try member.context.fetch(request).map { $0.value(forKey: "uid") as? Int ?? -1 }
    return found == expected ? nil : "\(query): \(found) instead of \(expected)"
  }

  func count(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    var generator = choices.generator
    let query = WalkQuery(&generator)
    note("\(member.name): count \(query)")
    let expected = query.expected(member.current).count
    let count = try member.context.count(for: try query.request())
    return count == expected ? nil : "\(query): \(count) instead of \(expected)"
  }

  /// Fetches dictionaries, whose values are those of the store.
  func dictionaries(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    var generator = choices.generator
    let query = WalkQuery(&generator)
    note("\(member.name): dictionaries \(query)")
    let request = NSFetchRequest<NSDictionary>(entityName: query.entity)
    let objects = try query.request()
    request.predicate = objects.predicate
    request.sortDescriptors = objects.sortDescriptors
    request.includesSubentities = query.includesSubentities
    request.fetchLimit = query.limit
    request.fetchOffset = query.offset
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["uid"]
    let found = try member.context.fetch(request).map { $0["uid"] as? Int ?? -1 }
    let expected = query.expected(store)
    return found == expected ? nil : "\(query): \(found) instead of \(expected)"
  }

  /// Looks up an existing object and a deleted one by their IDs.
  func lookUp(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    if let uid = anyUID(member, &choices), let id = id(uid, member) {
      note("\(member.name): look up \(uid)")
      let object = try member.context.existingObject(with: id)
      if object.isFault { return "the existing \(uid) is a fault" }
      if object.value(forKey: "uid") as? Int != uid { return "\(id) is \(object), not \(uid)" }
      if member.context.object(with: id) !== object
        || member.context.registeredObject(for: id) !== object
      {
        return "there are two objects of \(uid)"
      }
      if let held = member.held[uid], held !== object { return "there are two objects of \(uid)" }
    }
    let gone = formerIDs.keys.sorted().filter { uid in
      store.objects[uid] == nil && members.allSatisfy { $0.current.objects[uid] == nil }
    }
    guard let uid = choices.element(gone), let id = formerIDs[uid] else { return nil }
    note("\(member.name): look up the deleted \(uid)")
    do {
      _ = try member.context.existingObject(with: id)
      return "the deleted \(uid) exists"
    } catch let error as NSError {
      return error.code == NSManagedObjectReferentialIntegrityError ? nil : "\(uid): \(error)"
    }
  }
}
