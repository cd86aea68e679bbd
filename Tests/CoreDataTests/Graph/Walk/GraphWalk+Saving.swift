import FixtureSupport
import Foundation

@testable import CoreData

/// Steps that save, and the merges of the other contexts.
extension GraphWalk {
  /// Returns the validation errors that prevent a context from saving.
  func problems(_ member: WalkMember) -> [String] {
    let base = base(member)
    return member.inserted(on: base).union(member.updated(on: base))
      .flatMap { member.current.problems(of: $0) }
  }

  func save(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    if let failure = closeGroup(member) { return failure }
    let problems = problems(member)
    if !problems.isEmpty {
      catchUp(member)
      if let failure = failToSave(member, problems) { return failure }
      if choices.once(in: 3) {
        rollback(member)
        return nil
      }
      if let failure = try changing(member, { fixProblems(member) }) { return failure }
    }
    return try member.parent.map { try saveChild(member, to: $0) } ?? saveRoot(member, &choices)
  }

  /// Checks that a save fails with these errors.
  func failToSave(_ member: WalkMember, _ problems: [String]) -> String? {
    note("\(member.name): try to save")
    do {
      try member.context.save()
      return "a save did not report \(problems.sorted())"
    } catch let error as NSError {
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
      if (error.code == NSValidationMultipleErrorsError) != (problems.count > 1) {
        return "\(problems) had the error code \(error.code)"
      }
      let found = (details ?? [error]).map { error in
        let object = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        let key = error.userInfo[NSValidationKeyErrorKey] as? String ?? "?"
        return "\(object?.value(forKey: "uid") ?? "?").\(key) \(error.code)"
      }
      return found.sorted() == problems.sorted()
        ? nil : "a save reported \(found.sorted()) instead of \(problems.sorted())"
    }
  }

  /// Replaces invalid values with valid ones.
  private func fixProblems(_ member: WalkMember) {
    note("\(member.name): fix invalid values")
    for uid in member.current.uids where !member.current.problems(of: uid).isEmpty {
      guard let object = object(uid, member), let naive = member.current.objects[uid] else {
        continue
      }
      if naive.entity == "Tag", naive.name == nil {
        object.setValue("mended", forKey: "name")
        member.current.objects[uid]?.name = "mended"
        member.current.touched.insert(uid)
      }
      if (naive.rank ?? 0) > WalkModel.maximumRank {
        object.setValue(0, forKey: "rank")
        member.current.objects[uid]?.rank = 0
        member.current.touched.insert(uid)
      }
      for relationship in NaiveGraph.relationships(of: naive.entity)
      where relationship.maximum > 0 && naive.members(relationship).count > relationship.maximum {
        object.setValue(NSSet(), forKey: relationship.name)
        member.current.setMany(uid, relationship, [])
      }
    }
  }

  // MARK: To the store

  private func saveRoot(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    note("\(member.name): save")
    nonisolated(unsafe) var notification: Notification?
    let token = NotificationCenter.default.addObserver(
      forName: choices.once(in: 2)
        ? .NSManagedObjectContextDidSave : .NSManagedObjectContextDidSaveObjectIDs,
      object: member.context, queue: nil
    ) { notification = $0 }
    defer { NotificationCenter.default.removeObserver(token) }
    let saved = member.inserted(on: store).union(member.dirty)
    recordRegisteredObjects()
    try member.context.save()
    guard let notification else { return "a save posted no notification" }
    return try finishSave(member, saved, [notification], nil, &choices)
  }

  /// Updates the naive store after a save, and merges the save into the other contexts.
  func finishSave(
    _ member: WalkMember, _ saved: Set<Int>, _ notifications: [Notification],
    _ intervening: InterveningSave?, _ choices: inout WalkStep.Choices
  ) throws -> String? {
    let old = store
    let (inserted, deleted) = (member.inserted(on: old), member.deleted(on: old))
    store = member.current.stored
    member.dirty = []
    member.deletedByOtherContexts = []
    member.used = Set(member.context.registeredObjects.map(\.objectID))
    for uid in inserted {
      if let id = member.held[uid]?.objectID { recordID(id, uid) }
      if ids[uid] == nil { return "\(uid) has no permanent ID after its save" }
    }
    for uid in deleted {
      formerIDs[uid] = ids[uid]
      if member.history == nil { ids[uid] = nil }
    }
    if member.context.hasChanges { return "changes are left after a save" }
    expectMerges(of: saved, by: member)
    recordPastSaves(notifications)
    for other in roots where other !== member {
      let isAutomatic = mergesNow(other, from: member.context.persistentStoreCoordinator)
      let isContradicted = contradicts(other, old, store)
      let rollsBackFirst = isContradicted && !isAutomatic && choices.once(in: 2)
      try other.performing {
        catchUp(other)
        if rollsBackFirst { rollback(other, to: old) }
        note("\(other.name): merge\(isAutomatic ? "d automatically" : "")")
        if !isAutomatic { other.used.formUnion(other.context.registeredObjects.map(\.objectID)) }
        for notification in notifications
        where !isAutomatic || isForeign(notification, to: other) {
          merge(notification, into: other, &choices)
        }
        let mergedSave = MergedSave(
          old: old, new: store, refreshed: saved,
          notifications: choices.once(in: 2) ? notifications : [],
          intervening: isAutomatic
            && intervening?.coordinator === member.context.persistentStoreCoordinator
            ? intervening : nil)
        try adopt(mergedSave, other, isContradicted && !rollsBackFirst)
        recordMoods(other)
      }
    }
    return try compare(member)
  }

  func merge(
    _ notification: Notification, into member: WalkMember, _ choices: inout WalkStep.Choices
  ) {
    switch choices.below(6) {
    case 0...2: member.context.mergeChanges(fromContextDidSave: notification)
    case 3:
      // A program merges changes that it received from another program in this way.
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: remoteChanges(of: notification), into: [member.context])
    case 4 where kind.isSQL:
      // A save of another process that keeps no history is merged in this way.
      let origins = member.context.persistentStoreCoordinator?.persistentStores.map(\.engine.origin)
      member.context.merge(ForeignChanges(unnamed: origins ?? []))
    case 5 where keepsHistory:
      do {
        try mergeHistory(into: member)
      } catch {
        note("the history cannot be read: \(error)")
        member.context.mergeChanges(fromContextDidSave: notification)
      }
    default: member.context.mergeChanges(fromContextDidSave: notification)
    }
  }

  /// Merges every transaction since the last one that this context merged from the history.
  private func mergeHistory(into member: WalkMember) throws {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: member.historyToken)
    let result = try member.context.execute(request) as? NSPersistentHistoryResult
    for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
      note("\(member.name): merge transaction \(transaction.transactionNumber)")
      member.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      member.historyToken = transaction.token
    }
  }

  /// Returns the IDs of a save as URIs.
  func remoteChanges(of notification: Notification) -> [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    for (key, remote) in [
      (NSInsertedObjectsKey, NSInsertedObjectsKey), (NSUpdatedObjectsKey, NSUpdatedObjectsKey),
      (NSDeletedObjectsKey, NSDeletedObjectsKey),
      (NSInsertedObjectIDsKey, NSInsertedObjectsKey), (NSUpdatedObjectIDsKey, NSUpdatedObjectsKey),
      (NSDeletedObjectIDsKey, NSDeletedObjectsKey),
    ] {
      let values = notification.userInfo?[key]
      let ids =
        (values as? Set<NSManagedObject>)?.map(\.objectID)
        ?? (values as? Set<NSManagedObjectID>).map { Array($0) } ?? []
      if !ids.isEmpty { info[remote] = ids.map { $0.uriRepresentation() } }
    }
    return info
  }

  /// Returns whether another coordinator saved. A context that merges automatically does so when its coordinator polls
  /// the file, which may be later.
  private func isForeign(_ notification: Notification, to member: WalkMember) -> Bool {
    let context = notification.object as? NSManagedObjectContext
    return context?.persistentStoreCoordinator !== member.context.persistentStoreCoordinator
  }

  /// Records the registered objects of each context before another context saves.
  func recordRegisteredObjects() {
    for root in roots {
      root.performing { root.used.formUnion(root.context.registeredObjects.map(\.objectID)) }
    }
  }

  // MARK: Changes of a parent or of another context's save

  /// Returns whether a context's unsaved changes conflict with the changes of its parent or its store.
  func contradicts(_ member: WalkMember, _ old: NaiveGraph, _ new: NaiveGraph) -> Bool {
    let incoming = new.difference(from: old)
    let own = member.current.difference(from: old)
    let mine = own.all.union(member.dirty)
    if !incoming.present.isDisjoint(with: mine) { return true }
    if !incoming.relationships.isDisjoint(with: own.relationships.union(own.present)) {
      return true
    }
    return member.performing {
      incoming.relationships.intersection(member.dirty).contains { hasOwnOrder($0, member) }
    }
  }

  /// Returns whether an order of an object was changed and changed back, which may count as a change.
  private func hasOwnOrder(_ uid: Int, _ member: WalkMember) -> Bool {
    guard let id = id(uid, member), let object = member.context.registeredObject(for: id) else {
      return false
    }
    let changed = object.changedValues()
    return NaiveGraph.relationships(of: object.entity.name ?? "")
      .contains { $0.isOrdered && changed[$0.name] != nil }
  }

  /// A save to the store that other contexts merge.
  struct MergedSave {
    let old: NaiveGraph
    let new: NaiveGraph
    /// The saved objects.
    let refreshed: Set<Int>
    /// The notifications that children merge. If there are none, they refresh all objects.
    let notifications: [Notification]
    let intervening: InterveningSave?
  }

  /// Applies another context's save to the naive graph of a context that merged it.
  func adopt(_ mergedSave: MergedSave, _ member: WalkMember, _ isContradicted: Bool) throws {
    let (old, new) = (mergedSave.old, mergedSave.new)
    let before = member.current
    removeUndoSteps(member)
    let merged = mergedSave.intervening?.merged(into: before, over: old) ?? before
    member.current = merged.rebased(from: old, onto: new)
    for uid in old.objects.keys where new.objects[uid] == nil {
      member.deletedByOtherContexts.insert(uid)
      member.held[uid] = nil
    }
    // A clean object became a fault.
    for (uid, object) in before.objects {
      let isForgotten = mergedSave.refreshed.contains(uid) && !member.dirty.contains(uid)
      member.current.objects[uid]?.mood = isForgotten ? nil : object.mood
    }
    member.dirty = member.dirty.filter { member.current.objects[$0] != nil }
    if isContradicted {
      rollback(member, to: new, follows: false)
    }
    follow(member, from: before, isContradicted ? nil : mergedSave)
  }

  // MARK: To the parent

  private func saveChild(_ member: WalkMember, to parent: WalkMember) throws -> String? {
    note("\(member.name): save")
    parent.performing { catchUp(parent) }
    let old = parent.current
    let (inserted, deleted) = (member.inserted(on: old), member.deleted(on: old))
    let isOwnGroup = parent.history != nil && parent.history?.open == nil
    parent.performing { if isOwnGroup { openGroup(parent) } }
    try member.context.save()
    if member.context.hasChanges { return "changes are left after a save" }
    for uid in inserted {
      guard let id = member.held[uid]?.objectID else { return "\(uid) was not held" }
      recordID(id, uid)
      parent.performing {
        let object = parent.context.object(with: id)
        leaks.watch(object)
        parent.held[uid] = object
      }
    }
    var moods = old.objects.mapValues(\.mood)
    for uid in inserted.union(member.updated(on: old)) {
      if let mood = member.current.objects[uid]?.mood {
        moods[uid] = mood
      } else if inserted.contains(uid) {
        moods[uid] = .some(.some(nil))
      }
    }
    parent.dirty.formUnion(member.dirty)
    parent.current = member.current.stored
    for (uid, mood) in moods { parent.current.objects[uid]?.mood = mood }
    parent.recordTouched()
    for uid in deleted {
      if let object = parent.held.removeValue(forKey: uid) { parent.history?.known[uid] = object }
    }
    expectMerges(of: inserted.union(member.dirty), by: member)
    member.dirty = []
    member.deletedByOtherContexts = []
    // Only the other children follow, because this one has the changes.
    parent.children.removeAll { $0 === member }
    parent.performing { follow(parent, from: old) }
    parent.children.append(member)
    if isOwnGroup, let failure = parent.performing({ closeGroup(parent) }) { return failure }
    if let failure = try parent.performing({ try compare(parent) }) { return failure }
    return try compare(member)
  }
}
