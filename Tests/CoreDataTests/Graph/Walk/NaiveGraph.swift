import CoreData

/// The object graph as plain values, with which a context must agree.
struct NaiveGraph: Equatable {
  struct Object: Equatable {
    let entity: String
    var name: String?
    var rank: Int?
    /// A transient attribute. The outer optional is nil if the attribute was not set since the object was last a fault.
    var mood: String??
    var one: [String: Int] = [:]
    var many: [String: [Int]] = [:]

    /// Returns the uids of a relationship's destinations, in the order of an ordered relationship, otherwise sorted.
    func members(_ relationship: WalkModel.Relationship) -> [Int] {
      if !relationship.isToMany { return one[relationship.name].map { [$0] } ?? [] }
      let list = many[relationship.name] ?? []
      return relationship.isOrdered ? list : list.sorted()
    }

    func hasSameAttributes(as other: Object) -> Bool { name == other.name && rank == other.rank }

    func hasSameRelationships(as other: Object) -> Bool {
      NaiveGraph.relationships(of: entity).allSatisfy { members($0) == other.members($0) }
    }

    func isStored(as other: Object) -> Bool {
      hasSameAttributes(as: other) && hasSameRelationships(as: other)
    }
  }

  var objects: [Int: Object] = [:]
  /// The objects with a property that was set, even to the value it already had.
  var touched: Set<Int> = []

  var uids: [Int] { objects.keys.sorted() }

  func uids(of entity: String) -> [Int] {
    uids.filter { uid in
      let own = objects[uid]?.entity
      return own == entity || entity == "Node" && own == "Leader"
    }
  }

  static func relationships(of entity: String) -> [WalkModel.Relationship] {
    WalkModel.relationships[entity] ?? []
  }

  // MARK: Changing

  private func inverse(_ relationship: WalkModel.Relationship) -> WalkModel.Relationship {
    Self.relationships(of: relationship.destination).first { $0.name == relationship.inverse }!
  }

  private mutating func add(_ uid: Int, to owner: Int, _ relationship: WalkModel.Relationship) {
    touched.insert(owner)
    if !relationship.isToMany {
      objects[owner]?.one[relationship.name] = uid
    } else if objects[owner]?.many[relationship.name]?.contains(uid) != true {
      objects[owner]?.many[relationship.name, default: []].append(uid)
    }
  }

  private mutating func remove(_ uid: Int, from owner: Int, _ relationship: WalkModel.Relationship)
  {
    if relationship.isToMany {
      objects[owner]?.many[relationship.name]?.removeAll { $0 == uid }
    } else {
      guard objects[owner]?.one[relationship.name] == uid else { return }
      objects[owner]?.one[relationship.name] = nil
    }
    touched.insert(owner)
  }

  private mutating func unrelate(_ a: Int, _ b: Int, _ relationship: WalkModel.Relationship) {
    remove(b, from: a, relationship)
    remove(a, from: b, inverse(relationship))
  }

  private mutating func relate(_ a: Int, _ b: Int, _ relationship: WalkModel.Relationship) {
    let back = inverse(relationship)
    if !relationship.isToMany, let old = objects[a]?.one[relationship.name], old != b {
      unrelate(a, old, relationship)
    }
    if !back.isToMany, let old = objects[b]?.one[back.name], old != a { unrelate(b, old, back) }
    add(a, to: b, back)
    add(b, to: a, relationship)
  }

  mutating func setOne(_ a: Int, _ relationship: WalkModel.Relationship, _ b: Int?) {
    touched.insert(a)
    let old = objects[a]?.one[relationship.name]
    if old == b { return }
    if let b { relate(a, b, relationship) } else if let old { unrelate(a, old, relationship) }
  }

  mutating func setMany(_ a: Int, _ relationship: WalkModel.Relationship, _ list: [Int]) {
    touched.insert(a)
    let old = objects[a]?.many[relationship.name] ?? []
    for uid in old where !list.contains(uid) { unrelate(a, uid, relationship) }
    for uid in list where !old.contains(uid) { relate(a, uid, relationship) }
    objects[a]?.many[relationship.name] = list
  }

  /// Deletes an object and applies its delete rules, except the deny rule, which the caller checks.
  mutating func delete(_ uid: Int) {
    guard let object = objects[uid] else { return }
    var cascaded: [Int] = []
    for relationship in Self.relationships(of: object.entity) {
      for other in object.members(relationship) {
        unrelate(uid, other, relationship)
        if relationship.rule == .cascadeDeleteRule { cascaded.append(other) }
      }
    }
    objects[uid] = nil
    touched.remove(uid)
    for other in cascaded { delete(other) }
  }

  // MARK: Differences

  /// The objects that differ from an older graph.
  struct Difference {
    /// Objects that are in only one of the graphs.
    var present: Set<Int> = []
    var relationships: Set<Int> = []
    var attributes: Set<Int> = []

    var all: Set<Int> { present.union(relationships).union(attributes) }
    var isEmpty: Bool { present.isEmpty && relationships.isEmpty && attributes.isEmpty }
  }

  func difference(from older: NaiveGraph) -> Difference {
    var difference = Difference()
    for (uid, object) in objects {
      guard let old = older.objects[uid] else {
        difference.present.insert(uid)
        continue
      }
      if !object.hasSameAttributes(as: old) { difference.attributes.insert(uid) }
      if !object.hasSameRelationships(as: old) { difference.relationships.insert(uid) }
    }
    for uid in older.objects.keys where objects[uid] == nil { difference.present.insert(uid) }
    return difference
  }

  /// Applies the changes of this graph since `old` to `new`, property by property.
  func rebased(from old: NaiveGraph, onto new: NaiveGraph) -> NaiveGraph {
    var result = new
    result.touched = []
    for uid in Set(old.objects.keys).union(objects.keys) {
      guard let mine = objects[uid] else {
        result.objects[uid] = nil
        continue
      }
      guard let before = old.objects[uid] else {
        result.objects[uid] = mine
        continue
      }
      guard var object = result.objects[uid] else { continue }
      if mine.name != before.name { object.name = mine.name }
      if mine.rank != before.rank { object.rank = mine.rank }
      object.mood = mine.mood
      for relationship in Self.relationships(of: mine.entity)
      where mine.members(relationship) != before.members(relationship) {
        object.one[relationship.name] = mine.one[relationship.name]
        object.many[relationship.name] = mine.many[relationship.name]
      }
      result.objects[uid] = object
    }
    return result
  }

  /// The part of the graph that a store keeps.
  var stored: NaiveGraph {
    var graph = self
    graph.touched = []
    for uid in graph.objects.keys { graph.objects[uid]?.mood = nil }
    return graph
  }

  /// Returns the validation errors of an object, each as a property and an error code.
  func problems(of uid: Int) -> [String] {
    guard let object = objects[uid] else { return [] }
    var problems: [String] = []
    if object.entity == "Tag", object.name == nil {
      problems.append("\(uid).name \(NSValidationMissingMandatoryPropertyError)")
    }
    if (object.rank ?? 0) > WalkModel.maximumRank {
      problems.append("\(uid).rank \(NSManagedObjectValidationError)")
    }
    for relationship in Self.relationships(of: object.entity)
    where relationship.maximum > 0 && object.members(relationship).count > relationship.maximum {
      problems.append(
        "\(uid).\(relationship.name) \(NSValidationRelationshipExceedsMaximumCountError)")
    }
    return problems
  }
}
