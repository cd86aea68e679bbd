extension ResultsTree {
  /// Returns the first defect in the nodes, counts, order, section marks or index, or nil. It does not change the tree.
  func checkInvariants() -> String? {
    if let defect = kinds.checkInvariants() ?? index.checkInvariants() ?? check(root, parent: nil) {
      return defect
    }
    let counts = root.counts
    if counts.rows != count || counts.sections != sectionCount {
      return "the tree counts \(count) rows in \(sectionCount) sections instead of"
        + " \(counts.rows) in \(counts.sections)"
    }
    if index.count != count { return "the index has \(index.count) rows instead of \(count)" }
    let rowCount = leaves.reduce(0) { $0 + $1.count }
    if rowCount != count || spareLeaves.contains(where: { $0.count > 0 }) {
      return "leaves that are not in the tree have rows"
    }
    var previous: Location?
    var defect: String?
    forEachLocation(in: 0..<count) { location in
      defect = defect ?? check(location, after: previous)
      previous = location
    }
    return defect
  }

  private func check(_ location: Location, after previous: Location?) -> String? {
    let entry = entry(at: location)
    let startsSection = previous.map { kinds[$0.kind].section } != entry.section
    if location.leaf.startsSection(location.index) != startsSection {
      return "row \(entry.key) has a wrong section mark"
    }
    // Compares only the sort keys. Rows with equal sort keys are sorted by ID, but no longer after `setKey` changed an
    // ID.
    let order =
      previous?.withSortKey { left in location.withSortKey { form.compare(left, $0) } } ?? 0
    if order > 0 { return "row \(entry.key) is out of order" }
    let found = self.location(ofKey: entry.key, entry.origin)
    return found?.leaf === location.leaf && found?.index == location.index
      ? nil : "row \(entry.key) is not found by its key"
  }

  private func check(_ node: Node, parent: Branch?) -> String? {
    let capacity = capacity(of: node)
    if node.size > capacity { return "a node holds \(node.size) of \(capacity)" }
    if parent != nil, node.size == 0 { return "a node is empty" }
    if node.parent !== parent { return "a node has a different parent" }
    switch node {
    case .leaf(let leaf):
      if leaves[leaf.number] !== leaf { return "a leaf has another leaf's number" }
      return leaf.checkInvariants().map { "leaf \(leaf.number): \($0)" }
    case .branch(let branch):
      if branch.ends.count != branch.children.count { return "a child has no counts" }
      for (index, child) in branch.children.enumerated() {
        if child.position != index { return "a child has another child's position" }
        if let defect = check(child, parent: branch) { return defect }
        if branch.ends[index] - branch.counts(before: index) != child.counts {
          return "a branch has wrong counts of a child"
        }
      }
      return nil
    }
  }
}
