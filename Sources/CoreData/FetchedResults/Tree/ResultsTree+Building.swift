extension ResultsTree {
  /// Takes rows that are in order already, in O(n).
  struct Builder {
    private let tree: ResultsTree
    private let fill: Int
    private var leaf: Leaf
    private var level: [Node] = []
    private var lastSection = -1

    init(_ tree: ResultsTree) {
      self.tree = tree
      fill = max(tree.capacity * 3 / 4, 1)
      tree.removeAll()
      leaf = tree.root.first
      prepare()
    }

    /// Arrays of just the size that is needed.
    private func prepare() {
      leaf.keys.reserveCapacity(fill)
      leaf.fields.reserveCapacity(fill)
    }

    /// - Parameter sortKey: adds the row's sort key to the bytes of those before it.
    mutating func append(
      _ layout: EntityLayout, _ origin: StoreOrigin, key: Int64, version: Int32, section: Int,
      object: NSManagedObject?, sortKey: (inout [UInt8]) throws -> Void
    ) rethrows {
      if leaf.count == fill { finishLeaf() }
      try sortKey(&leaf.sortKeys)
      leaf.keys.append(key)
      leaf.fields.append(
        Leaf.Fields(
          version: version, kind: tree.kinds.number(layout, origin, section: section),
          end: UInt32(leaf.sortKeys.count)))
      if let object { leaf.objects.append(object) }
      if section != lastSection {
        leaf.setStartsSection(leaf.count - 1, true)
        lastSection = section
      }
    }

    mutating func append(_ row: ResultRow) {
      append(
        row.entry.layout, row.entry.origin, key: row.entry.key, version: row.entry.version,
        section: row.entry.section, object: row.entry.object
      ) { $0 += row.sortKey }
    }

    private mutating func finishLeaf() {
      closeLeaf()
      leaf = tree.makeLeaf()
      prepare()
    }

    private mutating func closeLeaf() {
      if leaf.sortKeys.capacity > leaf.sortKeys.count {
        // It grew by doubling.
        leaf.sortKeys = leaf.sortKeys.withUnsafeBufferPointer { Array($0) }
      }
      level.append(.leaf(leaf))
    }

    /// The tree has its rows from here on.
    mutating func finish() {
      closeLeaf()
      let leaves = level
      tree.count = leaves.reduce(0) { $0 + $1.rows }
      tree.index = RowIndex(minimumCapacity: tree.count)
      for node in leaves {
        let leaf = node.first
        for key in leaf.keys { tree.index.insert(key, leaf: leaf.number) }
      }
      while level.count > 1 {
        level = stride(from: 0, to: level.count, by: fill).map { start in
          .branch(Branch(Array(level[start..<min(start + fill, level.count)])))
        }
      }
      tree.root = level[0]
      tree.sectionCount = tree.root.sections
    }
  }
}
