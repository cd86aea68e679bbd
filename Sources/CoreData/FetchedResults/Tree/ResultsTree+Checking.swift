extension ResultsTree {
  /// Checks every count, the order, the section marks and the index.
  func checkInvariants() -> String? {
    if let fault = check(root, parent: nil) { return fault }
    let counts = root.counts
    if counts.rows != count { return "\(counts.rows) rows, \(count) counted" }
    if counts.sections != sectionCount {
      return "\(counts.sections) sections, \(sectionCount) counted"
    }
    if index.count != count { return "\(index.count) rows in the index, \(count) in the tree" }
    var previous: Place?
    var fault: String?
    forEachPlace(in: 0..<count) { place in
      if fault != nil { return }
      let section = kinds[place.leaf.kind(place.index)].section
      let last = previous.map { kinds[$0.leaf.kind($0.index)].section }
      if place.leaf.startsSection(place.index) != (last != section) { fault = "wrong section mark" }
      if let previous, !isBefore(previous, place) { fault = "out of order" }
      let entry = entry(place)
      guard let found = self.place(ofKey: entry.key, entry.origin), found.leaf === place.leaf,
        found.index == place.index
      else {
        fault = "row \(entry.key) is not found by its key"
        return
      }
      previous = place
    }
    return fault
  }

  private func check(_ node: Node, parent: Branch?) -> String? {
    let capacity = capacity(of: node)
    if node.size > capacity { return "a node holds \(node.size) of \(capacity)" }
    if parent != nil, node.size == 0 { return "a node is empty" }
    switch node {
    case .leaf(let leaf):
      if leaf.parent !== parent { return "a leaf has another parent" }
      if leaves[leaf.number] !== leaf { return "a leaf has another one's number" }
      let sections = leaf.sections
      leaf.recount()
      if leaf.sections != sections { return "\(sections) sections should be \(leaf.sections)" }
    case .branch(let branch):
      if branch.parent !== parent { return "a branch has another parent" }
      if branch.ends.count != branch.children.count { return "a child without counts" }
      for (index, child) in branch.children.enumerated() {
        if child.position != index { return "a child has another one's place" }
        if let fault = check(child, parent: branch) { return fault }
        if branch.ends[index] - branch.counts(before: index) != child.counts {
          return "wrong counts of a child"
        }
      }
    }
    return nil
  }

  private func isBefore(_ left: Place, _ right: Place) -> Bool {
    let order = left.leaf.withSortKey(left.index) { left in
      right.leaf.withSortKey(right.index) { form.compare(left, $0) }
    }
    if order != 0 { return order < 0 }
    let (first, second) = (entry(left), entry(right))
    return RowOrder.compareIDs(first.key, first.origin.number, second.key, second.origin.number) < 0
  }
}
