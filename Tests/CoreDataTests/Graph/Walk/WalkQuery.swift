import CoreData
import FixtureSupport

/// A random request, and its expected result from a naive graph.
struct WalkQuery: CustomStringConvertible {
  var entity = "Node"
  var format: String?
  var matches: (NaiveGraph.Object, NaiveGraph) -> Bool? = { _, _ in true }
  var includesSubentities = true
  var sort = "uid"
  var ascending = true
  var limit = 0
  var offset = 0

  var description: String {
    "\(entity) \(format ?? "all") by \(ascending ? "" : "-")\(sort) limit \(limit) offset \(offset)"
      + (includesSubentities ? "" : " without subentities")
  }

  init(_ generator: inout SeededGenerator) {
    let rank = Int.random(in: 0..<6, using: &generator)
    let name = "abc".map(String.init).randomElement(using: &generator) ?? "a"
    func parent(_ object: NaiveGraph.Object, _ graph: NaiveGraph) -> NaiveGraph.Object? {
      object.one["parent"].flatMap { graph.objects[$0] }
    }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0:
      format = "rank >= \(rank)"
      matches = { object, _ in object.rank.map { $0 >= rank } }
    case 1:
      format = "name BEGINSWITH \"\(name)\""
      matches = { object, _ in object.name.map { $0.hasPrefix(name) } }
    case 2:
      format = "parent.rank < \(rank)"
      matches = { object, graph in parent(object, graph)?.rank.map { $0 < rank } }
    case 3:
      format = "badge == nil"
      matches = { object, _ in object.one["badge"] == nil }
    case 4:
      format = "ANY tags.name == \"\(name)\""
      matches = { object, graph in
        (object.many["tags"] ?? []).contains { graph.objects[$0]?.name == name }
      }
    case 5:
      format = "children.@count > 1"
      matches = { object, _ in (object.many["children"] ?? []).count > 1 }
    case 6:
      format = "vault.name != nil AND rank < \(rank)"
      matches = { object, graph in
        guard object.one["vault"].flatMap({ graph.objects[$0]?.name }) != nil else { return false }
        return object.rank.map { $0 < rank }
      }
    case 7:
      format = "parent.parent.rank == \(rank)"
      matches = { object, graph in
        parent(object, graph).flatMap { parent($0, graph) }?.rank.map { $0 == rank }
      }
    case 8:
      format = "ANY items.rank > \(rank)"
      matches = { object, graph in
        (object.many["items"] ?? []).contains { (graph.objects[$0]?.rank ?? -1) > rank }
      }
    case 9:
      entity = "Item"
      format = "owner.parent.rank >= \(rank)"
      matches = { object, graph in
        object.one["owner"].flatMap { graph.objects[$0] }.flatMap { parent($0, graph) }?
          .rank.map { $0 >= rank }
      }
    case 10:
      format = "friends.@count == 0 OR spouse != nil"
      matches = { object, _ in
        (object.many["friends"] ?? []).isEmpty || object.one["spouse"] != nil
      }
    default: entity = ["Node", "Leader", "Tag", "Item"].randomElement(using: &generator) ?? "Node"
    }
    includesSubentities = Int.random(in: 0..<4, using: &generator) != 0
    sort = ["uid", "rank", "name"].randomElement(using: &generator) ?? "uid"
    if entity == "Node", Int.random(in: 0..<3, using: &generator) == 0 { sort = "parent.rank" }
    ascending = Bool.random(using: &generator)
    if Bool.random(using: &generator) { limit = Int.random(in: 0..<6, using: &generator) }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      offset = Int.random(in: 0..<4, using: &generator)
    }
  }

  func request() throws -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = try format.map { try NSPredicate(validating: $0, arguments: []) }
    request.sortDescriptors = [
      NSSortDescriptor(key: sort, ascending: ascending),
      NSSortDescriptor(key: "uid", ascending: true),
    ]
    request.includesSubentities = includesSubentities
    request.fetchLimit = limit
    request.fetchOffset = offset
    return request
  }

  /// Returns the objects that the predicate matches, without a limit or an order.
  func matching(_ graph: NaiveGraph) -> [Int] {
    graph.uids(of: entity).filter { uid in
      guard let object = graph.objects[uid] else { return false }
      if !includesSubentities, object.entity != entity { return false }
      return matches(object, graph) == true
    }
  }

  func expected(_ graph: NaiveGraph) -> [Int] {
    let found = matching(graph)
    /// Returns the sort key as text that sorts like the value. A nil value sorts first.
    func key(_ uid: Int) -> String {
      guard let object = graph.objects[uid] else { return "" }
      func text(_ number: Int?) -> String { number.map { "\(1_000_000 + $0)" } ?? "" }
      switch sort {
      case "rank": return text(object.rank)
      case "name": return object.name ?? ""
      case "parent.rank": return text(object.one["parent"].flatMap { graph.objects[$0]?.rank })
      default: return text(uid)
      }
    }
    let sorted = found.sorted { a, b in
      let (left, right) = (key(a), key(b))
      if left == right { return a < b }
      return ascending ? left < right : left > right
    }
    let rest = Array(sorted.dropFirst(offset))
    return limit > 0 ? Array(rest.prefix(limit)) : rest
  }
}
