import CoreData
import CoreDataTestSupport
import Testing

/// Sources: the discussions of `insertRows`, `deleteRows`, `moveRow` and `performBatchUpdates` in Apple's
/// UIKit documentation, "Batch Insertion, Deletion, and Reloading of Rows and Sections" in its Table View
/// Programming Guide, and messages of UIKit in public reports.
@Suite("A recording table")
struct RecordingTableTests {
  typealias Table = CoreDataTestSupport.RecordingTable<Int>

  /// Returns the first error of a table that shows the old lists of rows and, after its updates, should show the new
  /// ones.
  private func failure(
    _ old: [[Int]], _ new: [[Int]], _ body: (Table) -> Void
  ) -> String? {
    var content = old
    let table = Table(traps: false) {
      content.enumerated().map {
        Table.Section(name: "\($0.element.first ?? -1)", rows: $0.element)
      }
    }
    content = new
    table.beginUpdates()
    body(table)
    table.endUpdates()
    if table.violations.isEmpty { #expect(table.sections.map(\.rows) == new) }
    return table.violations.first
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath {
    IndexPath(row: row, section: section)
  }

  @Test("accepts deletions by old and insertions by new index paths, in any order")
  func valid() {
    let failure = failure([[1, 2, 3], [4]], [[1, 9, 3, 2], [7], [4, 8]]) { table in
      table.insertRows(at: [path(2, 1)], with: .fade)
      table.insertSections([1], with: .fade)
      table.deleteRows(at: [path(0, 1)], with: .fade)
      table.insertRows(at: [path(0, 3), path(0, 1)], with: .fade)
    }
    #expect(failure == nil)
  }

  @Test("accepts moves of rows and sections, and reloads by old index paths")
  func moves() {
    let failure = failure([[1, 2, 3], [4, 5], [6]], [[4, 3, 50], [6], [1, 2]]) { table in
      table.moveSection(1, toSection: 0)
      table.moveSection(2, toSection: 1)
      table.moveRow(at: path(0, 2), to: path(0, 1))
      table.reloadRows(at: [path(1, 1)], with: .none)
    }
    #expect(failure == nil)
    #expect(
      self.failure([[1, 2], [3]], [[1, 9, 8], [3]]) { $0.reloadSections([0], with: .none) } == nil)
  }

  @Test("reports a section whose number of rows disagrees with the updates")
  func counts() {
    #expect(
      failure([[1], [2], [3, 4]], [[1], [2], [3, 4, 5]]) {
        $0.reloadRows(at: [path(2, 0)], with: .fade)
      }
        == "Invalid update: invalid number of rows in section 2. The number of rows contained in an existing"
        + " section after the update (3) must be equal to the number of rows contained in that section before"
        + " the update (2), plus or minus the number of rows inserted or deleted from that section (0"
        + " inserted, 0 deleted) and plus or minus the number of rows moved into or out of that section (0"
        + " moved in, 0 moved out).")
    #expect(
      failure([[1]], [[1], [2]]) { _ in }
        == "Invalid update: invalid number of sections. The number of sections contained in the table view"
        + " after the update (2) must be equal to the number of sections contained in the table view before"
        + " the update (1), plus or minus the number of sections inserted or deleted (0 inserted, 0"
        + " deleted).")
  }

  @Test("rejects an index path that does not exist")
  func places() {
    #expect(
      failure([[1]], [[1]]) { $0.deleteRows(at: [path(0, 1)], with: .fade) }
        == "attempt to delete row 1 of section 0, which only contains 1 rows before the update")
    #expect(
      failure([[1]], [[1, 2]]) { $0.insertRows(at: [path(0, 2)], with: .fade) }
        == "attempt to insert row 2 of section 0, which only contains 2 rows after the update")
    #expect(
      failure([[1]], [[1]]) { $0.insertRows(at: [path(1, 0)], with: .fade) }
        == "attempt to insert row 0 of section 1, but there are only 1 sections after the update")
    #expect(
      failure([[1]], []) { $0.deleteSections([0, 1], with: .fade) }
        == "attempt to delete section 1, but there are only 1 sections before the update")
    #expect(
      failure([[1]], [[1]]) { $0.deleteRows(at: [IndexPath(index: 0)], with: .fade) }
        == "attempt to delete at 0, which is not a section and a row")
  }

  @Test(
    "rejects two updates of the same row or section, and moves and reloads in inserted or deleted sections"
  )
  func twice() {
    let two = [[1, 2], [3, 4]]
    #expect(
      failure(two, two) { $0.deleteRows(at: [path(0, 0), path(0, 0)], with: .fade) }
        == "attempt to delete row 0 of section 0 twice")
    #expect(
      failure(two, two) { table in
        table.deleteRows(at: [path(0, 0)], with: .fade)
        table.reloadRows(at: [path(0, 0)], with: .fade)
      } == "attempt to delete and reload the same row 0 of section 0")
    #expect(
      failure(two, two) { table in
        table.moveRow(at: path(0, 0), to: path(0, 1))
        table.reloadRows(at: [path(0, 0)], with: .fade)
      } == "attempt to reload and move the same row 0 of section 0")
    #expect(
      failure(two, two) { table in
        table.insertRows(at: [path(1, 1)], with: .fade)
        table.moveRow(at: path(0, 0), to: path(1, 1))
      } == "attempt to insert and move in the same row 1 of section 1")
    #expect(
      failure(two, [[3, 4, 1]]) { table in
        table.deleteSections([0], with: .fade)
        table.moveRow(at: path(0, 0), to: path(0, 2))
      } == "cannot move a row from a deleted section (0)")
    #expect(
      failure([[1, 2]], [[1], [2]]) { table in
        table.insertSections([1], with: .fade)
        table.moveRow(at: path(0, 1), to: path(1, 0))
      } == "cannot move a row into a newly inserted section (1)")
    #expect(
      failure(two, [[3, 4]]) { table in
        table.deleteSections([0], with: .fade)
        table.reloadRows(at: [path(0, 0)], with: .fade)
      } == "attempt to reload row 0 of section 0, which is deleted")
    #expect(
      failure(two, two) { table in
        table.moveSection(0, toSection: 1)
        table.deleteSections([0], with: .fade)
      } == "attempt to delete and move the same section 0")
  }

  @Test("reports rows that changed without an update")
  func content() {
    #expect(
      failure([[1, 2]], [[1, 3]]) { _ in }
        == "Invalid update: row 1 of section 0 shows what was row 1 of section 0, 2, but is 3 after the"
        + " update.")
    #expect(
      failure([[1], [2]], [[2], [1]]) { _ in }
        == "Invalid update: section 0 shows \"1\", but is \"2\" after the update; it was not reported"
        + " as changed.")
  }

  @Test("treats an update outside of a batch as a batch, and nested batches as one")
  func batches() {
    var content = [[1]]
    let table = Table(traps: false) { content.map { Table.Section(name: "", rows: $0) } }
    content = [[1, 2]]
    table.insertRows(at: [path(0, 1)], with: .fade)
    #expect(table.violations.isEmpty && table.calls == ["insertRows 0.1"])
    content = [[2, 3]]
    table.beginUpdates()
    table.insertRows(at: [path(0, 1)], with: .fade)
    table.beginUpdates()
    table.deleteRows(at: [path(0, 0)], with: .fade)
    table.endUpdates()
    table.endUpdates()
    #expect(table.violations.isEmpty && table.sections == [Table.Section(name: "", rows: [2, 3])])
    table.endUpdates()
    #expect(table.violations == ["endUpdates without beginUpdates"])
  }

  @Test func `keeps a row that is dragged to an invalid index path`() {
    let content = [[1, 2], [3]]
    let table = Table(traps: false) { content.map { Table.Section(name: "", rows: $0) } }
    // In its own section, a row can become at most the last one.
    let invalid = [path(0, 2), path(0, -1), path(1, 2), path(2, 0)]
    for destination in invalid { table.drag(from: path(0, 0), to: destination) }
    #expect(table.violations.count == invalid.count)
    #expect(table.sections.map(\.rows) == content)
    table.drag(from: path(0, 0), to: path(0, 1))
    table.drag(from: path(0, 1), to: path(1, 1))
    #expect(table.violations.count == invalid.count)
    #expect(table.sections.map(\.rows) == [[2], [3, 1]])
  }

  @Test("stops the program for an error by default")
  func traps() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var content = [[1]]
      let table = CoreDataTestSupport.RecordingTable<Int> {
        content.map { .init(name: "", rows: $0) }
      }
      content = [[1, 2]]
      table.beginUpdates()
      table.endUpdates()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("invalid number of rows in section 0"))
  }
}
