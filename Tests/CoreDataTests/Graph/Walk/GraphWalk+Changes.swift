import CoreData
import FixtureSupport

/// Steps that change objects.
extension GraphWalk {
  /// Makes a change in its own undo group if none is open, and updates the context's children.
  func changing(_ member: WalkMember, _ body: () -> Void) throws -> String? {
    let isOwnGroup = member.history != nil && member.history?.open == nil
    if isOwnGroup { openGroup(member) }
    let before = member.current
    body()
    member.recordTouched()
    // The next save does not contain an object that was inserted and deleted since the last save.
    let isToBeSaved = before.objects.keys.allSatisfy {
      member.current.objects[$0] != nil || base(member).objects[$0] != nil
    }
    follow(member, from: before, isToBeSaved: isToBeSaved)
    return isOwnGroup ? closeGroup(member) : nil
  }

  func insert(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    let entity = WalkModel.entities[choices.below(WalkModel.entities.count)]
    let uid = nextUID
    nextUID += 1
    note("\(member.name): insert \(entity) \(uid)")
    let object: NSManagedObject
    if choices.once(in: 3), let description = model.entitiesByName[entity] {
      object = NSManagedObject(entity: description, insertInto: nil)
      object.setValue(uid, forKey: "uid")
      member.context.insert(object)
    } else {
      object = member.context.insert(entity, ["uid": uid])
    }
    member.held[uid] = object
    leaks.watch(object)
    member.current.objects[uid] = NaiveGraph.Object(entity: entity)
    if entity == "Tag" {
      object.setValue("a", forKey: "name")
      member.current.objects[uid]?.name = "a"
    }
  }

  func setAttribute(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    guard let uid = anyUID(member, &choices), let object = object(uid, member) else { return }
    member.current.touched.insert(uid)
    switch choices.below(8) {
    case 0:
      note("\(member.name): \(uid).rank = its rank")
      object.setValue(object.value(forKey: "rank"), forKey: "rank")
    case 1...3:
      let rank =
        choices.once(in: 4)
        ? nil : choices.once(in: 60) ? WalkModel.maximumRank + 1 : choices.below(6)
      note("\(member.name): \(uid).rank = \(rank.map(String.init) ?? "nil")")
      object.setValue(rank, forKey: "rank")
      member.current.objects[uid]?.rank = rank
    case 4...6:
      let names =
        member.current.objects[uid]?.entity == "Tag" && !choices.once(in: 10)
        ? ["a", "ab", "b", "c"] : [nil, "a", "ab", "b", "c"]
      let name = names[choices.below(names.count)]
      note("\(member.name): \(uid).name = \(name ?? "nil")")
      object.setValue(name, forKey: "name")
      member.current.objects[uid]?.name = name
    default:
      let mood = [nil, "glad", "sad"][choices.below(3)]
      note("\(member.name): \(uid).mood = \(mood ?? "nil")")
      object.setValue(mood, forKey: "mood")
      member.current.objects[uid]?.mood = .some(mood)
    }
  }

  private func anyRelationship(
    _ member: WalkMember, _ choices: inout WalkStep.Choices,
    where isWanted: (WalkModel.Relationship) -> Bool
  ) -> (Int, NSManagedObject, WalkModel.Relationship)? {
    guard let uid = anyUID(member, &choices), let object = object(uid, member),
      let relationship = choices.element(
        NaiveGraph.relationships(of: member.current.objects[uid]?.entity ?? "").filter(isWanted))
    else { return nil }
    return (uid, object, relationship)
  }

  func setToOne(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    guard
      let (uid, object, relationship) = anyRelationship(
        member, &choices, where: { !$0.isToMany })
    else { return }
    var target =
      choices.once(in: 4)
      ? nil : choices.element(member.current.uids(of: relationship.destination))
    if let present = member.current.objects[uid]?.one[relationship.name], choices.once(in: 4) {
      target = present
      // An object that returns to an ordered relationship becomes the last one.
      note("\(member.name): \(uid).\(relationship.name) = nil")
      object.setValue(nil, forKey: relationship.name)
      member.current.setOne(uid, relationship, nil)
    }
    note("\(member.name): \(uid).\(relationship.name) = \(target.map(String.init) ?? "nil")")
    object.setValue(target.flatMap { self.object($0, member) }, forKey: relationship.name)
    member.current.setOne(uid, relationship, target)
  }

  func setToMany(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    guard
      let (uid, object, relationship) = anyRelationship(member, &choices, where: \.isToMany)
    else { return }
    var generator = choices.generator
    var list = member.current.objects[uid]?.many[relationship.name] ?? []
    switch choices.below(5) {
    case 0: list = []
    case 1: list.shuffle(using: &generator)
    case 2: if !list.isEmpty { list.remove(at: choices.below(list.count)) }
    default: break
    }
    let candidates = member.current.uids(of: relationship.destination)
    for uid in candidates.shuffled(using: &generator).prefix(choices.below(3))
    where !list.contains(uid) { list.insert(uid, at: choices.below(list.count + 1)) }
    note("\(member.name): \(uid).\(relationship.name) = \(list)")
    let members = list.compactMap { self.object($0, member) }
    object.setValue(
      relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
      forKey: relationship.name)
    member.current.setMany(uid, relationship, list)
  }

  /// Changes a to-many relationship through its mutable collection.
  func changeMembers(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    guard
      let (uid, object, relationship) = anyRelationship(member, &choices, where: \.isToMany)
    else { return }
    var list = member.current.objects[uid]?.many[relationship.name] ?? []
    let other = choices.element(member.current.uids(of: relationship.destination))
    guard let other, let target = self.object(other, member) else { return }
    let text = "\(member.name): \(uid).\(relationship.name)"
    if relationship.isOrdered {
      let live = object.mutableOrderedSetValue(forKey: relationship.name)
      let index = choices.below(max(1, list.count))
      let second = choices.below(max(1, list.count))
      switch choices.below(list.isEmpty ? 2 : 7) {
      case 0:
        note("\(text) add \(other)")
        live.add(target)
        if !list.contains(other) { list.append(other) }
      case 1:
        note("\(text) insert \(other) at \(index)")
        live.insert(target, at: min(index, list.count))
        if !list.contains(other) { list.insert(other, at: min(index, list.count)) }
      case 2:
        note("\(text) remove at \(index)")
        live.removeObject(at: index)
        list.remove(at: index)
      case 3:
        note("\(text) move \(index) to \(second)")
        live.moveObjects(at: IndexSet(integer: index), to: second)
        list.insert(list.remove(at: index), at: second)
      case 4:
        note("\(text) exchange \(index) and \(second)")
        live.exchangeObject(at: index, withObjectAt: second)
        list.swapAt(index, second)
      case 5:
        if list.contains(other) { return }
        note("\(text) replace \(index) with \(other)")
        live.replaceObject(at: index, with: target)
        list[index] = other
      default:
        note("\(text) remove \(other)")
        live.remove(target)
        list.removeAll { $0 == other }
      }
    } else {
      let live = object.mutableSetValue(forKey: relationship.name)
      if choices.below(5) < 3 {
        note("\(text) add \(other)")
        live.add(target)
        if !list.contains(other) { list.append(other) }
      } else {
        let gone = choices.element(list) ?? other
        note("\(text) remove \(gone)")
        if let target = self.object(gone, member) { live.remove(target) }
        list.removeAll { $0 == gone }
      }
    }
    // A call with no effect, such as adding a member again, may or may not count as a change.
    if list == member.current.objects[uid]?.many[relationship.name] ?? [] {
      if object.isUpdated { member.current.touched.insert(uid) }
      return
    }
    member.current.setMany(uid, relationship, list)
  }

  // MARK: Deleting

  /// Returns whether the guards of a vault prevent its deletion.
  private func isGuarded(_ uid: Int, _ member: WalkMember) -> Bool {
    member.current.objects[uid]?.many["guards"]?.isEmpty == false
      && base(member).objects[uid] != nil
  }

  func delete(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    guard let uid = anyUID(member, &choices), let object = object(uid, member),
      !isGuarded(uid, member)
    else { return }
    note("\(member.name): delete \(uid)")
    member.context.delete(object)
    if choices.once(in: 6) { member.context.delete(object) }
    remove(uid, member)
    if choices.once(in: 2) { member.context.processPendingChanges() }
  }

  /// Deletes an object in the naive graph.
  private func remove(_ uid: Int, _ member: WalkMember) {
    let before = member.current.objects
    member.current.delete(uid)
    for gone in before.keys where member.current.objects[gone] == nil {
      if member.history != nil, let object = member.held[gone] {
        member.history?.known[gone] = object
      }
      member.held[gone] = nil
    }
  }

  /// Deletes a vault that has guards. The deletion succeeds, but the save fails because of the deny rule.
  func deleteDenied(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    let vaults = member.current.uids(of: "Vault").filter { isGuarded($0, member) }
    guard let uid = choices.element(vaults), let object = object(uid, member) else { return nil }
    note("\(member.name): delete the guarded \(uid)")
    removeUndoSteps(member)
    member.context.delete(object)
    if !object.isDeleted || !member.context.deletedObjects.contains(object) {
      return "\(uid) is not deleted"
    }
    var expected = problems(member).filter { !$0.hasPrefix("\(uid).") }
    expected.append("\(uid).guards \(NSValidationRelationshipDeniedDeleteError)")
    if let failure = failToSave(member, expected) {
      return failure
    }
    if choices.once(in: 2) {
      note("\(member.name): insert the deleted \(uid) again")
      member.context.insert(object)
      if object.isDeleted { return "\(uid) is still deleted" }
      member.dirty.insert(uid)
      member.context.processPendingChanges()
      removeUndoSteps(member)
    } else {
      member.dirty.insert(uid)
      rollback(member)
    }
    return nil
  }

  /// Deletes an object that has no related objects, and inserts it again.
  func deleteAndInsert(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    let alone = member.current.uids.filter { uid in
      guard let object = member.current.objects[uid], base(member).objects[uid] != nil else {
        return false
      }
      return NaiveGraph.relationships(of: object.entity).allSatisfy { object.members($0).isEmpty }
    }
    guard let uid = choices.element(alone), let object = object(uid, member) else { return }
    note("\(member.name): delete \(uid) and insert it again")
    member.context.delete(object)
    if choices.once(in: 2) { member.context.processPendingChanges() }
    member.context.insert(object)
    member.current.touched.insert(uid)
  }
}
