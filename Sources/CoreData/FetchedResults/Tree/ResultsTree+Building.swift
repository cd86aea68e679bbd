extension ResultsTree {
  /// Builds a tree from sorted rows in O(n).
  struct Builder {
    private let tree: ResultsTree
    private let fill: Int
    private var level: [Node] = []
    private var lastSection = -1
    /// The kind of the last row. It is kept, because adjacent rows usually have the same kind.
    private var lastKind: (layout: EntityLayout, origin: StoreOrigin, number: UInt32)?

    // The content of the next leaf. The arrays are reused, and each leaf receives copies of the exact size.
    private var keys: [Int64] = []
    private var fields: [Leaf.Fields] = []
    private var sortKeys: [UInt8] = []
    private var objects: [NSManagedObject] = []

    init(_ tree: ResultsTree) {
      self.tree = tree
      fill = Self.fill(tree.leafCapacity)
      tree.removeAll()
      keys.reserveCapacity(fill)
      fields.reserveCapacity(fill)
    }

    /// Returns the initial number of rows or children in a node, which leaves room for insertions.
    private static func fill(_ capacity: Int) -> Int { capacity * 3 / 4 }

    /// - Parameter sortKey: Appends the row's sort key to the bytes of the preceding rows.
    mutating func append(
      _ layout: EntityLayout, _ origin: StoreOrigin, key: Int64, version: Int32, section: Int,
      object: NSManagedObject?, sortKey: (inout [UInt8]) throws -> Void
    ) rethrows {
      // A full leaf is closed only when another row follows, so that the last leaf is not empty.
      if keys.count == fill { closeLeaf() }
      try sortKey(&sortKeys)
      let startsSection = section != lastSection
      // A kind includes the section, so this row can have the last row's kind only if it is in the same section.
      let kind: UInt32
      if let lastKind, !startsSection, lastKind.layout === layout, lastKind.origin === origin {
        kind = lastKind.number
      } else {
        kind = tree.kind(layout, origin, section: section)
        lastKind = (layout, origin, kind)
        lastSection = section
      }
      keys.append(key)
      fields.append(
        Leaf.Fields(
          version: version, kind: kind, startsSection: startsSection, end: UInt32(sortKeys.count)))
      if let object { objects.append(object) }
    }

    mutating func append(_ row: ResultRow) {
      append(
        row.entry.layout, row.entry.origin, key: row.entry.key, version: row.entry.version,
        section: row.entry.section, object: row.entry.object
      ) { $0 += row.sortKey }
    }

    private mutating func closeLeaf() {
      // An empty tree already has one leaf.
      let leaf = level.isEmpty ? tree.root.first : tree.makeLeaf()
      leaf.fill(
        keys: Self.exactlySized(&keys), fields: Self.exactlySized(&fields),
        sortKeys: Self.exactlySized(&sortKeys), objects: Self.exactlySized(&objects))
      level.append(.leaf(leaf))
    }

    /// Moves the elements into an array without spare capacity; `array` keeps its capacity for the next leaf.
    private static func exactlySized<Element>(_ array: inout [Element]) -> [Element] {
      defer { array.removeAll(keepingCapacity: true) }
      return array.withUnsafeBufferPointer { Array($0) }
    }

    /// Completes the tree.
    mutating func finish() {
      // The last leaf is closed even if there are no rows, because a tree always has a leaf.
      closeLeaf()
      tree.setLeaves(level, childrenPerBranch: Self.fill(tree.branchCapacity))
    }
  }
}
