/// Finds the nodes and objects that leave, arrive or may move on one level of hierarchical results.
struct LevelFinder {
  let hierarchy: HierarchicalResults
  let depth: Int
  let changed: ChangeList
  let slots: ChangedSlots
  let displaced: [NSManagedObject]
  let isIncomplete: Bool
  let freshParents: [HierarchyNode]
  let goneParents: [HierarchyNode]

  private(set) var leaving: [HierarchyChange.Leaving] = []
  var arrivals: [HierarchyChange.Arrival] = []
  /// The nodes that stay with their parents and have new sort values.
  private var resorted: [ChangingChildren.Resorted] = []
  /// The new members of examined parents, if the relationship defines their order.
  private var orders: [(parent: HierarchyNode, members: [NSManagedObject])] = []

  init(
    hierarchy: HierarchicalResults, depth: Int, changed: ChangeList, slots: ChangedSlots,
    displaced: [NSManagedObject], isIncomplete: Bool, freshParents: [HierarchyNode],
    goneParents: [HierarchyNode]
  ) {
    self.hierarchy = hierarchy
    self.depth = depth
    self.changed = changed
    self.slots = slots
    self.displaced = displaced
    self.isIncomplete = isIncomplete
    self.freshParents = freshParents
    self.goneParents = goneParents
  }

  private var level: BoundLevel { hierarchy.levels[depth - 1] }

  /// Returns the members that the change may affect on this level.
  private func candidates() throws -> ChangeList {
    var candidates = ChangeList()
    for parent in goneParents {
      // The children leave with their parent, or have moved to another one.
      for child in parent.children { candidates.insert(child.object) }
    }
    for object in changed where level.covers(object) { candidates.insert(object) }
    for object in displaced where level.covers(object) { candidates.insert(object) }
    for dependency in level.dependencies {
      let ends = dependency.ends(among: changed) { slots.mayHaveChanged($1, of: $0) }
      for member in try dependency.roots(of: ends, in: hierarchy.context) where level.covers(member)
      {
        candidates.insert(member)
      }
    }
    if isIncomplete {
      for node in hierarchy.nodes[depth].all { candidates.insert(node.object) }
    }
    return candidates
  }

  // MARK: A level whose members have the inverse relationship

  mutating func compareMembers() throws {
    var candidates = try candidates()
    let context = hierarchy.context
    try context.prefetchToMany(level.slot, of: freshParents.map(\.object))
    for parent in freshParents {
      for member in try hierarchy.members(of: parent.object, level) { candidates.insert(member) }
    }
    if isIncomplete, let inverse = level.inverse {
      // Members that another context or process added are not among the changed objects, so the store is queried.
      let request = NSFetchRequest<NSManagedObject>(entityName: level.destination.name)
      let parents = hierarchy.nodes[depth - 1].all.map(\.object)
      request.predicate =
        inverse.kind == .toOne
        ? NSPredicate(format: "%K IN %@", inverse.name, parents)
        : NSPredicate(format: "ANY %K IN %@", inverse.name, parents)
      for member in try context.fetch(request) { candidates.insert(member) }
    }
    try context.readRows(
      of: candidates.filter {
        $0.flags.contains(.fault) && !$0.flags.contains(.deleted) && $0.unsafeContext === context
      })
    for member in candidates { try compareMember(member) }
  }

  private mutating func compareMember(_ member: NSManagedObject) throws {
    let isPresent = HierarchicalResults.isPresent(member, in: hierarchy.context)
    let parents =
      isPresent ? try level.owners(of: member).flatMap { hierarchy.nodes[depth - 1][$0] } : []
    var missing = parents
    var values: SortValues?
    for node in hierarchy.nodes[depth][member] {
      guard let parent = node.parent else { continue }
      let place = level.place(of: node, in: parent.children)
      guard let index = missing.firstIndex(where: { $0 === parent }) else {
        leaving.append(HierarchyChange.Leaving(node: node, parent: parent, place: place))
        continue
      }
      missing.remove(at: index)
      if values == nil { values = try level.values(of: member) }
      if let old = node.values, let values, !Self.isSamePlace(old, values) {
        resorted.append(ChangingChildren.Resorted(node: node, place: place, values: values))
      }
    }
    for parent in missing {
      arrivals.append(HierarchyChange.Arrival(object: member, parent: parent))
    }
  }

  private static func isSamePlace(_ old: SortValues, _ new: SortValues) -> Bool {
    old.key == new.key && old.store == new.store && old.values == new.values
  }

  // MARK: A level whose members are read from the parents

  mutating func compareParents() throws {
    // Removed parents are not examined: all of their children leave.
    var visited = Set(goneParents.map(ObjectIdentifier.init))
    var parents: [HierarchyNode] = []
    func add(_ nodes: [HierarchyNode]) {
      for node in nodes where visited.insert(ObjectIdentifier(node)).inserted {
        parents.append(node)
      }
    }
    for object in changed { add(hierarchy.nodes[depth - 1][object]) }
    for member in try candidates() {
      add(hierarchy.nodes[depth][member].compactMap(\.parent))
      if HierarchicalResults.isPresent(member, in: hierarchy.context) {
        for owner in try level.owners(of: member) { add(hierarchy.nodes[depth - 1][owner]) }
      }
    }
    if isIncomplete { add(hierarchy.nodes[depth - 1].all) }
    add(freshParents)
    for parent in goneParents {
      for (place, node) in parent.children.enumerated() {
        leaving.append(HierarchyChange.Leaving(node: node, parent: parent, place: place))
      }
    }
    try hierarchy.context.prefetchToMany(level.slot, of: freshParents.map(\.object))
    for parent in parents { try compareParent(parent) }
  }

  private mutating func compareParent(_ parent: HierarchyNode) throws {
    let members = try hierarchy.members(of: parent.object, level)
    var present = Set(members.map(ObjectIdentifier.init))
    for (place, node) in parent.children.enumerated() {
      if present.remove(ObjectIdentifier(node.object)) == nil {
        leaving.append(HierarchyChange.Leaving(node: node, parent: parent, place: place))
      } else if let values = try level.values(of: node.object) {
        // It is unknown which children have changed, so all of them are sorted again.
        resorted.append(ChangingChildren.Resorted(node: node, place: place, values: values))
      }
    }
    for member in members where present.contains(ObjectIdentifier(member)) {
      arrivals.append(HierarchyChange.Arrival(object: member, parent: parent))
    }
    if level.order == nil { orders.append((parent, members)) }
  }

  // MARK: Lists of children

  /// Returns the lists of children that change, without those of removed parents.
  func lists(except gone: Set<ObjectIdentifier>) -> [ChangingChildren] {
    var lists: [ObjectIdentifier: ChangingChildren] = [:]
    func change(_ parent: HierarchyNode, _ body: (inout ChangingChildren) -> Void) {
      let key = ObjectIdentifier(parent)
      if !gone.contains(key) { body(&lists[key, default: ChangingChildren(parent: parent)]) }
    }
    for leave in leaving { change(leave.parent) { $0.leaving.append(leave.place) } }
    for arrival in arrivals {
      if let node = arrival.node { change(arrival.parent) { $0.arriving.append(node) } }
    }
    for row in resorted {
      if let parent = row.node.parent { change(parent) { $0.resorted.append(row) } }
    }
    for (parent, members) in orders { change(parent) { $0.members = members } }
    return Array(lists.values)
  }
}
