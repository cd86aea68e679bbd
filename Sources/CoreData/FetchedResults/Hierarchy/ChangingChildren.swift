/// The children of one node that are about to change, and how.
struct ChangingChildren {
  let parent: HierarchyNode
  /// Old places of those that leave.
  var leaving: [Int] = []
  var arriving: [HierarchyNode] = []
  /// Nodes that have to be sorted in anew.
  var resorted: [Resorted] = []
  /// The objects in their new order, where the relationship gives it.
  var members: [NSManagedObject]?

  struct Resorted {
    let node: HierarchyNode
    /// Where it was.
    let place: Int
    /// What it is sorted by now.
    let values: SortValues
  }

  struct Move {
    let node: HierarchyNode
    let old: Int
  }

  /// Changes the children of the parent; tells which of those that stay moved, the least that can be.
  ///
  /// Sorted children: O(k log n) comparisons for k of n that change, and one shift of the others. Where the
  /// relationship gives the order, O(n).
  func apply(_ level: BoundLevel) -> (change: ChildrenChange, moved: [Move]) {
    let old = members == nil ? [] : parent.children
    if members == nil {
      for row in resorted { row.node.values = row.values }
      sortIn(level)
    } else {
      arrange()
    }
    let places = arriving.map { level.place(of: $0, in: parent.children) }
    let (left, arrived) = (SortedPlaces(leaving), SortedPlaces(places))
    var moves: [(move: Move, new: Int)] = []
    let staying = parent.children.count - arriving.count
    if members == nil {
      let rows = resorted.map { row in
        let new = level.place(of: row.node, in: parent.children)
        return MoveFinder.Changed(
          old: row.place - left.count(before: row.place), new: new - arrived.count(before: new))
      }
      let finder = MoveFinder(rows, count: staying)
      for (index, isMoved) in finder.movedChanged.enumerated() where isMoved {
        moves.append(
          (
            Move(node: resorted[index].node, old: resorted[index].place),
            arrived.place(ofRemaining: rows[index].new)
          ))
      }
      let (oldChanged, newChanged) = (SortedPlaces(rows.map(\.old)), SortedPlaces(rows.map(\.new)))
      for number in finder.movedOthers.joined() {
        let old = left.place(ofRemaining: oldChanged.place(ofRemaining: number))
        let new = arrived.place(ofRemaining: newChanged.place(ofRemaining: number))
        moves.append((Move(node: parent.children[new], old: old), new))
      }
    } else {
      let difference = ListDifference(
        from: old.map(ObjectIdentifier.init), to: parent.children.map(ObjectIdentifier.init))
      for pair in difference.staying where pair.isMoved {
        moves.append((Move(node: parent.children[pair.new], old: pair.old), pair.new))
      }
    }
    return (
      ChildrenChange(
        left: SortedPlaces(leaving + moves.map(\.move.old)),
        arrived: SortedPlaces(places + moves.map(\.new))), moves.map(\.move)
    )
  }

  /// Takes out what leaves or has other sort values, and puts in what arrives and those.
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
      parent.children.insert(
        incoming[0], at: level.position(of: values, in: parent.children))
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
        let place = level.position(of: values, in: parent.children)
        merged += rest[rest.startIndex..<max(place, rest.startIndex)]
        rest = parent.children[max(place, rest.startIndex)...]
        merged.append(node)
      }
      parent.children = merged + rest
    }
  }

  /// Puts the nodes of those that stay and arrive into the order of the relationship.
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
