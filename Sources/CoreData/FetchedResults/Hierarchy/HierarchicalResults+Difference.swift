extension HierarchicalResults {
  private typealias Placed = (node: HierarchyNode, path: IndexPath)

  /// What leads from the same results, read before, to these: all are compared, by their objects.
  ///
  /// Used where changes were missed, or a program fetches again, since there is no ``HierarchyChange`` to follow then.
  /// O(n log n) for n objects.
  ///
  /// - Parameter changed: objects that are reported as updated where they stay.
  func difference(from former: HierarchicalResults, changed: ChangeList) -> TableUpdates {
    var updates = TableUpdates()
    // Level by level: the lists of children of parents that are in both, and the children of others.
    var lists = [(old: Self.placed(former.sectionNodes, []), new: Self.placed(sectionNodes, []))]
    var gone: [Placed] = []
    var arrived: [Placed] = []
    while !lists.isEmpty || !gone.isEmpty || !arrived.isEmpty {
      // Last, so that the others have the same places in both.
      let (old, new) = (lists.map(\.old) + [gone], lists.map(\.new) + [arrived])
      let level = SectionedDifference(
        from: old.map(Self.objects), to: new.map(Self.objects),
        lists: lists.indices.map { ($0, $0) })
      gone = level.deleted.map { old[$0.section][$0.row] }.sorted { $0.path < $1.path }
      for placed in gone { updates.noteDeletion(at: placed.path) }
      arrived = level.inserted.map { new[$0.section][$0.row] }
      for placed in arrived { updates.noteInsertion(at: placed.path) }
      lists = level.staying.map { pair in
        let (was, now) = (old[pair.old.section][pair.old.row], new[pair.new.section][pair.new.row])
        if pair.isMoved {
          updates.noteMove(from: was.path, to: now.path)
        } else if changed.contains(now.node.object) {
          updates.noteReload(of: was.path, at: now.path)
        }
        return (old: Self.children(was), new: Self.children(now))
      }.filter { !$0.old.isEmpty || !$0.new.isEmpty }
      gone = gone.flatMap(Self.children)
      arrived = arrived.flatMap(Self.children)
    }
    updates.sort()
    return updates
  }

  private static func objects(_ list: [Placed]) -> [ObjectIdentifier] {
    list.map { ObjectIdentifier($0.node.object) }
  }

  private static func placed(_ nodes: [HierarchyNode], _ parent: IndexPath) -> [Placed] {
    nodes.enumerated().map { ($0.element, parent.appending($0.offset)) }
  }

  private static func children(_ placed: Placed) -> [Placed] {
    Self.placed(placed.node.children, placed.path)
  }
}
