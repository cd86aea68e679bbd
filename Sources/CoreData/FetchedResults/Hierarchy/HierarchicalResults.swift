/// Results with objects as sections and members of their relationships as rows, level by level, in sync with a context.
///
/// The sections are live results of a request, or a single object. A node represents one occurrence of an object. Each
/// level finds its nodes by object.
final class HierarchicalResults {
  enum Roots {
    case results(LiveResults)
    case one(NSManagedObject)
  }

  let context: NSManagedObjectContext
  let roots: Roots
  let levels: [BoundLevel]
  /// The nodes by depth, beginning with those of the sections.
  var nodes: [HierarchyNodes]

  init(_ roots: Roots, levels: [BoundLevel], context: NSManagedObjectContext) {
    self.roots = roots
    self.levels = levels
    self.context = context
    nodes = Array(repeating: HierarchyNodes(), count: levels.count + 1)
  }

  /// Reads all objects, with one query for the sections in each store and a few queries for each level, as for
  /// prefetching.
  func load() throws {
    nodes = Array(repeating: HierarchyNodes(), count: levels.count + 1)
    switch roots {
    case .results(let results):
      try results.load()
      for rank in results.ranks(ofSection: 0) {
        if let object = results.object(atRank: rank) { nodes[0].add(HierarchyNode(object)) }
      }
    case .one(let object):
      // This carries out pending delete rules, which could otherwise delete the object later. Live
      // results do the same when they load.
      context.processPendingChanges()
      if Self.isPresent(object, in: context) { nodes[0].add(HierarchyNode(object)) }
    }
    var parents = nodes[0].all
    for (depth, level) in levels.enumerated() {
      try context.prefetchToMany(level.slot, of: parents.map(\.object))
      var children: [HierarchyNode] = []
      for parent in parents {
        parent.children = try members(of: parent.object, level).map { object in
          let node = HierarchyNode(object)
          node.parent = parent
          node.values = try level.values(of: object)
          return node
        }
        if let order = level.order {
          parent.children.sort { left, right in
            guard let a = left.values, let b = right.values else { return false }
            return order.compare(a, b) < 0
          }
        }
        for (place, child) in parent.children.enumerated() {
          child.place = place
          nodes[depth + 1].add(child)
        }
        children += parent.children
      }
      parents = children
    }
  }

  /// Returns the existing members of an object, in the order of the relationship.
  func members(of object: NSManagedObject, _ level: BoundLevel) throws -> [NSManagedObject] {
    let members: [NSManagedObject] = object.managedMembers(level.key)
    // Only an attempt to read a fault shows whether its row is missing.
    try context.readRows(of: members.filter { $0.flags.contains(.fault) })
    return members.filter { Self.isPresent($0, in: context) }
  }

  /// Returns whether an object is registered in the context and neither deleted nor missing in the store.
  static func isPresent(_ object: NSManagedObject, in context: NSManagedObjectContext) -> Bool {
    !object.flags.contains(.deleted) && object.unsafeContext === context && !object.hasLostItsRow
  }

  // MARK: Reading

  var sectionCount: Int {
    switch roots {
    case .results(let results): results.count
    case .one(let object): nodes[0][object].count
    }
  }

  /// Returns the node of a section; nil if there is no such section.
  func section(_ section: Int) -> HierarchyNode? {
    guard section >= 0, section < sectionCount else { return nil }
    switch roots {
    case .results(let results):
      let rank = results.ranks(ofSection: 0).lowerBound + section
      // Objects whose permanent IDs were not reported yet cannot be found by the IDs in the rows.
      return results.object(atRank: rank).flatMap { nodes[0][$0].first } ?? sectionNodes[section]
    case .one(let object): return nodes[0][object].first
    }
  }

  /// The nodes of all sections, in order. O(n) for n sections.
  var sectionNodes: [HierarchyNode] {
    guard case .results(let results) = roots else { return nodes[0].all }
    var places = [HierarchyNode?](repeating: nil, count: results.count)
    var unknown: [HierarchyNode] = []
    for node in nodes[0].all {
      if let path = results.path(of: node.object) {
        places[path.row] = node
      } else {
        unknown.append(node)
      }
    }
    for (place, rank) in zip(places.indices, results.ranks(ofSection: 0)) where places[place] == nil
    {
      let object = results.tree.entry(at: rank)?.object
      let index = unknown.firstIndex { $0.object === object } ?? unknown.indices.last
      places[place] = index.map { unknown.remove(at: $0) }
    }
    return places.compactMap(\.self)
  }

  /// Returns the index of the section of an object; nil if the object is not a section.
  func section(of object: NSManagedObject) -> Int? {
    if nodes[0][object].isEmpty { return nil }
    switch roots {
    case .results(let results):
      return results.path(of: object)?.row ?? sectionNodes.firstIndex { $0.object === object }
    case .one: return 0
    }
  }

  /// Returns whether changes to objects of an entity may affect the results.
  func covers(_ layout: EntityLayout) -> Bool {
    let isRoot =
      switch roots {
      case .results(let results): results.covers(layout)
      case .one(let object): object.layout === layout
      }
    return isRoot || levels.contains { $0.covers(layout) }
  }

  /// Returns whether the results contain an object.
  func has(_ object: NSManagedObject) -> Bool { nodes.contains { !$0[object].isEmpty } }

  /// Returns whether the results contain a changed object and show the change.
  func shows(_ object: NSManagedObject, _ slots: ChangedSlots) -> Bool {
    nodes.indices.contains { !nodes[$0][object].isEmpty && shows(object, at: $0, slots) }
  }

  /// Returns whether a changed object is reported as updated on a level.
  func shows(_ object: NSManagedObject, at depth: Int, _ slots: ChangedSlots) -> Bool {
    if depth == levels.count { return true }
    // A change to the children alone does not count, because they are reported themselves.
    let children = levels[depth].slot.index
    return !slots.mayHaveChanged(CollectionOfOne(children), of: object)
      || slots.mayHaveChanged(object.layout.slots.indices.filter { $0 != children }, of: object)
  }

  /// Returns the node at a path; nil if there is none.
  func node(at path: IndexPath) -> HierarchyNode? {
    guard let first = path.first, var node = section(first) else { return nil }
    for place in path.dropFirst() {
      guard node.children.indices.contains(place) else { return nil }
      node = node.children[place]
    }
    return node
  }

  /// Returns the path of a node at a depth; nil if the results do not contain it.
  func path(of node: HierarchyNode, depth: Int) -> IndexPath? {
    if depth == 0 { return section(of: node.object).map { IndexPath(index: $0) } }
    guard let parent = node.parent else { return nil }
    return path(of: parent, depth: depth - 1)?
      .appending(levels[depth - 1].place(of: node, in: parent.children))
  }

  // MARK: Changes

  /// Applies a context's changes and returns the resulting updates. If it throws, nothing has changed.
  func apply(_ changes: ObjectChanges, _ slots: ChangedSlots) throws -> TableUpdates {
    if changes.isReset { return try removeAll(changes) }
    var changed = ChangeList()
    for object in changes.inserted + changes.updated + changes.deleted { changed.insert(object) }
    try context.readExistingRows(
      of: changed.filter { object in
        object.flags.contains(.fault) && !object.flags.contains(.deleted)
          && object.unsafeContext === context && levels.contains { $0.covers(object) }
      })
    var change = HierarchyChange(
      self, changed: changed, slots: slots,
      isIncomplete: changes.isIncomplete || changes.lostReferences != nil)
    return try run(&change) { results in
      try changes.isIncomplete ? results.reread(changes) : results.apply(changes, slots)
    }
  }

  /// Applies the permanent IDs of objects, by which objects with equal sort values are sorted.
  func identify(_ identified: [IdentifiedObject]) throws -> TableUpdates {
    // Objects that a queued change will insert need nothing here: they get the right position when
    // that change is applied.
    let objects = identified.map(\.object)
    let displaced = try objects.filter(has) + membersOrdered(by: objects)
    var change = HierarchyChange(self, changed: ChangeList(), displaced: displaced)
    return try run(&change) { try $0.identify(identified) }
  }

  /// Returns the members whose positions depend on the IDs of some objects, because their level is sorted by
  /// references to these objects.
  private func membersOrdered(by objects: [NSManagedObject]) throws -> [NSManagedObject] {
    try levels.flatMap(\.references).flatMap { reference in
      try reference.roots(of: reference.ends(among: objects) { _, _ in true }, in: context)
    }
  }

  /// Assigns new IDs to the sections' rows without moving them.
  func assignPermanentIDs(_ objects: [IdentifiedObject]) {
    if case .results(let results) = roots { _ = results.assignPermanentIDs(objects) }
  }

  /// Applies a change to the sections and then to the levels below them.
  private func run(
    _ change: inout HierarchyChange, _ changeSections: (LiveResults) throws -> ResultsDelta
  ) throws -> TableUpdates {
    guard case .results(let results) = roots else { return try change.run(ResultsDelta()) }
    results.keepsUndo = true
    defer { results.undo = nil }
    let delta = try changeSections(results)
    do {
      return try change.run(delta)
    } catch {
      // The sections have changed, but the levels below have not. Undoing the change makes them match again.
      results.undo?()
      throw error
    }
  }

  /// Removes everything, after the context was reset.
  private func removeAll(_ changes: ObjectChanges) throws -> TableUpdates {
    var updates = TableUpdates()
    func remove(_ node: HierarchyNode, at path: IndexPath) {
      updates.recordDeletion(at: path)
      for (place, child) in node.children.enumerated() {
        remove(child, at: path.appending(place))
      }
    }
    for node in nodes[0].all {
      if let section = section(of: node.object) { remove(node, at: IndexPath(index: section)) }
    }
    if case .results(let results) = roots { _ = try results.apply(changes, ChangedSlots()) }
    nodes = Array(repeating: HierarchyNodes(), count: levels.count + 1)
    updates.sort()
    return updates
  }
}
