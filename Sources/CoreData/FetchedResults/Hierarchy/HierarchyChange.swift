/// What a change does to the children of one node.
struct ChildrenChange {
  /// Old places of those that are not in their order any more: taken out, or moved.
  let left: SortedPlaces
  /// New places of those that came or moved.
  let arrived: SortedPlaces

  /// The old place of a child that stayed in its order.
  func oldPlace(of new: Int) -> Int { left.place(ofRemaining: new - arrived.count(before: new)) }
}

/// One change of hierarchical results, level by level from the sections down.
///
/// Of each level it is found out which nodes leave their parents and which objects arrive where; an object
/// that does both has moved, and takes its node along with all below it. The children of nodes that are
/// gone leave in turn, those of new ones arrive.
///
/// All of it is found out, and all is read that needs to be, before anybody's children change: a store that
/// fails leaves the hierarchy as it was. `HierarchicalResults` then undoes the change of the sections too.
///
/// On a level with an inverse relationship and sort descriptors (`BoundLevel.followsMembers`), only the members that
/// changed are examined; on other levels all members of their parents are read. Old places are computed at the end,
/// from what left and arrived in each list (``ChildrenChange``).
struct HierarchyChange {
  let hierarchy: HierarchicalResults
  /// Objects that changed themselves.
  let changed: ChangeList
  /// Objects that may be elsewhere for another reason.
  let displaced: [NSManagedObject]
  /// What of the changed objects is other than before.
  let slots: ChangedSlots
  /// Whether all members have to be looked at.
  let isIncomplete: Bool

  /// Old places of nodes that left their parent or moved within it.
  private var was: [ObjectIdentifier: (parent: HierarchyNode?, place: Int)] = [:]
  private var sectionChange: ChildrenChange?
  /// By parent.
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

  /// A node that leaves its parent, and its place there.
  struct Leaving {
    let node: HierarchyNode
    let parent: HierarchyNode
    let place: Int
  }

  /// An object that belongs under a parent where it has no node.
  struct Arrival {
    let object: NSManagedObject
    let parent: HierarchyNode
    var node: HierarchyNode?
    /// What it is sorted by there.
    var values: SortValues?
  }

  /// What is to be done on one level.
  private struct Step {
    let level: BoundLevel
    let depth: Int
    let arrivals: [Arrival]
    /// The nodes that leave for good, and new ones.
    let gone, fresh: [HierarchyNode]
    let lists: [ChangingChildren]
  }

  /// Changes the hierarchy and tells how. Where it throws, the hierarchy is as it was.
  ///
  /// - Parameter delta: what the change did to the sections, already done.
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
      for (node, depth) in fresh { hierarchy.nodes[depth].remove(node) }
      for (node, depth) in gone { hierarchy.nodes[depth].add(node) }
      throw error
    }
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
          was[ObjectIdentifier(node)] = (nil, row.path.row)
          out.append(node)
        }
      }
      for change in delta.moved {
        for node in hierarchy.nodes[0][change.subject.object(in: results)] {
          was[ObjectIdentifier(node)] = (nil, change.old.row)
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
      for node in out { was[ObjectIdentifier(node)] = (nil, 0) }
      if isPresent, hierarchy.nodes[0][object].isEmpty { new = [HierarchyNode(object)] }
    }
    for node in out { hierarchy.nodes[0].remove(node) }
    for node in new { hierarchy.nodes[0].add(node) }
    gone += out.map { ($0, 0) }
    fresh += new.map { ($0, 0) }
    return (out, new)
  }

  // MARK: A level below

  /// Finds out what happens on a level. Of the hierarchy only the list of nodes that there are changes.
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

    // Who leaves one parent and arrives at another has moved.
    var leaving: [ObjectIdentifier: [HierarchyNode]] = [:]
    for leave in finder.leaving {
      was[ObjectIdentifier(leave.node)] = (leave.parent, leave.place)
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

  /// Does it.
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
        was[ObjectIdentifier(move.node)] = (list.parent, move.old)
        moved.append((move.node, step.depth))
      }
    }
  }

  // MARK: The report

  private func oldPath(_ node: HierarchyNode, _ depth: Int) -> IndexPath? {
    if let (parent, place) = was[ObjectIdentifier(node)] {
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
      if let old = oldPath(node, depth) { updates.noteDeletion(at: old) }
    }
    for (node, depth) in fresh {
      if let new = hierarchy.path(of: node, depth: depth) { updates.noteInsertion(at: new) }
    }
    var reported: Set<ObjectIdentifier> = Set(fresh.map { ObjectIdentifier($0.node) })
    for (node, depth) in moved where reported.insert(ObjectIdentifier(node)).inserted {
      if let old = oldPath(node, depth), let new = hierarchy.path(of: node, depth: depth) {
        updates.noteMove(from: old, to: new)
      }
    }
    for object in changed {
      for depth in hierarchy.nodes.indices {
        for node in hierarchy.nodes[depth][object]
        where !reported.contains(ObjectIdentifier(node))
          && hierarchy.shows(object, at: depth, slots)
        {
          if let old = oldPath(node, depth), let new = hierarchy.path(of: node, depth: depth) {
            updates.noteReload(of: old, at: new)
          }
        }
      }
    }
    updates.sort()
    return updates
  }
}
