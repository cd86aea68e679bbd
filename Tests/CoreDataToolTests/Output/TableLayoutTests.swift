import FixtureSupport
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct TableLayoutTests {
  private func text(_ natural: Int) -> TableLayout.Column {
    .init(natural: natural, mayShrink: true)
  }
  private func number(_ natural: Int) -> TableLayout.Column {
    .init(natural: natural, mayShrink: false)
  }

  @Test func `What fits is left as it is`() {
    #expect(TableLayout([text(10), number(5)], available: 17).widths == [10, 5])
  }

  @Test func `One column too many for one cell takes it from the text`() {
    #expect(TableLayout([text(10), number(5)], available: 16).widths == [9, 5])
  }

  @Test func `The first column is shown however narrow the terminal`() {
    #expect(TableLayout([text(30), text(30)], available: 5).widths == [5])
    #expect(TableLayout([number(30)], available: 5).widths == [30])
  }

  @Test func `No width and no columns are fine`() {
    #expect(TableLayout([], available: 80).widths == [])
    #expect(TableLayout([text(100), number(100)], available: nil).widths == [60, 100])
  }

  @Test func `The layout of random columns fits, unless only the first is left`() {
    var generator = SeededGenerator("layout of tables")
    for _ in 0..<2_000 {
      let columns = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        TableLayout.Column(
          natural: Int.random(in: 1...40, using: &generator),
          mayShrink: Bool.random(using: &generator))
      }
      let available = Int.random(in: 1...200, using: &generator)
      let widths = TableLayout(columns, available: available).widths
      let total = widths.reduce(0, +) + 2 * (widths.count - 1)
      #expect(total <= available || widths.count == 1, "\(columns) in \(available)")
      #expect(zip(widths, columns).allSatisfy { $0 > 0 && $0 <= $1.natural })
    }
  }
}
