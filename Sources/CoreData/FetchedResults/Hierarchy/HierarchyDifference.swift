/// What leads from hierarchical results to the same read anew: all are compared, by their objects.
///
/// Used where changes were missed, or a program fetches again, since there is no ``HierarchyChange`` to follow then.
///
/// O(n log n) for n objects.
struct HierarchyDifference {
  private typealias Placed = (node: HierarchyNode, path: IndexPath)
  /// The children of a parent that is in both.
  private typealias Children = (old: [Placed], new: [Placed])

  private let former, fresh: HierarchicalResults
  private let changed: ChangeList
  private var result = TableUpdates()

  /// - Parameter changed: objects that are told of as updated where they stay.
  init(
    from former: HierarchicalResults, to fresh: HierarchicalResults, changed: ChangeList
  ) {
    self.former = former
    self.fresh = fresh
    self.changed = changed
  }

  mutating func updates() -> TableUpdates {
    result = TableUpdates()
    var lists: [Children] = [
      (Self.placed(former.sectionNodes, []), Self.placed(fresh.sectionNodes, []))
    ]
    var gone: [Placed] = []
    var arrived: [Placed] = []
    while !lists.isEmpty || !gone.isEmpty || !arrived.isEmpty {
      let below = compare(lists, gone, arrived)
      lists = below.staying.map { (old: Self.children($0.old), new: Self.children($0.new)) }
        .filter { !$0.old.isEmpty || !$0.new.isEmpty }
      gone = below.gone.flatMap(Self.children)
      arrived = below.fresh.flatMap(Self.children)
    }
    result.sort()
    return result
  }

  private static func placed(_ nodes: [HierarchyNode], _ parent: IndexPath) -> [Placed] {
    nodes.enumerated().map { ($0.element, parent.appending($0.offset)) }
  }

  private static func children(_ placed: Placed) -> [Placed] {
    Self.placed(placed.node.children, placed.path)
  }

  /// Compares one level.
  ///
  /// - Parameters:
  ///   - gone: the children of parents that are gone.
  ///   - arrived: the children of new parents.
  private mutating func compare(
    _ lists: [Children], _ gone: [Placed], _ arrived: [Placed]
  ) -> (staying: [(old: Placed, new: Placed)], gone: [Placed], fresh: [Placed]) {
    var staying: [(old: Placed, new: Placed)] = []
    var leaving: [ObjectIdentifier: [Placed]] = [:]
    func leave(_ placed: Placed) {
      leaving[ObjectIdentifier(placed.node.object), default: []].append(placed)
    }
    var arriving = arrived
    for placed in gone { leave(placed) }
    for list in lists {
      let difference = ListDifference(
        from: list.old.map { ObjectIdentifier($0.node.object) },
        to: list.new.map { ObjectIdentifier($0.node.object) })
      for place in difference.removed { leave(list.old[place]) }
      arriving += difference.inserted.map { list.new[$0] }
      for pair in difference.staying {
        let (old, new) = (list.old[pair.old], list.new[pair.new])
        staying.append((old, new))
        if pair.isMoved {
          noteMove(old, new)
        } else if changed.contains(new.node.object) {
          noteReload(old, new)
        }
      }
    }
    // Who leaves one parent and arrives at another has moved.
    var fresh: [Placed] = []
    for placed in arriving {
      if let old = leaving[ObjectIdentifier(placed.node.object)]?.popLast() {
        noteMove(old, placed)
        staying.append((old, placed))
      } else {
        fresh.append(placed)
        if placed.path.count == 1 {
          result.insertedSections.append(placed.path[0])
        } else {
          result.insertedRows.append(placed.path)
        }
      }
    }
    let deleted = leaving.values.joined().sorted { $0.path < $1.path }
    for placed in deleted {
      if placed.path.count == 1 {
        result.deletedSections.append(placed.path[0])
      } else {
        result.deletedRows.append(placed.path)
      }
    }
    return (staying, deleted, fresh)
  }

  private mutating func noteMove(_ old: Placed, _ new: Placed) {
    if new.path.count == 1 {
      result.movedSections.append(.init(old: old.path[0], new: new.path[0]))
    } else {
      result.movedRows.append(.init(old: old.path, new: new.path))
    }
  }

  private mutating func noteReload(_ old: Placed, _ new: Placed) {
    if new.path.count == 1 {
      result.reloadedSections.append(.init(old: old.path[0], new: new.path[0]))
    } else {
      result.reloadedRows.append(.init(old: old.path, new: new.path))
    }
  }
}
