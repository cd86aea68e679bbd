import Foundation

/// The page of the results.
struct ResultsPage {
  let results: [Outcome]
  let growth: Growth
  let notes: String

  var text: String {
    """
    # Results

    Written by `scripts/benchmark` (release). What is measured and what it is held against run in turns; \
    the ratios are medians of those within a round, with the spread in which eight of ten lie (of fewer \
    than ten rounds, all). Times are the processor's, in nanoseconds for one item (a row, an object, a \
    change), but those of opening and of elapsed time, which are the clock's on the wall.

    \(Machine.description)

    \(Table(results.filter { $0.unit == "ns" }).markdown)
    ## Growth

    ![Nanoseconds for one object, by the number of objects](growth.svg)

    \(growth.text)
    ## Memory

    \(Table.markdown(["what", "bytes", "bar", ""], memory))
    ## Allocations

    Calls of `malloc` and its like for one item, the other threads' with them.

    \(Table.markdown(["what", "ours", "against", "calls", "best peer", "calls"], allocations))
    \(notes)
    """
  }

  private var memory: [[String]] {
    results.filter { $0.unit == "bytes" }.map { result in
      [
        result.name, Table.number(result.ours), Table.number(result.floor),
        result.met.map { $0 ? "met" : "NOT MET" } ?? "",
      ]
    }
  }

  private var allocations: [[String]] {
    results.filter { $0.allocationsPerRow != nil }.map { result in
      [
        result.name, Table.number(result.allocationsPerRow), result.floorName ?? "",
        Table.number(result.floorAllocationsPerRow), result.peerName ?? "",
        Table.number(result.peerAllocationsPerRow),
      ]
    }
  }
}
