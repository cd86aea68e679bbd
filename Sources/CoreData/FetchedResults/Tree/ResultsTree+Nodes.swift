extension ResultsTree {
  /// The number of rows, and the number of rows that begin a section.
  struct Counts: Equatable, AdditiveArithmetic {
    var rows: Int32 = 0
    var sections: Int32 = 0

    static var zero: Counts { Counts() }

    static func + (left: Counts, right: Counts) -> Counts {
      Counts(rows: left.rows + right.rows, sections: left.sections + right.sections)
    }

    static func - (left: Counts, right: Counts) -> Counts {
      Counts(rows: left.rows - right.rows, sections: left.sections - right.sections)
    }
  }

  /// A leaf or an inner node.
  enum Node {
    case leaf(Leaf)
    case branch(Branch)

    var counts: Counts {
      switch self {
      case .leaf(let leaf): leaf.counts
      case .branch(let branch): branch.ends.last ?? Counts()
      }
    }

    /// The leaf that contains the first row.
    var first: Leaf {
      var node = self
      while case .branch(let branch) = node { node = branch.children[0] }
      guard case .leaf(let leaf) = node else { preconditionFailure("a tree ends in leaves") }
      return leaf
    }

    var size: Int {
      switch self {
      case .leaf(let leaf): leaf.count
      case .branch(let branch): branch.children.count
      }
    }

    var parent: Branch? {
      switch self {
      case .leaf(let leaf): leaf.parent
      case .branch(let branch): branch.parent
      }
    }

    /// The index of the node among its parent's children.
    var position: Int {
      switch self {
      case .leaf(let leaf): leaf.position
      case .branch(let branch): branch.position
      }
    }

    fileprivate func put(in parent: Branch?, at position: Int) {
      switch self {
      case .leaf(let leaf): leaf.put(in: parent, at: position)
      case .branch(let branch):
        branch.parent = parent
        branch.position = position
      }
    }
  }

  /// A leaf: adjacent rows in parallel arrays. A row takes 20 bytes plus its sort key, and 8 bytes more if the results
  /// keep objects.
  final class Leaf {
    struct Fields {
      var version: Int32
      /// The number of the row's kind. The highest bit is set if the row begins a section.
      var kind: UInt32
      /// The offset at which the row's sort key ends.
      var end: UInt32

      init(version: Int32, kind: UInt32, startsSection: Bool = false, end: UInt32) {
        self.version = version
        self.kind = startsSection ? kind | Leaf.startMark : kind
        self.end = end
      }
    }

    /// The number by which the row index identifies the leaf.
    let number: Int
    private let heads: LeafHeads
    @exclusivity(unchecked)
    private(set) var keys: [Int64] = [] { didSet { count = keys.count } }
    /// The number of rows. It is stored here, so that reading it does not access the arrays.
    @exclusivity(unchecked)
    private(set) var count = 0
    @exclusivity(unchecked)
    private(set) var fields: [Fields] = []
    @exclusivity(unchecked)
    private(set) var sortKeys: [UInt8] = []
    /// The objects of the rows, if the results keep them; otherwise empty.
    @exclusivity(unchecked)
    private(set) var objects: [NSManagedObject] = []

    init(number: Int, _ heads: LeafHeads) {
      self.number = number
      self.heads = heads
      heads.makeRoom(for: number)
    }

    var parent: Branch? { heads[number].parent }

    var position: Int { Int(heads[number].position) }

    fileprivate func put(in parent: Branch?, at position: Int) {
      heads[number].parent = parent
      heads[number].position = Int32(position)
    }

    /// The number of rows that begin a section.
    private(set) var sections: Int {
      get { Int(heads[number].sections) }
      set { heads[number].sections = UInt16(newValue) }
    }

    /// Returns whether the row at an index has a key.
    func hasKey(_ key: Int64, at index: Int) -> Bool {
      // Reads only this key, because the memory around it is usually not in the processor's caches.
      index < count
        && keys.withUnsafeBufferPointer { $0.baseAddress.map { $0[index] == key } ?? false }
    }

    private func start(_ index: Int) -> Int { index == 0 ? 0 : Int(fields[index - 1].end) }

    func withSortKey<Result>(
      _ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
      let range = start(index)..<Int(fields[index].end)
      return try sortKeys.withUnsafeBufferPointer {
        try body(UnsafeBufferPointer(rebasing: $0[range]))
      }
    }

    func kind(_ index: Int) -> UInt32 { fields[index].kind & ~Self.startMark }

    func setKey(_ index: Int, _ key: Int64, kind: UInt32) {
      keys[index] = key
      fields[index].kind = fields[index].kind & Self.startMark | kind
    }

    func setVersion(_ index: Int, _ version: Int32) { fields[index].version = version }

    private static let startMark: UInt32 = 1 << 31

    func startsSection(_ index: Int) -> Bool { fields[index].kind & Self.startMark != 0 }

    /// Returns the number of rows up to and including an index that begin a section.
    func starts(upTo index: Int) -> Int {
      // Few leaves contain the beginning of a section.
      sections == 0 ? 0 : (0...index).count(where: startsSection)
    }

    func setStartsSection(_ index: Int, _ starts: Bool) {
      if starts == startsSection(index) { return }
      fields[index].kind ^= Self.startMark
      sections += starts ? 1 : -1
    }

    /// Sets the rows of an empty leaf.
    func fill(keys: [Int64], fields: [Fields], sortKeys: [UInt8], objects: [NSManagedObject]) {
      (self.keys, self.fields, self.sortKeys, self.objects) = (keys, fields, sortKeys, objects)
      recount()
    }

    func insert(
      _ key: Int64, kind: UInt32, version: Int32, sortKey: [UInt8], object: NSManagedObject?,
      at index: Int
    ) {
      let start = start(index)
      // The rows after the new one shift. Updating their entries in the row index would cost a cache miss for each row.
      if index < count { heads[number].isAsIndexed = false }
      keys.insert(key, at: index)
      // The loop below adds the length of the sort key to this row's end, too.
      fields.insert(Fields(version: version, kind: kind, end: UInt32(start)), at: index)
      sortKeys.insert(contentsOf: sortKey, at: start)
      for later in index..<fields.count { fields[later].end += UInt32(sortKey.count) }
      if let object { objects.insert(object, at: index) }
    }

    func remove(at index: Int) {
      let range = start(index)..<Int(fields[index].end)
      // Called while the row still exists, so that the leaf's number of sections remains correct.
      setStartsSection(index, false)
      if index + 1 < count { heads[number].isAsIndexed = false }
      keys.remove(at: index)
      fields.remove(at: index)
      sortKeys.removeSubrange(range)
      for later in index..<fields.count { fields[later].end -= UInt32(range.count) }
      if !objects.isEmpty { objects.remove(at: index) }
    }

    /// Moves the rows of another leaf, from an index on, to the end of this leaf. The caller must update the row index.
    func moveRows(from other: Leaf, _ index: Int) {
      let offset = other.start(index)
      let shift = Int64(sortKeys.count - offset)
      for var row in other.fields[index...] {
        row.end = UInt32(Int64(row.end) + shift)
        fields.append(row)
      }
      keys += other.keys[index...]
      sortKeys += other.sortKeys[offset...]
      if !other.objects.isEmpty {
        objects += other.objects[index...]
        other.objects.removeSubrange(index...)
      }
      other.keys.removeSubrange(index...)
      other.fields.removeSubrange(index...)
      other.sortKeys.removeSubrange(offset...)
      recount()
      other.recount()
    }

    var counts: Counts { Counts(rows: Int32(count), sections: Int32(sections)) }

    func recount() {
      sections = keys.indices.count(where: startsSection)
      // The tree may reuse an empty leaf. The row index then has the current indexes of its new rows.
      if keys.isEmpty { heads[number].isAsIndexed = true }
    }

    /// Returns a description of the first defect in the rows or their counts, or nil.
    func checkInvariants() -> String? {
      if keys.count != count || fields.count != count || ![0, count].contains(objects.count) {
        return "it has \(keys.count) keys, \(fields.count) fields and \(objects.count) objects"
      }
      let ends = fields.map(\.end)
      if !zip(ends, ends.dropFirst()).allSatisfy(<=) || ends.last ?? 0 != sortKeys.count {
        return "its sort keys do not end where its rows say"
      }
      let starts = keys.indices.count(where: startsSection)
      return starts == sections ? nil : "it counts \(sections) sections instead of \(starts)"
    }
  }

  /// An inner node.
  final class Branch {
    // Not retained, because the tree keeps its branches alive, and a parent retains its children.
    @exclusivity(unchecked)
    unowned(unsafe) fileprivate(set) var parent: Branch?
    /// The index of the branch among its parent's children.
    @exclusivity(unchecked)
    fileprivate(set) var position = 0
    @exclusivity(unchecked)
    private(set) var children: [Node] = []
    /// For each child, the counts of all children up to and including it. Finding the position of a row reads one
    /// element of this array on each level.
    @exclusivity(unchecked)
    private(set) var ends: [Counts] = []

    init(_ children: [Node]) {
      for child in children { insert(child, at: self.children.count) }
    }

    /// Returns the counts before a child.
    func counts(before index: Int) -> Counts { index == 0 ? Counts() : ends[index - 1] }

    /// Returns the index of the first child that ends after a number of rows or sections, or of the last child if none
    /// does.
    @inline(__always)
    func child(endingAfter count: Int, _ part: (Counts) -> Int32) -> Int {
      var low = 0
      var high = ends.count - 1
      while low < high {
        let middle = (low + high) / 2
        if part(ends[middle]) > count { high = middle } else { low = middle + 1 }
      }
      return low
    }

    func insert(_ child: Node, at index: Int) {
      children.insert(child, at: index)
      ends.insert(counts(before: index), at: index)
      add(child.counts, from: index)
      number(from: index)
    }

    @discardableResult
    func remove(at index: Int) -> Node {
      let child = children.remove(at: index)
      let before = counts(before: index)
      let counts = ends.remove(at: index) - before
      add(Counts() - counts, from: index)
      child.put(in: nil, at: 0)
      number(from: index)
      return child
    }

    /// Moves the upper half of the children into a new branch.
    func splitOff() -> Branch {
      let half = children.count / 2
      let upper = Array(children[half...])
      children.removeSubrange(half...)
      ends.removeSubrange(half...)
      return Branch(upper)
    }

    /// Adds counts to the elements of `ends` for a child and all children after it.
    func add(_ counts: Counts, from index: Int) {
      for index in index..<ends.count { ends[index] += counts }
    }

    func recount(_ index: Int) {
      add(children[index].counts - (ends[index] - counts(before: index)), from: index)
    }

    private func number(from start: Int) {
      for index in start..<children.count { children[index].put(in: self, at: index) }
    }
  }
}
