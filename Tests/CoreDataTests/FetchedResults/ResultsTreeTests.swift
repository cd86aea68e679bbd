import FixtureSupport
import Foundation
import Testing

@testable import CoreData

@Suite("The tree of live results")
struct ResultsTreeTests {
  private func form(_ stack: SampleStack) throws -> (SortKeyForm, EntityLayout) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    let plan = try FetchPlan(request, in: stack.coordinator.layouts)
    return (SortKeyForm(plan.sorts), plan.layout)
  }

  @Test("agrees with a sorted array after random insertions and removals")
  func randomChanges() throws {
    let stack = try SampleStack()
    let (form, layout) = try form(stack)
    var random = SeededGenerator("ResultsTree")
    for round in 0..<9 {
      let tree = ResultsTree(form: form, leafCapacity: 4, branchCapacity: 4)
      var naive: [ResultRow] = []
      // Small keys, including negative ones of unsaved rows, and keys that do not fit into 32 bits.
      var key: Int64 = [0, -200, 1 << 32 - 200][round % 3]
      func makeRow(_ random: inout SeededGenerator) -> ResultRow {
        key += 1
        let age = Int64.random(in: -3..<300, using: &random)
        var bytes: [UInt8] = []
        form.append(.integer(age), 0, to: &bytes)
        return ResultRow(
          entry: ResultEntry(
            layout: layout, origin: .temporary, key: key, section: Int(age + 3) / 30, version: 0,
            object: nil),
          sortKey: bytes)
      }
      if round % 2 == 1 {
        naive = (0..<100).map { _ in makeRow(&random) }.sorted(by: form.isBefore)
        var builder = ResultsTree.Builder(tree)
        for row in naive { builder.append(row) }
        builder.finish()
        #expect(tree.checkInvariants() == nil, "seed \(random.seed), built")
      }
      for step in 0..<400 {
        let removes = naive.count > 150 || (step > 300 && Int.random(in: 0..<4, using: &random) > 0)
        if removes, let index = naive.indices.randomElement(using: &random) {
          let row = naive.remove(at: index)
          tree.remove(at: try #require(tree.location(ofKey: row.entry.key, .temporary)))
          #expect(tree.location(ofKey: row.entry.key, .temporary) == nil)
        } else {
          let row = makeRow(&random)
          tree.insert(row)
          naive.insert(row, at: naive.firstIndex { form.isBefore(row, $0) } ?? naive.count)
        }
        #expect(tree.checkInvariants() == nil, "seed \(random.seed), step \(step)")
        #expect(tree.entries(in: 0..<tree.count).map(\.key) == naive.map(\.entry.key))
        guard let rank = naive.indices.randomElement(using: &random) else { continue }
        #expect(tree.entry(at: rank)?.key == naive[rank].entry.key)
        let location = try #require(tree.location(ofKey: naive[rank].entry.key, .temporary))
        #expect(tree.rank(of: location) == rank)
        #expect(tree.row(at: location).sortKey == naive[rank].sortKey)
        let starts = naive.indices.filter {
          $0 == 0 || naive[$0].entry.section != naive[$0 - 1].entry.section
        }
        #expect(tree.sectionCount == starts.count)
        let section = starts.lastIndex { $0 <= rank } ?? 0
        #expect(tree.section(ofRank: rank) == section)
        #expect(tree.position(of: location).section == section)
        let entry = tree.entry(at: location)
        let found = tree.position(ofKey: entry.key, entry.origin)
        #expect(found?.rank == rank && found?.section == section)
        #expect(tree.start(ofSection: section) == starts[section])
      }
    }
  }

  /// Returns a tree of rows with these keys and ages, in one section.
  private func tree(_ rows: KeyValuePairs<Int64, Int64>, _ stack: SampleStack) throws -> ResultsTree
  {
    let (form, layout) = try form(stack)
    let tree = ResultsTree(form: form, leafCapacity: 4, branchCapacity: 4)
    var builder = ResultsTree.Builder(tree)
    for (key, age) in rows {
      builder.append(
        layout, .temporary, key: key, version: 0, section: 0, object: nil
      ) { form.append(.integer(age), 0, to: &$0) }
    }
    builder.finish()
    return tree
  }

  @Test("detects rows that are out of order, and does not move them")
  func wrongOrder() throws {
    let stack = try SampleStack()
    #expect(try tree([1: 10, 2: 20, 3: 20], stack).checkInvariants() == nil)
    let broken = try tree([1: 10, 2: 30, 3: 20], stack)
    for _ in 0..<2 { #expect(broken.checkInvariants() == "row 3 is out of order") }
    #expect(broken.entries(in: 0..<broken.count).map(\.key) == [1, 2, 3])
  }

  @Test("detects a row that starts a section the tree does not count")
  func wrongSection() throws {
    let stack = try SampleStack()
    let tree = try tree([1: 10, 2: 20], stack)
    let location = try #require(tree.location(ofKey: 2, .temporary))
    location.leaf.setStartsSection(location.index, true)
    for _ in 0..<2 {
      #expect(
        tree.checkInvariants() == "the tree counts 2 rows in 1 sections instead of 2 in 2")
    }
    location.leaf.setStartsSection(location.index, false)
    #expect(tree.checkInvariants() == nil)
  }

  @Test("detects two rows with the same key")
  func keyTwice() throws {
    let tree = try tree([1: 10, 1: 20], try SampleStack())
    #expect(tree.checkInvariants() == "row 1 is not found by its key")
  }

  @Test("has an index of rows that detects a row without a leaf")
  func wrongIndex() {
    var index = RowIndex()
    index.insert(7, at: RowIndex.Hint(leaf: 3, index: 1))
    #expect(index.checkInvariants() == nil)
    index.insert(8, at: RowIndex.Hint(leaf: -1, index: 1))
    #expect(index.checkInvariants()?.hasSuffix("refers to no leaf") == true)
  }

  @Test("a move finder finds as few moves as a comparison of all rows")
  func leastMoves() throws {
    var random = SeededGenerator("MoveFinder")
    for _ in 0..<500 {
      let count = Int.random(in: 1...14, using: &random)
      let changedRows = Set(
        (0..<count).shuffled(using: &random).prefix(Int.random(in: 0...count, using: &random)))
      // Unchanged rows keep their order; changed rows are placed anywhere.
      var new = (0..<count).filter { !changedRows.contains($0) }
      for row in changedRows.shuffled(using: &random) {
        new.insert(row, at: Int.random(in: 0...new.count, using: &random))
      }
      let changed = changedRows.sorted().map {
        MoveFinder.Changed(old: $0, new: new.firstIndex(of: $0) ?? 0)
      }
      let finder = MoveFinder(changed, count: count)
      let moves = finder.movedChanged.count { $0 } + finder.movedOthers.reduce(0) { $0 + $1.count }
      let naive = count - LongestIncreasingRun.indices(of: new.map { Int64($0) }).count
      #expect(moves == naive, "seed \(random.seed): \(new) changed \(changedRows.sorted())")
    }
  }
}
