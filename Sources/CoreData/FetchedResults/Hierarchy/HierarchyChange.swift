import Foundation

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
struct HierarchyChange {
  let hierarchy: HierarchicalResults
  /// Objects that changed themselves.
  let changed: ChangeList
  /// Objects that may be elsewhere for another reason.
  let displaced: [NSManagedObject]
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
    _ hierarchy: HierarchicalResults, changed: ChangeList, displaced: [NSManagedObject] = [],
    isIncomplete: Bool = false
  ) {
    self.hierarchy = hierarchy
    self.changed = changed
    self.displaced = displaced
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
  }

  /// Changes the hierarchy and tells how.
  ///
  /// - Parameter delta: what the change did to the sections, already done.
  mutating func run(_ delta: ResultsDelta) throws -> TableUpdates {
    var (goneAbove, freshAbove) = sections(delta)
    for depth in 1..<hierarchy.nodes.count {
      (goneAbove, freshAbove) = try level(depth, goneAbove, freshAbove)
    }
    return report(delta)
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

  private mutating func level(
    _ depth: Int, _ goneAbove: [HierarchyNode], _ freshAbove: [HierarchyNode]
  ) throws -> (gone: [HierarchyNode], fresh: [HierarchyNode]) {
    let level = hierarchy.levels[depth - 1]
    let parentsGone = Set(goneAbove.map(ObjectIdentifier.init))
    var finder = LevelFinder(
      hierarchy: hierarchy, depth: depth, changed: changed, displaced: displaced,
      isIncomplete: isIncomplete, freshParents: freshAbove, goneParents: goneAbove)
    try level.followsMembers ? finder.askMembers() : finder.askParents()

    // Who leaves one parent and arrives at another has moved.
    var leaving: [ObjectIdentifier: [HierarchyNode]] = [:]
    for leave in finder.leaving {
      was[ObjectIdentifier(leave.node)] = (leave.parent, leave.place)
      leaving[ObjectIdentifier(leave.node.object), default: []].append(leave.node)
    }
    var new: [HierarchyNode] = []
    for index in finder.arrivals.indices {
      let arrival = finder.arrivals[index]
      let node: HierarchyNode
      let key = ObjectIdentifier(arrival.object)
      if let moving = leaving[key]?.popLast() {
        node = moving
        moved.append((node, depth))
      } else {
        node = HierarchyNode(arrival.object)
        new.append(node)
        fresh.append((node, depth))
        hierarchy.nodes[depth].add(node)
      }
      node.parent = arrival.parent
      node.values = try level.values(of: arrival.object)
      finder.arrivals[index].node = node
    }
    var out: [HierarchyNode] = []
    for leave in finder.leaving
    where leaving[ObjectIdentifier(leave.node.object)]?
      .contains(where: { $0 === leave.node }) == true
    {
      leave.node.parent = nil
      out.append(leave.node)
      gone.append((leave.node, depth))
      hierarchy.nodes[depth].remove(leave.node)
    }
    for list in finder.lists(except: parentsGone) {
      let result = try list.apply(level)
      changes[ObjectIdentifier(list.parent)] = result.change
      for move in result.moved {
        was[ObjectIdentifier(move.node)] = (list.parent, move.old)
        moved.append((move.node, depth))
      }
    }
    return (out, new)
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

  private func report(_ delta: ResultsDelta) -> TableUpdates {
    var updates = TableUpdates()
    for (node, depth) in gone {
      guard let old = oldPath(node, depth) else { continue }
      if depth == 0 {
        updates.deletedSections.append(old[0])
      } else {
        updates.deletedRows.append(old)
      }
    }
    for (node, depth) in fresh {
      guard let new = hierarchy.path(of: node, depth: depth) else { continue }
      if depth == 0 {
        updates.insertedSections.append(new[0])
      } else {
        updates.insertedRows.append(new)
      }
    }
    var told: Set<ObjectIdentifier> = Set(fresh.map { ObjectIdentifier($0.node) })
    for (node, depth) in moved where told.insert(ObjectIdentifier(node)).inserted {
      guard let old = oldPath(node, depth), let new = hierarchy.path(of: node, depth: depth) else {
        continue
      }
      if depth == 0 {
        updates.movedSections.append(TableUpdates.SectionChange(old: old[0], new: new[0]))
      } else {
        updates.movedRows.append(TableUpdates.RowChange(old: old, new: new))
      }
    }
    for object in changed {
      for depth in hierarchy.nodes.indices {
        for node in hierarchy.nodes[depth][object]
        where !told.contains(ObjectIdentifier(node)) && isOther(object, depth) {
          guard let old = oldPath(node, depth), let new = hierarchy.path(of: node, depth: depth)
          else { continue }
          if depth == 0 {
            updates.reloadedSections.append(TableUpdates.SectionChange(old: old[0], new: new[0]))
          } else {
            updates.reloadedRows.append(TableUpdates.RowChange(old: old, new: new))
          }
        }
      }
    }
    updates.sort()
    return updates
  }

  /// Whether an object that changed shows it: that its children are others is told by themselves.
  private func isOther(_ object: NSManagedObject, _ depth: Int) -> Bool {
    guard depth < hierarchy.levels.count else { return true }
    let keys = object.changedValuesForCurrentEvent().keys
    return keys.isEmpty || keys.contains { $0 != hierarchy.levels[depth].slot.name }
  }
}

extension TableUpdates {
  /// Puts everything into the order that is promised.
  mutating func sort() {
    deletedSections.sort(by: >)
    insertedSections.sort()
    movedSections.sort { $0.new < $1.new }
    deletedRows.sort(by: >)
    insertedRows.sort()
    movedRows.sort { $0.new < $1.new }
    reloadedRows.sort { $0.new < $1.new }
    reloadedSections.sort { $0.new < $1.new }
  }
}
