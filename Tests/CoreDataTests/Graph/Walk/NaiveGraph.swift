import CoreData

/// The object graph as plain values: what a context has to agree with.
struct NaiveGraph: Equatable {
  struct Object: Equatable {
    let entity: String
    var name: String?
    var rank: Int?
    var one: [String: Int] = [:]
    var many: [String: [Int]] = [:]

    func members(_ relationship: WalkModel.Relationship) -> [Int] {
      let list = many[relationship.name] ?? []
      return relationship.isOrdered ? list : list.sorted()
    }
  }

  var objects: [Int: Object] = [:]

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

  private func inverse(_ relationship: WalkModel.Relationship) -> WalkModel.Relationship {
    Self.relationships(of: relationship.destination).first { $0.name == relationship.inverse }!
  }

  private mutating func add(_ uid: Int, to owner: Int, _ relationship: WalkModel.Relationship) {
    if !relationship.isToMany {
      objects[owner]?.one[relationship.name] = uid
    } else if objects[owner]?.many[relationship.name]?.contains(uid) != true {
      objects[owner]?.many[relationship.name, default: []].append(uid)
    }
  }

  private mutating func remove(_ uid: Int, from owner: Int, _ relationship: WalkModel.Relationship)
  {
    if !relationship.isToMany {
      if objects[owner]?.one[relationship.name] == uid {
        objects[owner]?.one[relationship.name] = nil
      }
    } else {
      objects[owner]?.many[relationship.name]?.removeAll { $0 == uid }
    }
  }

  private mutating func unrelate(_ a: Int, _ b: Int, _ relationship: WalkModel.Relationship) {
    remove(b, from: a, relationship)
    remove(a, from: b, inverse(relationship))
  }

  private mutating func relate(_ a: Int, _ b: Int, _ relationship: WalkModel.Relationship) {
    let back = inverse(relationship)
    if !relationship.isToMany, let old = objects[a]?.one[relationship.name] {
      unrelate(a, old, relationship)
    }
    if !back.isToMany, let old = objects[b]?.one[back.name] { unrelate(b, old, back) }
    add(b, to: a, relationship)
    add(a, to: b, back)
  }

  mutating func setOne(_ a: Int, _ relationship: WalkModel.Relationship, _ b: Int?) {
    let old = objects[a]?.one[relationship.name]
    if old == b { return }
    if let b { relate(a, b, relationship) } else if let old { unrelate(a, old, relationship) }
  }

  mutating func setMany(_ a: Int, _ relationship: WalkModel.Relationship, _ list: [Int]) {
    let old = objects[a]?.many[relationship.name] ?? []
    for uid in old where !list.contains(uid) { unrelate(a, uid, relationship) }
    for uid in list where !old.contains(uid) { relate(a, uid, relationship) }
    objects[a]?.many[relationship.name] = list
  }

  /// Deletes with the rules; the deny rule is the caller's matter.
  mutating func delete(_ uid: Int) {
    guard let object = objects[uid] else { return }
    var cascaded: [Int] = []
    for relationship in Self.relationships(of: object.entity) {
      let others =
        relationship.isToMany
        ? object.many[relationship.name] ?? []
        : object.one[relationship.name].map { [$0] } ?? []
      for other in others {
        unrelate(uid, other, relationship)
        if relationship.rule == .cascadeDeleteRule { cascaded.append(other) }
      }
    }
    objects[uid] = nil
    for other in cascaded { delete(other) }
  }
}
