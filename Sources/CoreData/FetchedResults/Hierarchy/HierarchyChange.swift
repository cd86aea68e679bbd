/// The effect of a change on the children of one node.
struct ChildrenChange {
  /// The old indexes of children that were removed or moved.
  let left: SortedPlaces
  /// The new indexes of children that were inserted or moved.
  let arrived: SortedPlaces

  /// Returns the old index of a child that did not move.
  func oldPlace(of new: Int) -> Int { left.place(ofRemaining: new - arrived.count(before: new)) }
}

/// A change to hierarchical results, computed level by level from the sections down.
///
/// On each level it finds the nodes that leave their parents and the objects that arrive. An object that does both
/// has moved, and keeps its node with everything below it. The children of removed nodes leave in turn, and those of
/// new nodes arrive.
///
/// It computes everything, and reads everything it needs, before it changes any list of children. So if the store
/// fails, the hierarchy stays as it was; `HierarchicalResults` then also undoes the change to the sections.
///
/// On a level with an inverse relationship and sort descriptors (`BoundLevel.followsMembers`), only the members that
/// changed are examined; on other levels all members of the affected parents are read. Old paths are computed at the
/// end from what left and arrived in each list (``ChildrenChange``).
struct HierarchyChange {
  let hierarchy: HierarchicalResults
  /// The changed objects.
  let changed: ChangeList
  /// Other objects whose position may have changed.
  let displaced: [NSManagedObject]
  /// The slots of the changed objects whose values changed.
  let slots: ChangedSlots
  /// Whether all members must be examined.
  let isIncomplete: Bool

  /// The old positions of nodes that left their parent or moved within it.
  private var oldPlaces: [ObjectIdentifier: (parent: HierarchyNode?, place: Int)] = [:]
  private var sectionChange: ChildrenChange?
  /// The changes of children, by parent.
  private var changes: [ObjectIdentifier: ChildrenChange] = [:]
  private var gone: [(node: HierarchyNode, depth: Int)] = []
  private var fresh: [(node: HierarchyNode, depth: Int)] = []
  private var moved: [(node: HierarchyNode, depth: Int)] = []

  init(
    _ hierarchy: HierarchicalResults, changed: ChangeList, slots: ChangedSlots = ChangedSlots(),
    displaced: [NSManagedObject] = [], isIncomplete: Bool = false
  ) {
    self.hierarchy = hierarchy
    self.changed = changed
    self.displaced = displaced
    self.slots = slots
    self.isIncomplete = isIncomplete
  }

  /// A node that leaves its parent, and its index there.
  struct Leaving {
    let node: HierarchyNode
    let parent: HierarchyNode
    let place: Int
  }

  /// An object that belongs under a parent, but has no node there yet.
  struct Arrival {
    let object: NSManagedObject
    let parent: HierarchyNode
    var node: HierarchyNode?
    /// The sort values of the object, if its level has sort descriptors.
    var values: SortValues?
  }

  /// The changes on one level.
  private struct Step {
    let level: BoundLevel
    let depth: Int
    let arrivals: [Arrival]
    /// The removed and the new nodes.
    let gone, fresh: [HierarchyNode]
    let lists: [ChangingChildren]
  }

  /// Applies the change to the hierarchy and returns the updates. If it throws, the hierarchy stays as it was.
  ///
  /// - Parameter delta: The changes to the sections, which have already been applied.
  mutating func run(_ delta: ResultsDelta) throws -> TableUpdates {
    var steps: [Step] = []
    do {
      var (goneAbove, freshAbove) = sections(delta)
      for depth in 1..<hierarchy.nodes.count {
        let step = try find(depth, goneAbove, freshAbove)
        (goneAbove, freshAbove) = (step.gone, step.fresh)
        steps.append(step)
      }
    } catch {
      // `find` changes only the sets of nodes, so nothing else needs to be restored.
      for (node, depth) in fresh { hierarchy.nodes[depth].remove(node) }
      for (node, depth) in gone { hierarchy.nodes[depth].add(node) }
      throw error
    }
    // From here on nothing throws.
    for step in steps { change(step) }
    return report()
  }

  // MARK: Sections

  private mutating func sections(
    _ delta: ResultsDelta
  ) -> (gone: [HierarchyNode], fresh: [HierarchyNode]) {
    var (out, new): ([HierarchyNode], [HierarchyNode]) = ([], [])
    switch hierarchy.roots {
    case .results(let results):
      for row in delta.deleted {
        for node in hierarchy.nodes[0][row.subject.object(in: results)] {
          oldPlaces[ObjectIdentifier(node)] = (nil, row.path.row)
          out.append(node)
        }
      }
      for change in delta.moved {
        for node in hierarchy.nodes[0][change.subject.object(in: results)] {
          oldPlaces[ObjectIdentifier(node)] = (nil, change.old.row)
          moved.append((node, 0))
        }
      }
      for row in delta.inserted { new.append(HierarchyNode(row.subject.object(in: results))) }
      sectionChange = ChildrenChange(
        left: SortedPlaces(delta.deleted.map(\.path.row) + delta.moved.map(\.old.row)),
        arrived: SortedPlaces(delta.inserted.map(\.path.row) + delta.moved.map(\.new.row)))
    case .one(let object):
      let isPresent = HierarchicalResults.isPresent(object, in: hierarchy.context)
      out = isPresent ? [] : hierarchy.nodes[0][object]
      for node in out { oldPlaces[ObjectIdentifier(node)] = (nil, 0) }
      if isPresent, hierarchy.nodes[0][object].isEmpty { new = [HierarchyNode(object)] }
    }
    for node in out { hierarchy.nodes[0].remove(node) }
    for node in new { hierarchy.nodes[0].add(node) }
    gone += out.map { ($0, 0) }
    fresh += new.map { ($0, 0) }
    return (out, new)
  }

  // MARK: A level below

  /// Computes the changes on a level. In the hierarchy it changes only the set of nodes on that level.
  private mutating func find(
    _ depth: Int, _ goneAbove: [HierarchyNode], _ freshAbove: [HierarchyNode]
  ) throws -> Step {
    let level = hierarchy.levels[depth - 1]
    let parentsGone = Set(goneAbove.map(ObjectIdentifier.init))
    var finder = LevelFinder(
      hierarchy: hierarchy, depth: depth, changed: changed, slots: slots, displaced: displaced,
      isIncomplete: isIncomplete, freshParents: freshAbove, goneParents: goneAbove)
    try level.followsMembers ? finder.compareMembers() : finder.compareParents()
    for index in finder.arrivals.indices {
      finder.arrivals[index].values = try level.values(of: finder.arrivals[index].object)
    }

    // An object that leaves one parent and arrives at another has moved.
    var leaving: [ObjectIdentifier: [HierarchyNode]] = [:]
    for leave in finder.leaving {
      oldPlaces[ObjectIdentifier(leave.node)] = (leave.parent, leave.place)
      leaving[ObjectIdentifier(leave.node.object), default: []].append(leave.node)
    }
    var new: [HierarchyNode] = []
    for index in finder.arrivals.indices {
      let object = finder.arrivals[index].object
      if let moving = leaving[ObjectIdentifier(object)]?.popLast() {
        finder.arrivals[index].node = moving
        moved.append((moving, depth))
      } else {
        let node = HierarchyNode(object)
        finder.arrivals[index].node = node
        new.append(node)
        fresh.append((node, depth))
        hierarchy.nodes[depth].add(node)
      }
    }
    // What is left in `leaving` has not arrived at another parent.
    var out: [HierarchyNode] = []
    for leave in finder.leaving
    where leaving[ObjectIdentifier(leave.node.object)]?
      .contains(where: { $0 === leave.node }) == true
    {
      out.append(leave.node)
      gone.append((leave.node, depth))
      hierarchy.nodes[depth].remove(leave.node)
    }
    return Step(
      level: level, depth: depth, arrivals: finder.arrivals, gone: out, fresh: new,
      lists: finder.lists(except: parentsGone))
  }

  /// Applies the changes on a level.
  private mutating func change(_ step: Step) {
    for arrival in step.arrivals {
      arrival.node?.parent = arrival.parent
      arrival.node?.values = arrival.values
    }
    for node in step.gone { node.parent = nil }
    for list in step.lists {
      let result = list.apply(step.level)
      changes[ObjectIdentifier(list.parent)] = result.change
      for move in result.moved {
        oldPlaces[ObjectIdentifier(move.node)] = (list.parent, move.old)
        moved.append((move.node, step.depth))
      }
    }
  }

  // MARK: The report

  private func oldPath(_ node: HierarchyNode, _ depth: Int) -> IndexPath? {
    if let (parent, place) = oldPlaces[ObjectIdentifier(node)] {
      guard let parent else { return IndexPath(index: place) }
      return oldPath(parent, depth - 1)?.appending(place)
    }
    if depth == 0 {
      return hierarchy.section(of: node.object).map { section in
        IndexPath(index: sectionChange?.oldPlace(of: section) ?? section)
      }
    }
    guard let parent = node.parent else { return nil }
    let place = hierarchy.levels[depth - 1].place(of: node, in: parent.children)
    return oldPath(parent, depth - 1)?
      .appending(changes[ObjectIdentifier(parent)]?.oldPlace(of: place) ?? place)
  }

  private func report() -> TableUpdates {
    var updates = TableUpdates()
    for (node, depth) in gone {
      if let old = oldPath(node, depth) { updates.recordDeletion(at: old) }
    }
    for (node, depth) in fresh {
      if let new = hierarchy.path(of: node, depth: depth) { updates.recordInsertion(at: new) }
    }
    var reported: Set<ObjectIdentifier> = Set(fresh.map { ObjectIdentifier($0.node) })
    for (node, depth) in moved where reported.insert(ObjectIdentifier(node)).inserted {
      if let old = oldPath(node, depth), let new = hierarchy.path(of: node, depth: depth) {
        updates.recordMove(from: old, to: new)
      }
    }
    for object in changed {
      for depth in hierarchy.nodes.indices {
        for node in hierarchy.nodes[depth][object]
        where !reported.contains(ObjectIdentifier(node))
          && hierarchy.shows(object, at: depth, slots)
        {
          if let old = oldPath(node, depth), let new = hierarchy.path(of: node, depth: depth) {
            updates.recordReload(of: old, at: new)
          }
        }
      }
    }
    updates.sort()
    return updates
  }
}
