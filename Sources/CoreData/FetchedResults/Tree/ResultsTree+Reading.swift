extension ResultsTree {
  /// The location of a row in the tree. It is valid until the tree changes.
  struct Location {
    let leaf: Leaf
    let index: Int

    var key: Int64 { leaf.keys[index] }
    /// The number of the row's kind: its entity, store and section (``RowKinds``).
    var kind: UInt32 { leaf.kind(index) }

    func withSortKey<Result>(
      _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
      try leaf.withSortKey(index, body)
    }
  }

  // MARK: Finding

  /// Returns the location of the row with a key; nil if there is none.
  func location(ofKey key: Int64, _ origin: StoreOrigin) -> Location? {
    find(key, origin) { location(ofKey: key, origin, near: $0, isCertain: $1) }
  }

  /// Returns the rank and the section of the row with a key; nil if there is none.
  ///
  /// The index, the leaf's head and the branches usually suffice, so the leaf is rarely read.
  func position(ofKey key: Int64, _ origin: StoreOrigin) -> (rank: Int, section: Int)? {
    find(key, origin) { hint, isCertain in
      // If no section begins in the leaf, all of its rows are in the same section, so the leaf need not be read.
      if isCertain, heads[hint.leaf].sections == 0 {
        return position(inLeaf: hint.leaf, hint.index)
      }
      return location(ofKey: key, origin, near: hint, isCertain: isCertain).map(position)
    }
  }

  /// Calls `body` with each hint for a row, and with whether the hint is certain, until `body` returns a result.
  @inline(__always)
  private func find<Result>(
    _ key: Int64, _ origin: StoreOrigin, _ body: (RowIndex.Hint, Bool) -> Result?
  ) -> Result? {
    let isCertain = kinds.onlyOrigin === origin && index.isCertain(key)
    return index.first(ofKey: key) { body($0, isCertain && heads[$0.leaf].isAsIndexed) }
  }

  /// Returns the location of a row in the leaf of a hint; nil if the leaf does not contain the row.
  private func location(
    ofKey key: Int64, _ origin: StoreOrigin, near hint: RowIndex.Hint, isCertain: Bool
  ) -> Location? {
    let leaf = leaves[hint.leaf]
    if isCertain || isRow(key, origin, leaf, hint.index) {
      return Location(leaf: leaf, index: hint.index)
    }
    return (0..<leaf.count).first { isRow(key, origin, leaf, $0) }
      .map { Location(leaf: leaf, index: $0) }
  }

  private func isRow(_ key: Int64, _ origin: StoreOrigin, _ leaf: Leaf, _ index: Int) -> Bool {
    // Keys are unique within a store. If all rows are from one store, comparing the key suffices, and the row's kind is
    // not read.
    leaf.hasKey(key, at: index)
      && (kinds.onlyOrigin === origin || kinds[leaf.kind(index)].origin === origin)
  }

  /// Returns the number of rows before a row.
  func rank(of location: Location) -> Int { position(of: location).rank }

  /// Returns the rank and the section of a row.
  func position(of location: Location) -> (rank: Int, section: Int) {
    let (rank, section) = position(inLeaf: location.leaf.number, location.index)
    return (rank, section + location.leaf.starts(upTo: location.index))
  }

  /// Returns the rank of a row, and its section without counting the sections that begin in its leaf.
  private func position(inLeaf leaf: Int, _ index: Int) -> (rank: Int, section: Int) {
    // A row's section is the last one that begins before or with it, and section indexes begin at 0.
    var (rank, section) = (index, -1)
    // The branches are not retained, see `leaf(choosing:)`.
    var position = Int(heads[leaf].position)
    var parent = heads[leaf].parent.map(Unmanaged.passUnretained)
    while let branch = parent {
      (position, parent) = branch._withUnsafeGuaranteedRef { branch in
        let before = branch.counts(before: position)
        rank += Int(before.rows)
        section += Int(before.sections)
        return (branch.position, branch.parent.map(Unmanaged.passUnretained))
      }
    }
    return (rank, section)
  }

  /// Descends to a leaf by choosing a child of each branch.
  @inline(__always)
  func leaf(choosing child: (Branch) -> Int) -> Leaf {
    // Nodes are not retained, because that would take longer than the rest of the search. The tree keeps them alive.
    var branch: Unmanaged<Branch>
    switch root {
    case .leaf(let leaf): return leaf
    case .branch(let root): branch = .passUnretained(root)
    }
    while true {
      let next: Unmanaged<Leaf>? = branch._withUnsafeGuaranteedRef { parent in
        switch parent.children[child(parent)] {
        case .leaf(let leaf): return .passUnretained(leaf)
        case .branch(let inner):
          branch = .passUnretained(inner)
          return nil
        }
      }
      if let next { return next.takeUnretainedValue() }
    }
  }

  /// Returns the leaf with the n-th row, or with the n-th row that begins a section, and the counts before this leaf.
  @inline(__always)
  private func leaf(with number: Int, of part: (Counts) -> Int32) -> (leaf: Leaf, before: Counts) {
    var before = Counts()
    let leaf = leaf { branch in
      let child = branch.child(endingAfter: number - Int(part(before)), part)
      before += branch.counts(before: child)
      return child
    }
    return (leaf, before)
  }

  /// Returns the location of the row with a rank, and the number of sections that begin before its leaf.
  func locate(_ rank: Int) -> (location: Location, sections: Int) {
    let (leaf, before) = leaf(with: rank, of: \.rows)
    return (Location(leaf: leaf, index: rank - Int(before.rows)), Int(before.sections))
  }

  /// Returns the rank of a section's first row. For the index after the last section this is the number of rows.
  func start(ofSection section: Int) -> Int {
    guard section < sectionCount else { return count }
    let (leaf, before) = leaf(with: section, of: \.sections)
    var rest = section - Int(before.sections)
    for index in leaf.keys.indices where leaf.startsSection(index) {
      if rest == 0 { return Int(before.rows) + index }
      rest -= 1
    }
    return count
  }

  /// Returns the section of the row with a rank.
  func section(ofRank rank: Int) -> Int {
    let (location, sections) = locate(rank)
    return sections + location.leaf.starts(upTo: location.index) - 1
  }

  // MARK: Rows

  /// Returns the row with a rank; nil if there is none.
  func entry(at rank: Int) -> ResultEntry? {
    guard rank >= 0, rank < count else { return nil }
    return entry(at: locate(rank).location)
  }

  func entry(at location: Location) -> ResultEntry {
    let leaf = location.leaf
    let kind = kinds[location.kind]
    return ResultEntry(
      layout: kind.layout, origin: kind.origin, key: location.key,
      section: kind.section, version: leaf.fields[location.index].version,
      object: leaf.objects.isEmpty ? nil : leaf.objects[location.index])
  }

  func row(at location: Location) -> ResultRow {
    ResultRow(entry: entry(at: location), sortKey: location.withSortKey { Array($0) })
  }

  /// Returns whether a row's sort key equals a new one, so that the row keeps its position.
  func hasSortKey(_ sortKey: UnsafeBufferPointer<UInt8>, at location: Location) -> Bool {
    location.withSortKey { $0.elementsEqual(sortKey) }
  }

  /// Calls `body` with the location of each row in a range of ranks, in order.
  func forEachLocation(in ranks: Range<Int>, _ body: (Location) throws -> Void) rethrows {
    var rank = ranks.lowerBound
    while rank < ranks.upperBound {
      let first = locate(rank).location
      let end = min(first.leaf.count, first.index + ranks.upperBound - rank)
      for index in first.index..<end { try body(Location(leaf: first.leaf, index: index)) }
      rank += end - first.index
    }
  }

  func entries(in ranks: Range<Int>) -> [ResultEntry] {
    var result: [ResultEntry] = []
    result.reserveCapacity(ranks.count)
    forEachLocation(in: ranks) { result.append(entry(at: $0)) }
    return result
  }
}
