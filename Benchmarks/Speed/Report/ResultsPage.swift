import Foundation

/// The page RESULTS.md.
struct ResultsPage {
  let figure: Figure
  let results: [Outcome]
  let growth: Growth
  let notes: String

  var text: String {
    """
    # Results

    Written by `scripts/benchmark` (release). The contestants of a row run in turns. A ratio is the median of the \
    ratios within a round; its spread contains eight of ten rounds, or all rounds if they are fewer than ten. Times \
    are processor time in nanoseconds for one item (a row, an object, a change), except in rows of opening and of \
    elapsed time, which measure elapsed time.

    \(Machine.description)

    \(figure.markdown)

    \(Table(results.filter { $0.unit == "ns" }).markdown)
    ## Growth

    ![Nanoseconds for one object, by the number of objects](growth.svg)

    \(growth.text)
    ## Memory

    \(Table.markdown(["what", "bytes", "bar", ""], memory))
    ## Allocations

    Calls of `malloc` and similar functions for one item, on all threads.

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
