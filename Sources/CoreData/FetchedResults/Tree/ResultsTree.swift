/// The sorted rows of live results and their sections: a counted B+tree with an index by key.
///
/// Every inner node stores how many rows each child contains and how many of them begin a section. So finding the
/// position of a row, finding the row at a position, inserting and removing cost O(log n). The tree holds keys and
/// sort keys, not values: about 32 bytes for each row, plus its sort key.
final class ResultsTree {
  let form: SortKeyForm
  /// The maximum number of rows in a leaf.
  let leafCapacity: Int
  /// The maximum number of children of a branch. It is large, so that a million rows need only two levels of branches.
  let branchCapacity: Int
  // Every access reads these properties, and a tree belongs to one queue, so exclusivity checks are disabled.
  @exclusivity(unchecked)
  private(set) var root: Node
  @exclusivity(unchecked)
  private(set) var kinds = RowKinds()
  @exclusivity(unchecked)
  private(set) var index = RowIndex()
  @exclusivity(unchecked)
  private(set) var heads: LeafHeads
  /// The leaves, indexed by their numbers.
  @exclusivity(unchecked)
  private(set) var leaves: [Leaf] = []
  /// Leaves that were removed from the tree and can be reused.
  private(set) var spareLeaves: [Leaf] = []
  @exclusivity(unchecked)
  private(set) var count = 0
  @exclusivity(unchecked)
  private(set) var sectionCount = 0

  /// Creates an empty tree. Tests use small capacities, so that few rows cause every kind of split and merge.
  ///
  /// - Parameters:
  ///   - leafCapacity: From 4 to 255, because the row index stores the index in a leaf in 8 bits.
  ///   - branchCapacity: At least 4.
  init(form: SortKeyForm, leafCapacity: Int = 128, branchCapacity: Int = 512) {
    self.form = form
    self.leafCapacity = min(max(4, leafCapacity), 255)
    self.branchCapacity = max(4, branchCapacity)
    heads = LeafHeads()
    root = .leaf(Leaf(number: 0, heads))
    leaves = [root.first]
  }

  /// Returns the maximum number of rows or children of a node.
  func capacity(of node: Node) -> Int {
    switch node {
    case .leaf: leafCapacity
    case .branch: branchCapacity
    }
  }

  /// Returns an empty leaf.
  func makeLeaf() -> Leaf {
    if let spare = spareLeaves.popLast() { return spare }
    let leaf = Leaf(number: leaves.count, heads)
    leaves.append(leaf)
    return leaf
  }

  private func free(_ leaf: Leaf) {
    leaf.recount()
    spareLeaves.append(leaf)
  }

  /// Returns the number of a kind of rows: those with the same entity, store and section.
  func kind(_ layout: EntityLayout, _ origin: StoreOrigin, section: Int) -> UInt32 {
    kinds.number(layout, origin, section: section)
  }

  /// Replaces the content of the tree with leaves that contain all rows in order.
  func setLeaves(_ nodes: [Node], childrenPerBranch: Int) {
    count = nodes.reduce(0) { $0 + Int($1.counts.rows) }
    // The index has its final capacity from the beginning, so that it does not grow while it is filled.
    index = RowIndex(minimumCapacity: count)
    for node in nodes { index.insert(node.first.keys, inLeaf: node.first.number) }
    var level = nodes
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: childrenPerBranch).map { start in
        .branch(Branch(Array(level[start..<min(start + childrenPerBranch, level.count)])))
      }
    }
    root = level[0]
    sectionCount = Int(root.counts.sections)
  }

  /// Inserts a row at its position in the order.
  func insert(_ row: ResultRow) {
    let entry = row.entry
    let leaf = leaf(for: row)
    let position = position(of: row, in: leaf)
    leaf.insert(
      entry.key, kind: kind(entry.layout, entry.origin, section: entry.section),
      version: entry.version, sortKey: row.sortKey, object: entry.object, at: position)
    index.insert(entry.key, at: RowIndex.Hint(leaf: leaf.number, index: position))
    count += 1
    let location = Location(leaf: leaf, index: position)
    recount(leaf)
    // The rank is determined after the counts are updated, because it is computed from them.
    let rank = rank(of: location)
    markStart(location, after: rank - 1)
    // Whether the next row begins a section depends on the row before it, which is now the inserted one.
    if rank + 1 < count { markStart(locate(rank + 1).location, after: rank) }
    if leaf.count > leafCapacity { split(leaf) }
  }

  /// Removes a row.
  func remove(at location: Location) {
    let leaf = location.leaf
    let rank = rank(of: location)
    index.remove(location.key, fromLeaf: leaf.number)
    leaf.remove(at: location.index)
    count -= 1
    recount(leaf)
    // Whether the next row begins a section depends on the row before it, which was removed.
    if rank < count { markStart(locate(rank).location, after: rank - 1) }
    sectionCount = Int(root.counts.sections)
    rebalance(.leaf(leaf))
  }

  func removeAll() {
    heads = LeafHeads()
    self.root = .leaf(Leaf(number: 0, heads))
    leaves = [root.first]
    spareLeaves = []
    index = RowIndex()
    count = 0
    sectionCount = 0
  }

  func setVersion(_ version: Int32, at location: Location) {
    location.leaf.setVersion(location.index, version)
  }

  /// Changes the ID of a row without moving it.
  func setKey(_ key: Int64, _ origin: StoreOrigin, at location: Location) {
    let leaf = location.leaf
    let former = kinds[location.kind]
    index.remove(location.key, fromLeaf: leaf.number)
    // The kind includes the store, and a row with a temporary ID had none.
    leaf.setKey(location.index, key, kind: kind(former.layout, origin, section: former.section))
    index.insert(key, at: RowIndex.Hint(leaf: leaf.number, index: location.index))
  }

  // MARK: Order

  private func leaf(for row: ResultRow) -> Leaf {
    leaf { branch in
      // Chooses the last child whose first row precedes the new row, or the first child if there is none.
      (1..<branch.children.count).partitioningIndex {
        !isAfter(row, Location(leaf: branch.children[$0].first, index: 0))
      } - 1
    }
  }

  private func position(of row: ResultRow, in leaf: Leaf) -> Int {
    (0..<leaf.count).partitioningIndex { !isAfter(row, Location(leaf: leaf, index: $0)) }
  }

  /// Returns whether a row is ordered after the row at a location.
  private func isAfter(_ row: ResultRow, _ location: Location) -> Bool {
    let order = row.sortKey.withUnsafeBufferPointer { own in
      location.withSortKey { form.compare($0, own) }
    }
    if order != 0 { return order < 0 }
    return RowOrder.compareIDs(
      location.key, kinds[location.kind].origin.number, row.entry.key, row.entry.origin.number) < 0
  }

  // MARK: Counts

  /// Updates the counts of the branches above a leaf whose number of rows or sections changed.
  private func recount(_ leaf: Leaf) {
    guard let parent = leaf.parent else { return }
    let position = leaf.position
    let more = leaf.counts - (parent.ends[position] - parent.counts(before: position))
    if more == Counts() { return }
    var node = Node.leaf(leaf)
    while let branch = node.parent {
      branch.add(more, from: node.position)
      node = .branch(branch)
    }
  }

  /// Updates the mark that says whether a row begins a section.
  private func markStart(_ location: Location, after rank: Int) {
    let previous = rank < 0 ? nil : locate(rank).location
    let starts = previous.map { kinds[$0.kind].section != kinds[location.kind].section } ?? true
    location.leaf.setStartsSection(location.index, starts)
    recount(location.leaf)
    sectionCount = Int(root.counts.sections)
  }

  // MARK: Sizes

  private func split(_ leaf: Leaf) {
    let new = makeLeaf()
    new.moveRows(from: leaf, leaf.count / 2)
    for (position, key) in new.keys.enumerated() {
      index.move(key, from: leaf.number, to: RowIndex.Hint(leaf: new.number, index: position))
    }
    put(.leaf(new), after: .leaf(leaf))
  }

  /// Inserts a node next to the node that it was split from.
  private func put(_ new: Node, after old: Node) {
    guard let parent = old.parent else {
      root = .branch(Branch([old, new]))
      return
    }
    let index = old.position
    // The split has moved rows or children out of the old node.
    parent.recount(index)
    parent.insert(new, at: index + 1)
    guard parent.children.count > branchCapacity else { return }
    put(.branch(parent.splitOff()), after: .branch(parent))
  }

  /// Merges a node that has become small with a neighbor that has enough room.
  private func rebalance(_ node: Node) {
    guard let parent = node.parent else {
      // A root with a single child is replaced with this child.
      if case .branch(let branch) = root, branch.children.count == 1 {
        root = branch.remove(at: 0)
        rebalance(root)
      }
      return
    }
    let capacity = capacity(of: node)
    // The limit is far below half of the capacity, which is the size after a split, so that alternating insertions and
    // removals do not split and merge the same node again and again.
    guard node.size < capacity / 4 else { return }
    let index = node.position
    if node.size == 0 {
      parent.remove(at: index)
      if case .leaf(let leaf) = node { free(leaf) }
    } else {
      let neighbor = [index - 1, index + 1].first {
        parent.children.indices.contains($0)
          && parent.children[$0].size + node.size <= capacity
      }
      guard let neighbor else { return }
      join(parent, min(index, neighbor))
    }
    rebalance(.branch(parent))
  }

  /// Merges a child with the next one.
  private func join(_ parent: Branch, _ index: Int) {
    let right = parent.remove(at: index + 1)
    switch (parent.children[index], right) {
    case (.leaf(let left), .leaf(let right)):
      // The index is updated before the rows move, because their new positions begin at the left leaf's present count.
      for (position, key) in right.keys.enumerated() {
        self.index.move(
          key, from: right.number,
          to: RowIndex.Hint(leaf: left.number, index: left.count + position))
      }
      left.moveRows(from: right, 0)
      free(right)
    case (.branch(let left), .branch(let right)):
      for child in right.children { left.insert(child, at: left.children.count) }
    default: preconditionFailure("all leaves of a tree are equally deep")
    }
    parent.recount(index)
  }
}
