import Foundation

/// The rows of a live result in order, with their sections: a counted B+tree, with an index by key.
///
/// Every inner node knows how many rows are below each child and how many of them begin a section, so
/// the place of a row, the row at a place, insertion and removal cost O(log n). It holds keys and what
/// orders the rows, not their values: about 40 bytes a row.
final class ResultsTree {
  let form: SortKeyForm
  /// The most rows of a leaf and children of a branch.
  let capacity: Int
  var root: Node
  var kinds = RowKinds()
  var index = RowIndex()
  /// By number; nil for numbers that are free.
  var leaves: [Leaf?] = []
  var freeNumbers: [Int] = []
  var count = 0
  var sectionCount = 0

  /// - Parameter capacity: small in tests, so that few rows reach every split and merge.
  init(form: SortKeyForm, capacity: Int = 96) {
    self.form = form
    self.capacity = max(4, capacity)
    root = .leaf(Leaf(number: 0))
    leaves = [root.first]
  }

  func makeLeaf() -> Leaf {
    let leaf = Leaf(number: freeNumbers.popLast() ?? leaves.count)
    if leaf.number == leaves.count { leaves.append(leaf) } else { leaves[leaf.number] = leaf }
    return leaf
  }

  func free(_ leaf: Leaf) {
    leaves[leaf.number] = nil
    freeNumbers.append(leaf.number)
  }

  /// Where a row is; until the tree changes.
  struct Place {
    let leaf: Leaf
    let index: Int
  }

  // MARK: Places

  /// Where the row of an object is; nil for one that is no result.
  func place(ofKey key: Int64, _ origin: StoreOrigin) -> Place? {
    var found: Place?
    _ = index.leaf(of: key) { number in
      guard let leaf = leaves[number],
        let index = leaf.keys.indices.first(where: {
          leaf.keys[$0] == key && kinds[leaf.kind($0)].origin === origin
        })
      else { return false }
      found = Place(leaf: leaf, index: index)
      return true
    }
    return found
  }

  /// How many rows come before one.
  func rank(of place: Place) -> Int {
    var rank = place.index
    var child: AnyObject = place.leaf
    var parent = place.leaf.parent
    while let branch = parent {
      for count in branch.rowCounts[..<branch.index(of: child)] { rank += count }
      child = branch
      parent = branch.parent
    }
    return rank
  }

  /// The place of a rank, and how many sections begin before the leaf.
  func locate(_ rank: Int) -> (place: Place, sections: Int) {
    var node = root
    var rest = rank
    var sections = 0
    while case .branch(let branch) = node {
      var child = 0
      while child + 1 < branch.children.count, rest >= branch.rowCounts[child] {
        rest -= branch.rowCounts[child]
        sections += branch.sectionCounts[child]
        child += 1
      }
      node = branch.children[child]
    }
    return (Place(leaf: node.first, index: rest), sections)
  }

  /// The rank of the first row of a section; the number of rows for the section after the last.
  func start(ofSection section: Int) -> Int {
    guard section < sectionCount else { return count }
    var node = root
    var rest = section
    var rank = 0
    while case .branch(let branch) = node {
      var child = 0
      while child + 1 < branch.children.count, rest >= branch.sectionCounts[child] {
        rest -= branch.sectionCounts[child]
        rank += branch.rowCounts[child]
        child += 1
      }
      node = branch.children[child]
    }
    let leaf = node.first
    for index in leaf.keys.indices where leaf.startsSection(index) {
      if rest == 0 { return rank + index }
      rest -= 1
    }
    return count
  }

  /// The section that the row of a rank is in.
  func section(ofRank rank: Int) -> Int {
    let (place, sections) = locate(rank)
    return sections + (0...place.index).count(where: place.leaf.startsSection) - 1
  }

  /// Section and row of a rank.
  func path(ofRank rank: Int) -> ResultPath {
    let section = section(ofRank: rank)
    return ResultPath(section: section, row: rank - start(ofSection: section))
  }

  // MARK: Rows

  /// The row of a rank.
  func entry(at rank: Int) -> ResultEntry? {
    guard rank >= 0, rank < count else { return nil }
    return entry(locate(rank).place)
  }

  func entry(_ place: Place) -> ResultEntry {
    let leaf = place.leaf
    let kind = kinds[leaf.kind(place.index)]
    return ResultEntry(
      layout: kind.layout, origin: kind.origin, key: leaf.keys[place.index],
      section: kind.section, version: leaf.fields[place.index].version,
      object: leaf.objects.isEmpty ? nil : leaf.objects[place.index])
  }

  func row(_ place: Place) -> ResultRow {
    ResultRow(entry: entry(place), sortKey: place.leaf.withSortKey(place.index) { Array($0) })
  }

  /// Whether a row would stay where it is with another sort key.
  func isSamePlace(_ place: Place, _ sortKey: UnsafeBufferPointer<UInt8>) -> Bool {
    place.leaf.withSortKey(place.index) { $0.elementsEqual(sortKey) }
  }

  func setVersion(_ place: Place, _ version: Int32) {
    place.leaf.fields[place.index].version = version
  }

  /// Gives the rows of some ranks, in order.
  func forEachPlace(in ranks: Range<Int>, _ body: (Place) throws -> Void) rethrows {
    var rank = ranks.lowerBound
    while rank < ranks.upperBound {
      let place = locate(rank).place
      let end = min(place.leaf.count, place.index + ranks.upperBound - rank)
      for index in place.index..<end { try body(Place(leaf: place.leaf, index: index)) }
      rank += end - place.index
    }
  }

  func entries(in ranks: Range<Int>) -> [ResultEntry] {
    var result: [ResultEntry] = []
    result.reserveCapacity(ranks.count)
    forEachPlace(in: ranks) { result.append(entry($0)) }
    return result
  }
}
