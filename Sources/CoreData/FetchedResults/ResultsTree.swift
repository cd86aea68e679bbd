import Foundation

/// The rows of a live result in order, with their sections: a counted B+tree.
///
/// Every node knows how many rows it holds and how many of them begin a section, so the place of a
/// row, the row at a place, insertion and removal cost O(log n).
final class ResultsTree {
  private let order: RowOrder
  /// The most entries of a leaf and children of an inner node.
  private let capacity: Int
  private var root: Node

  /// - Parameter capacity: small in tests, so that few rows reach every split and merge.
  init(order: RowOrder, capacity: Int = 64) {
    self.order = order
    self.capacity = max(4, capacity)
    root = Node()
  }

  private final class Node {
    /// The rows of a leaf; empty in an inner node.
    var entries: [ResultEntry] = []
    var children: [Node] = []
    var rows = 0
    var sections = 0

    var isLeaf: Bool { children.isEmpty }
    var first: ResultEntry? { isLeaf ? entries.first : children.first?.first }

    func recount() {
      if isLeaf {
        rows = entries.count
        sections = entries.count { $0.startsSection }
      } else {
        rows = children.reduce(0) { $0 + $1.rows }
        sections = children.reduce(0) { $0 + $1.sections }
      }
    }
  }

  var count: Int { root.rows }
  var sectionCount: Int { root.sections }

  // MARK: Building

  /// Takes rows that are in order already, in O(n).
  func build(_ entries: [ResultEntry]) {
    var previous: ResultEntry?
    for entry in entries {
      entry.startsSection = previous?.section != entry.section
      previous = entry
    }
    let fill = capacity * 3 / 4
    var level: [Node] = stride(from: 0, to: entries.count, by: fill).map { start in
      let node = Node()
      node.entries = Array(entries[start..<min(start + fill, entries.count)])
      node.recount()
      return node
    }
    while level.count > 1 {
      level = stride(from: 0, to: level.count, by: fill).map { start in
        let node = Node()
        node.children = Array(level[start..<min(start + fill, level.count)])
        node.recount()
        return node
      }
    }
    root = level.first ?? Node()
  }

  // MARK: Places

  /// How many rows come before a row that may or may not be here.
  func rank(of values: SortValues) -> Int {
    var node = root
    var rank = 0
    while !node.isLeaf {
      let child = childIndex(in: node, values)
      for sibling in node.children[..<child] { rank += sibling.rows }
      node = node.children[child]
    }
    return rank + position(in: node, values)
  }

  /// The child that a row belongs to: the last one that does not begin after it.
  private func childIndex(in node: Node, _ values: SortValues) -> Int {
    var low = 1
    var high = node.children.count
    while low < high {
      let middle = (low + high) / 2
      if let first = node.children[middle].first, order.compare(first.values, values) <= 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low - 1
  }

  private func position(in leaf: Node, _ values: SortValues) -> Int {
    var low = 0
    var high = leaf.entries.count
    while low < high {
      let middle = (low + high) / 2
      if order.compare(leaf.entries[middle].values, values) < 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// The leaf that holds a rank, the row in it, and how many sections begin before the leaf.
  ///
  /// - Parameter visit: called with every node on the way down.
  private func leaf(
    ofRank rank: Int, visit: (Node) -> Void = { _ in }
  ) -> (leaf: Node, row: Int, sections: Int) {
    var node = root
    var rest = rank
    var sections = 0
    visit(node)
    while !node.isLeaf {
      for child in node.children {
        if rest < child.rows {
          node = child
          break
        }
        rest -= child.rows
        sections += child.sections
      }
      visit(node)
    }
    return (node, rest, sections)
  }

  /// The row of a rank.
  func entry(at rank: Int) -> ResultEntry? {
    guard rank >= 0, rank < count else { return nil }
    let place = leaf(ofRank: rank)
    return place.leaf.entries[place.row]
  }

  /// The rank of the first row of a section; the number of rows for the section after the last.
  func start(ofSection section: Int) -> Int {
    guard section < sectionCount else { return count }
    var node = root
    var rest = section
    var rank = 0
    while !node.isLeaf {
      for child in node.children {
        if rest < child.sections {
          node = child
          break
        }
        rest -= child.sections
        rank += child.rows
      }
    }
    for (index, entry) in node.entries.enumerated() where entry.startsSection {
      if rest == 0 { return rank + index }
      rest -= 1
    }
    return count
  }

  /// The section that the row of a rank is in.
  func section(ofRank rank: Int) -> Int {
    let place = leaf(ofRank: rank)
    return place.sections + place.leaf.entries[...place.row].count { $0.startsSection } - 1
  }

  /// Section and row of a rank.
  func path(ofRank rank: Int) -> ResultPath {
    let section = section(ofRank: rank)
    return ResultPath(section: section, row: rank - start(ofSection: section))
  }

  // MARK: Changing

  /// Adds a row where it belongs.
  func insert(_ entry: ResultEntry) {
    let rank = rank(of: entry.values)
    let previous = self.entry(at: rank - 1)
    let next = self.entry(at: rank)
    entry.startsSection = previous?.section != entry.section
    if let split = insert(entry, into: root) {
      let node = Node()
      node.children = [root, split]
      node.recount()
      root = node
    }
    if let next { setStart(next.section != entry.section, next, rank: rank + 1) }
  }

  private func insert(_ entry: ResultEntry, into node: Node) -> Node? {
    node.rows += 1
    if entry.startsSection { node.sections += 1 }
    if node.isLeaf {
      node.entries.insert(entry, at: position(in: node, entry.values))
      guard node.entries.count > capacity else { return nil }
      let split = Node()
      split.entries = Array(node.entries[(node.entries.count / 2)...])
      node.entries.removeLast(split.entries.count)
      split.recount()
      node.recount()
      return split
    }
    let index = childIndex(in: node, entry.values)
    guard let child = insert(entry, into: node.children[index]) else { return nil }
    node.children.insert(child, at: index + 1)
    guard node.children.count > capacity else { return nil }
    let split = Node()
    split.children = Array(node.children[(node.children.count / 2)...])
    node.children.removeLast(split.children.count)
    split.recount()
    node.recount()
    return split
  }

  /// Takes a row out; false when it is not here.
  @discardableResult
  func remove(_ entry: ResultEntry) -> Bool {
    let rank = rank(of: entry.values)
    guard let found = self.entry(at: rank), found === entry else { return false }
    let previous = self.entry(at: rank - 1)
    let next = self.entry(at: rank + 1)
    remove(rank, entry.startsSection, from: root)
    if !root.isLeaf, root.children.count == 1 { root = root.children[0] }
    if let next { setStart(previous?.section != next.section, next, rank: rank) }
    return true
  }

  private func remove(_ rank: Int, _ startsSection: Bool, from node: Node) {
    node.rows -= 1
    if startsSection { node.sections -= 1 }
    if node.isLeaf {
      node.entries.remove(at: rank)
      return
    }
    var rest = rank
    for (index, child) in node.children.enumerated() {
      if rest < child.rows {
        remove(rest, startsSection, from: child)
        mend(index, in: node)
        return
      }
      rest -= child.rows
    }
  }

  /// Joins a child that has become small with a neighbour that has room.
  private func mend(_ index: Int, in node: Node) {
    func size(_ node: Node) -> Int { node.isLeaf ? node.entries.count : node.children.count }
    let child = node.children[index]
    guard size(child) < capacity / 4 else { return }
    if node.rows == 0 {
      node.children = []
      node.entries = []
      return
    }
    if child.rows == 0 {
      node.children.remove(at: index)
      return
    }
    for other in [index - 1, index + 1] where node.children.indices.contains(other) {
      let neighbour = node.children[other]
      guard size(child) + size(neighbour) <= capacity else { continue }
      let (left, right) = other < index ? (neighbour, child) : (child, neighbour)
      left.entries += right.entries
      left.children += right.children
      left.recount()
      node.children.remove(at: max(index, other))
      return
    }
  }

  private func setStart(_ startsSection: Bool, _ entry: ResultEntry, rank: Int) {
    guard entry.startsSection != startsSection else { return }
    entry.startsSection = startsSection
    _ = leaf(ofRank: rank) { $0.sections += startsSection ? 1 : -1 }
  }

  // MARK: Reading all

  /// All rows of some ranks, in order.
  func entries(in ranks: Range<Int>) -> [ResultEntry] {
    var result: [ResultEntry] = []
    result.reserveCapacity(ranks.count)
    func visit(_ node: Node, _ start: Int) {
      if start >= ranks.upperBound || start + node.rows <= ranks.lowerBound { return }
      if node.isLeaf {
        let low = max(ranks.lowerBound - start, 0)
        let high = min(ranks.upperBound - start, node.rows)
        result += node.entries[low..<high]
        return
      }
      var start = start
      for child in node.children {
        visit(child, start)
        start += child.rows
      }
    }
    visit(root, 0)
    return result
  }

  /// Checks every count, the order and the section marks.
  func checkInvariants() -> String? {
    func check(_ node: Node, isRoot: Bool) -> String? {
      let size = node.isLeaf ? node.entries.count : node.children.count
      if size > capacity { return "a node holds \(size) of \(capacity)" }
      if !isRoot, size == 0 { return "a node is empty" }
      let (rows, sections) = (node.rows, node.sections)
      for child in node.children { if let fault = check(child, isRoot: false) { return fault } }
      node.recount()
      return rows == node.rows && sections == node.sections
        ? nil : "counts \(rows)/\(sections) should be \(node.rows)/\(node.sections)"
    }
    if let fault = check(root, isRoot: true) { return fault }
    var previous: ResultEntry?
    for entry in entries(in: 0..<count) {
      if let previous, order.compare(previous.values, entry.values) >= 0 { return "out of order" }
      if entry.startsSection != (previous?.section != entry.section) { return "wrong section mark" }
      previous = entry
    }
    return nil
  }
}
