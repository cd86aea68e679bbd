import FixtureSupport
import Foundation
import Testing

@testable import CoreData

@Suite("The tree of a live result")
struct ResultsTreeTests {
  private static let stack = try? SampleStack()

  private func order(_ stack: SampleStack) throws -> (RowOrder, EntityLayout) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
    request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
    let plan = try FetchPlan(request, in: stack.coordinator.layouts)
    return (RowOrder(sorts: plan.sorts), plan.layout)
  }

  @Test("agrees with a sorted array after random insertions and removals")
  func randomChanges() throws {
    let stack = try SampleStack()
    let (order, layout) = try order(stack)
    var random = SeededGenerator("ResultsTree")
    for round in 0..<20 {
      let tree = ResultsTree(order: order, capacity: 4)
      var naive: [ResultEntry] = []
      var key: Int64 = 0
      func makeEntry(_ random: inout SeededGenerator) -> ResultEntry {
        key += 1
        let age = Int64.random(in: 0..<30, using: &random)
        return ResultEntry(
          layout: layout, origin: .temporary,
          values: SortValues(values: [.integer(age)], key: key), section: Int(age / 3), version: 0,
          object: nil)
      }
      if round % 2 == 1 {
        naive = (0..<100).map { _ in makeEntry(&random) }
          .sorted { order.compare($0.values, $1.values) < 0 }
        tree.build(naive)
      }
      for step in 0..<400 {
        let removes = naive.count > 150 || (step > 300 && Int.random(in: 0..<4, using: &random) > 0)
        if removes, let index = naive.indices.randomElement(using: &random) {
          #expect(tree.remove(naive.remove(at: index)))
        } else {
          let entry = makeEntry(&random)
          tree.insert(entry)
          let index =
            naive.firstIndex { order.compare($0.values, entry.values) > 0 } ?? naive.count
          naive.insert(entry, at: index)
        }
        #expect(tree.checkInvariants() == nil, "seed \(random.seed), step \(step)")
        #expect(tree.count == naive.count)
        guard let rank = naive.indices.randomElement(using: &random) else { continue }
        #expect(tree.entry(at: rank) === naive[rank])
        #expect(tree.rank(of: naive[rank].values) == rank)
        let starts = naive.indices.filter {
          $0 == 0 || naive[$0].section != naive[$0 - 1].section
        }
        #expect(tree.sectionCount == starts.count)
        let section = starts.lastIndex { $0 <= rank } ?? 0
        #expect(
          tree.path(ofRank: rank) == ResultPath(section: section, row: rank - starts[section]))
        #expect(tree.start(ofSection: section) == starts[section])
      }
    }
  }

  @Test("finds the least moves, as comparing all rows does")
  func leastMoves() throws {
    var random = SeededGenerator("MoveFinder")
    for _ in 0..<500 {
      let count = Int.random(in: 1...14, using: &random)
      let changedRows = Set(
        (0..<count).shuffled(using: &random).prefix(Int.random(in: 0...count, using: &random)))
      // The others keep their order; the changed rows go anywhere.
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
