@testable import CoreData

/// Compares the state of a context with its naive graph.
extension GraphWalk {
  /// Compares one object and the sets of changes.
  func spotCheck(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    if let failure = member.context.checkInvariants() { return failure }
    if let failure = try compareControllers(member) { return failure }
    if choices.once(in: 12) { return try compare(member) }
    guard let uid = anyUID(member, &choices), let object = object(uid, member) else { return nil }
    member.context.processPendingChanges()
    recordLateRefreshes(member)
    return compare(object, uid, member.current)
      ?? compareState(object, uid, member) ?? compareSets(member)
  }

  /// Checks the invariants of all contexts, because saves and merges of one context also change others. The caller
  /// must either hold all queues or be on none of them.
  func checkAllInvariants() -> String? {
    for member in members {
      // The queue of a child that was made during a hold is not held. Skip the child, because the check would run the
      // enqueued blocks, which must wait until the hold ends.
      if isHeld, !member.context.queue.isCurrent { continue }
      if let failure = member.performing({ member.context.checkInvariants() }) {
        return "\(member.name): \(failure)"
      }
    }
    return nil
  }

  /// Compares all objects and the sets of changes.
  func compare(_ member: WalkMember) throws -> String? {
    member.context.processPendingChanges()
    recordLateRefreshes(member)
    var byUID: [Int: NSManagedObject] = [:]
    if let failure = try collect(member.context, &byUID, member.current) { return failure }
    for (uid, object) in byUID {
      if let known = member.held[uid], known !== object { return "there are two objects of \(uid)" }
      if let failure = compareState(object, uid, member) { return failure }
    }
    return compareSets(member)
  }

  /// Fetches all objects of a context and compares them with a graph.
  private func collect(
    _ context: NSManagedObjectContext, _ byUID: inout [Int: NSManagedObject], _ graph: NaiveGraph
  ) throws -> String? {
    for entity in WalkModel.entities where entity != "Leader" {
      for object in try context.all(entity) {
        guard let uid = object.value(forKey: "uid") as? Int else {
          return "an object has no uid: \(object)"
        }
        if byUID.updateValue(object, forKey: uid) != nil { return "\(uid) is fetched twice" }
      }
    }
    if byUID.keys.sorted() != graph.uids {
      return "a fetch returns \(byUID.keys.sorted()) instead of \(graph.uids)"
    }
    for uid in graph.uids {
      if let object = byUID[uid], let failure = compare(object, uid, graph) { return failure }
    }
    return nil
  }

  /// Compares the values of an object.
  private func compare(_ object: NSManagedObject, _ number: Int, _ graph: NaiveGraph) -> String? {
    guard let expected = graph.objects[number] else { return nil }
    func uid(_ object: NSManagedObject) -> Int { object.value(forKey: "uid") as? Int ?? -1 }
    if object.entity.name != expected.entity { return "\(number) is \(object)" }
    let (name, rank): (String?, Int?) = (object["name"], object["rank"])
    let mood: String? = object["mood"]
    let expectedMood = expected.mood ?? nil
    if name != expected.name || rank != expected.rank || mood != expectedMood {
      func text(_ values: Any?...) -> String {
        values.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " ")
      }
      return "\(number) is \(text(name, rank, mood)) instead of"
        + " \(text(expected.name, expected.rank, expectedMood))"
    }
    for relationship in NaiveGraph.relationships(of: expected.entity) {
      let found: [Int]
      switch object.value(forKey: relationship.name) {
      case let set as NSSet:
        found = set.compactMap { ($0 as? NSManagedObject).map(uid) }.sorted()
      case let set as NSOrderedSet: found = set.compactMap { ($0 as? NSManagedObject).map(uid) }
      case let other as NSManagedObject: found = [uid(other)]
      default: found = []
      }
      let wanted = expected.members(relationship)
      if found != wanted {
        return "\(number).\(relationship.name) is \(found) instead of \(wanted)"
      }
    }
    return nil
  }

  /// Compares the flags and changes of an object.
  private func compareState(
    _ object: NSManagedObject, _ uid: Int, _ member: WalkMember
  ) -> String? {
    let base = base(member)
    guard let naive = member.current.objects[uid] else { return nil }
    if object.managedObjectContext !== member.context { return "\(uid) belongs to another context" }
    if object.isDeleted { return "\(uid) is deleted" }
    if store.objects[uid] != nil, object.objectID.isTemporaryID {
      return "\(uid) is saved and has a temporary ID"
    }
    if object.isInserted != (base.objects[uid] == nil) { return "\(uid).isInserted is wrong" }
    let isUpdated = base.objects[uid] != nil && member.dirty.contains(uid)
    if object.isUpdated != isUpdated { return "\(uid).isUpdated is \(object.isUpdated)" }
    if object.hasChanges != (isUpdated || object.isInserted) { return "\(uid).hasChanges is wrong" }
    guard let former = base.objects[uid] else { return nil }
    let changed = object.changedValues()
    for (key, isChanged) in [
      ("name", naive.name != former.name), ("rank", naive.rank != former.rank), ("uid", false),
      ("mood", false),
    ] where (changed[key] != nil) != isChanged {
      return "\(uid).changedValues has \(changed.keys.sorted()), which is wrong about \(key)"
    }
    for relationship in NaiveGraph.relationships(of: naive.entity) {
      let isChanged = naive.members(relationship) != former.members(relationship)
      let isSaid = changed[relationship.name] != nil
      // An order that was changed and changed back may count as a change.
      if isSaid != isChanged, !(relationship.isOrdered && isSaid) {
        return "\(uid).changedValues has \(changed.keys.sorted()), which is wrong about"
          + " \(relationship.name)"
      }
    }
    if object.hasPersistentChangedValues != !changed.isEmpty {
      return "\(uid).hasPersistentChangedValues is wrong"
    }
    let committed = object.committedValues(forKeys: ["name", "rank"])
    if committed["name"] as? String != former.name || committed["rank"] as? Int != former.rank {
      return "\(uid).committedValues is \(committed)"
    }
    for relationship in NaiveGraph.relationships(of: naive.entity) where !relationship.isToMany {
      guard let wanted = former.one[relationship.name], member.current.objects[wanted] != nil else {
        continue
      }
      let value = object.committedValues(forKeys: [relationship.name])[relationship.name]
      let found = (value as? NSManagedObject)?.uid
      if found != wanted {
        return "\(uid).\(relationship.name) was \(found ?? -1) instead of \(wanted)"
      }
    }
    return nil
  }

  private func compareSets(_ member: WalkMember) -> String? {
    let base = base(member)
    func uids(_ objects: Set<NSManagedObject>) -> [Int] {
      objects.map { $0.value(forKey: "uid") as? Int ?? -1 }.sorted()
    }
    let context = member.context
    let inserted = member.inserted(on: base).sorted()
    if uids(context.insertedObjects) != inserted {
      return "insertedObjects is \(uids(context.insertedObjects)) instead of \(inserted)"
    }
    let updated = member.updated(on: base).sorted()
    if uids(context.updatedObjects) != updated {
      return "updatedObjects is \(uids(context.updatedObjects)) instead of \(updated)"
    }
    let deleted = member.deleted(on: base).sorted()
    let found = uids(context.deletedObjects)
      .filter { deleted.contains($0) || !member.deletedByOtherContexts.contains($0) && $0 != -1 }
    if found != deleted { return "deletedObjects is \(found) instead of \(deleted)" }
    if member.parent == nil {
      for object in context.deletedObjects where !found.contains(object.uid ?? -2) {
        if !member.used.contains(object.objectID) {
          return "\(object.objectID) is in deletedObjects, but was not in use"
        }
      }
    }
    let hasChanges = !(inserted.isEmpty && updated.isEmpty && deleted.isEmpty)
    if context.hasChanges != hasChanges, context.deletedObjects.count == found.count {
      return "hasChanges is \(context.hasChanges)"
    }
    for (uid, object) in member.held where member.current.objects[uid] != nil {
      if context.registeredObject(for: object.objectID) !== object {
        return "\(uid) is not registered"
      }
    }
    return nil
  }

  // MARK: The store

  /// Compares the naive store with what a new coordinator reads. A store that is neither a file nor SQL cannot be
  /// opened again, so a new context of the first coordinator reads it.
  func compareFresh() throws -> String? {
    note("compare with the store")
    let context: NSManagedObjectContext
    if kind.isFile || kind.isSQL {
      context = try kind.open(model, at: url).context
      if let coordinator = context.persistentStoreCoordinator { leaks.watch(coordinator) }
    } else {
      context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinators[0]
    }
    leaks.watch(context)
    let failure = try context.performAndWait { () -> String? in
      var byUID: [Int: NSManagedObject] = [:]
      return try collect(context, &byUID, store)
    }
    if let failure { return "in the store: \(failure)" }
    guard kind == .sqlite else { return nil }
    let check = try PlainDatabase(url).values("PRAGMA integrity_check").flatMap { $0 }
    return check.first?.text == "ok" ? nil : "integrity check: \(check)"
  }
}

extension NSManagedObject {
  fileprivate var uid: Int? { value(forKey: "uid") as? Int }
}
