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

  @Test func `Columns that fit keep their width`() {
    #expect(TableLayout([text(10), number(5)], available: 17).widths == [10, 5])
  }

  @Test func `Missing space is taken from the text column`() {
    #expect(TableLayout([text(10), number(5)], available: 16).widths == [9, 5])
  }

  @Test func `The first column is shown however narrow the terminal is`() {
    #expect(TableLayout([text(30), text(30)], available: 5).widths == [5])
    #expect(TableLayout([number(30)], available: 5).widths == [30])
  }

  @Test func `A layout without a width or without columns is valid`() {
    #expect(TableLayout([], available: 80).widths == [])
    #expect(TableLayout([text(100), number(100)], available: nil).widths == [60, 100])
  }

  @Test func `Random columns fit, unless only the first column is left`() {
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
