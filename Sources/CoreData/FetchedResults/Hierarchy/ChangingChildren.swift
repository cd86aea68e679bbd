/// Pending changes of the children of one node.
struct ChangingChildren {
  let parent: HierarchyNode
  /// The old indexes of the children that leave.
  var leaving: [Int] = []
  var arriving: [HierarchyNode] = []
  /// The children with new sort values, which must be inserted at their new positions.
  var resorted: [Resorted] = []
  /// The objects in their new order, if the relationship defines the order.
  var members: [NSManagedObject]?

  struct Resorted {
    let node: HierarchyNode
    /// The old index.
    let place: Int
    /// The new sort values.
    let values: SortValues
  }

  /// Applies the changes to the parent's children.
  ///
  /// If k of n sorted children change, this costs O(k log n) comparisons, and one shift of the unchanged children.
  /// If the relationship defines the order, it costs O(n log n).
  ///
  /// - Returns: The indexes that changed, and the smallest set of remaining children that moved.
  func apply(_ level: BoundLevel) -> (
    change: ChildrenChange, moved: [(node: HierarchyNode, old: Int)]
  ) {
    // `arrange` replaces the list of children, and the difference needs the former list.
    let old = members == nil ? [] : parent.children
    if members == nil {
      for row in resorted { row.node.values = row.values }
      sortIn(level)
    } else {
      arrange()
    }
    let places = arriving.map { level.place(of: $0, in: parent.children) }
    let difference =
      members == nil
      ? ListDifference(
        leaving: leaving, arriving: places,
        changed: resorted.map { ($0.place, level.place(of: $0.node, in: parent.children)) },
        count: parent.children.count)
      : ListDifference(
        from: old.map(ObjectIdentifier.init), to: parent.children.map(ObjectIdentifier.init))
    let moved = difference.staying.filter(\.isMoved)
    return (
      ChildrenChange(
        left: SortedPlaces(leaving + moved.map(\.old)),
        arrived: SortedPlaces(places + moved.map(\.new))),
      moved.map { (parent.children[$0.new], $0.old) }
    )
  }

  /// Removes children that leave or have new sort values, and inserts children that arrive or have new sort values.
  private func sortIn(_ level: BoundLevel) {
    let out = leaving + resorted.map(\.place)
    let incoming = arriving + resorted.map(\.node)
    if out.count == 1 {
      parent.children.remove(at: out[0])
    } else if !out.isEmpty {
      var isOut = [Bool](repeating: false, count: parent.children.count)
      for place in out { isOut[place] = true }
      var place = -1
      parent.children.removeAll { _ in
        place += 1
        return isOut[place]
      }
    }
    if incoming.count == 1, let values = incoming[0].values {
      parent.children.insert(incoming[0], at: level.position(of: values, in: parent.children))
    } else if !incoming.isEmpty, let order = level.order {
      let isBefore = { (left: HierarchyNode, right: HierarchyNode) -> Bool in
        guard let a = left.values, let b = right.values else { return false }
        return order.compare(a, b) < 0
      }
      var merged: [HierarchyNode] = []
      merged.reserveCapacity(parent.children.count + incoming.count)
      var rest = parent.children[...]
      for node in incoming.sorted(by: isBefore) {
        guard let values = node.values else { continue }
        // The list stays as it is until the loop ends, so all positions refer to it.
        let place = level.position(of: values, in: parent.children)
        merged += rest[rest.startIndex..<max(place, rest.startIndex)]
        rest = parent.children[max(place, rest.startIndex)...]
        merged.append(node)
      }
      parent.children = merged + rest
    }
  }

  /// Arranges the remaining and arriving nodes in the order of the relationship.
  private func arrange() {
    var nodes: [ObjectIdentifier: HierarchyNode] = [:]
    let isOut = Set(leaving)
    for (place, node) in parent.children.enumerated() where !isOut.contains(place) {
      nodes[ObjectIdentifier(node.object)] = node
    }
    for node in arriving { nodes[ObjectIdentifier(node.object)] = node }
    parent.children = (members ?? []).compactMap { nodes[ObjectIdentifier($0)] }
    for (place, node) in parent.children.enumerated() { node.place = place }
  }
}
