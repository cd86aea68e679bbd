import CoreData
import FixtureSupport
import Testing

/// Does the same random things to a context and to a naive graph, and compares them.
final class GraphWalk {
  private var generator: SeededGenerator
  private let model = WalkModel.make()
  private let stack: SampleStack
  private let context: NSManagedObjectContext
  private var current = NaiveGraph()
  private var saved = NaiveGraph()
  private var held: [Int: NSManagedObject] = [:]
  private var ids: [Int: NSManagedObjectID] = [:]
  private var nextUID = 1
  private(set) var log: [String] = []

  init(_ generator: SeededGenerator, _ scope: StoreScope) throws {
    self.generator = generator
    stack = try SampleStack(scope, model: model)
    context = stack.context
  }

  /// Runs on the context's queue.
  func performing<T>(_ body: (GraphWalk) throws -> T) rethrows -> T {
    try context.performAndWait { try body(self) }
  }

  private func random(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  /// What went wrong first, with the last steps; nil when all went well.
  func run(steps: Int) throws -> String? {
    for number in 1...steps {
      if let fault = try step() {
        return "step \(number): \(fault)\n" + log.suffix(25).joined(separator: "\n")
      }
    }
    return nil
  }

  private func step() throws -> String? {
    switch random(0..<40) {
    case 0..<7: insert()
    case 7..<12: try changeAttribute()
    case 12..<20: try changeRelationship()
    case 20..<23: try delete()
    case 23..<25: if let fault = try save() { return fault }
    case 25: if let fault = rollback() { return fault }
    case 26: reset()
    case 27: refresh()
    case 28..<30: try editElsewhere()
    case 30..<36: if let fault = try fetch() { return fault }
    case 36: forget()
    case 37: try deleteElsewhere()
    case 38:
      log.append("obtain IDs")
      try context.obtainPermanentIDs(for: Array(context.insertedObjects))
    default: return try compare(context, with: current, "the context")
    }
    return random(0..<4) == 0 ? try compare(context, with: current, "the context") : nil
  }

  // MARK: Finding objects

  private func object(_ uid: Int) throws -> NSManagedObject {
    if let object = held[uid] { return object }
    let id = try #require(ids[uid])
    let object = context.object(with: id)
    held[uid] = object
    return object
  }

  private func anyone(_ entities: [String] = WalkModel.entities) -> Int? {
    current.uids.filter { entities.contains(current.objects[$0]?.entity ?? "") }
      .randomElement(using: &generator)
  }

  // MARK: Steps

  private func insert() {
    let entity = WalkModel.entities[random(0..<WalkModel.entities.count)]
    let object = context.insert(entity, ["uid": nextUID])
    held[nextUID] = object
    current.objects[nextUID] = NaiveGraph.Object(entity: entity)
    log.append("insert \(entity) \(nextUID)")
    nextUID += 1
  }

  private func changeAttribute() throws {
    guard let uid = anyone() else { return }
    let object = try object(uid)
    if Bool.random(using: &generator) {
      let rank = random(0..<4) == 0 ? nil : random(0..<6)
      object.setValue(rank, forKey: "rank")
      current.objects[uid]?.rank = rank
      log.append("\(uid).rank = \(rank.map(String.init) ?? "nil")")
    } else {
      let name = [nil, "a", "ab", "b", "c"][random(0..<5)]
      object.setValue(name, forKey: "name")
      current.objects[uid]?.name = name
      log.append("\(uid).name = \(name ?? "nil")")
    }
  }

  private func changeRelationship() throws {
    guard let uid = anyone(), let entity = current.objects[uid]?.entity else { return }
    let all = NaiveGraph.relationships(of: entity)
    let relationship = all[random(0..<all.count)]
    let candidates = current.uids(of: relationship.destination)
    let object = try object(uid)
    if !relationship.isToMany {
      let target = random(0..<4) == 0 ? nil : candidates.randomElement(using: &generator)
      object.setValue(try target.map(self.object), forKey: relationship.name)
      current.setOne(uid, relationship, target)
      log.append("\(uid).\(relationship.name) = \(target.map(String.init) ?? "nil")")
      return
    }
    var list = current.objects[uid]?.many[relationship.name] ?? []
    switch random(0..<4) {
    case 0: list = []
    case 1: list.shuffle(using: &generator)
    case 2: if !list.isEmpty { list.remove(at: random(0..<list.count)) }
    default: break
    }
    for uid in candidates.shuffled(using: &generator).prefix(random(0..<3))
    where !list.contains(uid) { list.insert(uid, at: random(0..<list.count + 1)) }
    let members = try list.map(self.object)
    object.setValue(
      relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
      forKey: relationship.name)
    current.setMany(uid, relationship, list)
    log.append("\(uid).\(relationship.name) = \(list)")
  }

  private func delete() throws {
    guard let uid = anyone() else { return }
    log.append("delete \(uid)")
    let object = try object(uid)
    if object.isInserted == false, current.objects[uid]?.many["guards"]?.isEmpty == false {
      context.delete(object)
      do {
        try context.save()
        Issue.record("a vault with guards was deleted")
      } catch let error as NSError {
        #expect(error.code == NSValidationRelationshipDeniedDeleteError)
      }
      _ = rollback()
      return
    }
    context.delete(object)
    current.delete(uid)
    held[uid] = nil
    if Bool.random(using: &generator) { context.processPendingChanges() }
  }

  private func save() throws -> String? {
    log.append("save")
    try context.save()
    saved = current
    for (uid, object) in held where current.objects[uid] != nil { ids[uid] = object.objectID }
    if context.hasChanges { return "changes are left after a save" }
    if let fault = try compare(context, with: current, "the context after a save") { return fault }
    let other = stack.newContext()
    let second = try other.performAndWait { try compare(other, with: saved, "a second context") }
    if let second { return second }
    let fresh = try stack.reopened()
    return try fresh.context.performAndWait {
      try compare(fresh.context, with: saved, "a second coordinator")
    }
  }

  private func rollback() -> String? {
    log.append("rollback")
    context.rollback()
    current = saved
    held = held.filter { saved.objects[$0.key] != nil && ids[$0.key] != nil }
    return context.hasChanges ? "changes are left after a rollback" : nil
  }

  private func reset() {
    log.append("reset")
    context.reset()
    current = saved
    held = [:]
  }

  private func refresh() {
    guard
      let uid = saved.uids.filter({ current.objects[$0] != nil }).randomElement(using: &generator),
      let id = ids[uid]
    else { return }
    log.append("refresh \(uid)")
    context.refresh(context.object(with: id), mergeChanges: true)
  }

  /// Lets go of clean objects, so that they are made anew when they are needed.
  private func forget() {
    log.append("forget")
    held = held.filter { ids[$0.key] == nil || $0.value.hasChanges }
  }

  /// Another context saves a change, which is merged.
  private func editElsewhere() throws {
    let both = saved.uids.filter { current.objects[$0] != nil }
    guard let uid = both.randomElement(using: &generator), let id = ids[uid] else { return }
    let other = stack.newContext()
    nonisolated(unsafe) var notification: Notification?
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: other, queue: nil
    ) { notification = $0 }
    defer { NotificationCenter.default.removeObserver(token) }
    let rank = random(0..<6)
    let owner = both.filter { ["Node", "Leader"].contains(saved.objects[$0]?.entity ?? "") }
      .randomElement(using: &generator)
    try other.performAndWait {
      if let owner, let ownerID = ids[owner], Bool.random(using: &generator) {
        let isItem = Bool.random(using: &generator)
        let made = other.insert(isItem ? "Item" : "Node", ["uid": nextUID, "rank": rank])
        made.setValue(other.object(with: ownerID), forKey: isItem ? "owner" : "parent")
        try other.save()
        log.append("elsewhere: insert \(isItem ? "Item" : "Node") \(nextUID) under \(owner)")
        for graph in [\GraphWalk.current, \GraphWalk.saved] {
          let walk = self
          walk[keyPath: graph].objects[nextUID] = NaiveGraph.Object(
            entity: isItem ? "Item" : "Node", rank: rank)
          let relationship = NaiveGraph.relationships(of: isItem ? "Item" : "Node").first {
            $0.name == (isItem ? "owner" : "parent")
          }
          if let relationship { walk[keyPath: graph].setOne(nextUID, relationship, owner) }
        }
        ids[nextUID] = made.objectID
        nextUID += 1
      } else {
        other.object(with: id).setValue(rank, forKey: "rank")
        try other.save()
        log.append("elsewhere: \(uid).rank = \(rank)")
        if current.objects[uid]?.rank == saved.objects[uid]?.rank {
          current.objects[uid]?.rank = rank
        }
        saved.objects[uid]?.rank = rank
      }
    }
    context.mergeChanges(fromContextDidSave: try #require(notification))
  }

  /// Another context deletes an object, which is merged; only while there are no changes here.
  private func deleteElsewhere() throws {
    context.processPendingChanges()
    guard !context.hasChanges, let uid = saved.uids.randomElement(using: &generator),
      saved.objects[uid]?.many["guards"]?.isEmpty != false, let id = ids[uid]
    else { return }
    log.append("elsewhere: delete \(uid)")
    let other = stack.newContext()
    nonisolated(unsafe) var notification: Notification?
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: other, queue: nil
    ) { notification = $0 }
    defer { NotificationCenter.default.removeObserver(token) }
    try other.performAndWait {
      other.delete(other.object(with: id))
      try other.save()
    }
    saved.delete(uid)
    current = saved
    held = held.filter { saved.objects[$0.key] != nil }
    context.mergeChanges(fromContextDidSave: try #require(notification))
  }

  // MARK: Comparing

  private func fetch() throws -> String? {
    let query = WalkQuery(&generator)
    log.append("fetch \(query)")
    let expected = query.expected(current)
    let request = try query.request()
    if random(0..<4) == 0 { request.fetchBatchSize = 2 }
    let found = try context.fetch(request).map { $0.value(forKey: "uid") as? Int ?? -1 }
    if found != expected { return "\(query): \(found) instead of \(expected)" }
    let count = try context.count(for: request)
    if count != expected.count { return "\(query): count \(count), not \(expected.count)" }
    return nil
  }

  private func compare(
    _ context: NSManagedObjectContext, with graph: NaiveGraph, _ who: String
  ) throws -> String? {
    var byUID: [Int: NSManagedObject] = [:]
    for entity in WalkModel.entities where entity != "Leader" {
      for object in try context.all(entity) {
        guard let uid = object.value(forKey: "uid") as? Int else {
          return "\(who): an object without uid: \(object)"
        }
        if byUID.updateValue(object, forKey: uid) != nil { return "\(who) has two of \(uid)" }
      }
    }
    if byUID.keys.sorted() != graph.uids {
      return "\(who) has \(byUID.keys.sorted()) instead of \(graph.uids)"
    }
    func uid(_ object: NSManagedObject) -> Int { object.value(forKey: "uid") as? Int ?? -1 }
    for (number, expected) in graph.objects {
      guard let object = byUID[number] else { continue }
      if context === self.context, let known = held[number], known !== object {
        return "\(who) has two objects of \(number)"
      }
      if object.entity.name != expected.entity { return "\(who): \(number) is \(object)" }
      let name: String? = object["name"]
      let rank: Int? = object["rank"]
      if name != expected.name || rank != expected.rank {
        return "\(who): \(number) is \(name ?? "nil") \(rank.map(String.init) ?? "nil"), not"
          + " \(expected.name ?? "nil") \(expected.rank.map(String.init) ?? "nil")"
      }
      for relationship in NaiveGraph.relationships(of: expected.entity) {
        let value = object.value(forKey: relationship.name)
        let found: [Int]
        let wanted: [Int]
        switch value {
        case let set as NSSet:
          found = set.compactMap { ($0 as? NSManagedObject).map(uid) }.sorted()
          wanted = expected.members(relationship)
        case let set as NSOrderedSet:
          found = set.compactMap { ($0 as? NSManagedObject).map(uid) }
          wanted = expected.members(relationship)
        default:
          found = (value as? NSManagedObject).map { [uid($0)] } ?? []
          wanted = expected.one[relationship.name].map { [$0] } ?? []
        }
        if found != wanted {
          return "\(who): \(number).\(relationship.name) is \(found) instead of \(wanted)"
        }
      }
    }
    return nil
  }
}
