extension HierarchicalResults {
  private typealias Placed = (node: HierarchyNode, path: IndexPath)

  /// Compares these results with earlier results of the same source, object by object, and returns the changes.
  ///
  /// Used after a new fetch, because the controller may have missed changes, and ``HierarchyChange`` requires all of
  /// them. O(n log n) for n objects.
  ///
  /// - Parameter changed: The objects to report as updated if they do not move.
  func difference(from former: HierarchicalResults, changed: ChangeList) -> TableUpdates {
    var updates = TableUpdates()
    // Compares one level after the other: a pair of lists for the children of each parent that is in both results, and
    // one pair for the children of all deleted and inserted parents.
    var lists = [(old: Self.placed(former.sectionNodes, []), new: Self.placed(sectionNodes, []))]
    var gone: [Placed] = []
    var arrived: [Placed] = []
    while !lists.isEmpty || !gone.isEmpty || !arrived.isEmpty {
      // The children of deleted and inserted parents come last, so that the lists before them have the same indexes in
      // both results.
      let (old, new) = (lists.map(\.old) + [gone], lists.map(\.new) + [arrived])
      let level = SectionedDifference(
        from: old.map(Self.objects), to: new.map(Self.objects),
        lists: lists.indices.map { ($0, $0) })
      gone = level.deleted.map { old[$0.section][$0.row] }.sorted { $0.path < $1.path }
      for placed in gone { updates.recordDeletion(at: placed.path) }
      arrived = level.inserted.map { new[$0.section][$0.row] }
      for placed in arrived { updates.recordInsertion(at: placed.path) }
      lists = level.staying.map { pair in
        let (was, now) = (old[pair.old.section][pair.old.row], new[pair.new.section][pair.new.row])
        if pair.isMoved {
          updates.recordMove(from: was.path, to: now.path)
        } else if changed.contains(now.node.object) {
          updates.recordReload(of: was.path, at: now.path)
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
