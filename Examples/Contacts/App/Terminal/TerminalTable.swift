import CoreData
import Foundation

/// The content of a table.
protocol TerminalTableDataSource: AnyObject {
  func numberOfSections(in table: TerminalTable) -> Int
  func tableView(_ table: TerminalTable, numberOfRowsInSection section: Int) -> Int
  func tableView(_ table: TerminalTable, titleForHeaderInSection section: Int) -> String?
  func tableView(_ table: TerminalTable, textForRowAt indexPath: IndexPath) -> String
}

/// A table in the terminal, with the methods of `UITableView` that a delegate of a fetched results controller calls. It
/// prints numbered rows, and marks those that have changed.
final class TerminalTable {
  weak var dataSource: (any TerminalTableDataSource)?
  private let print: (String) -> Void
  private var marks: [IndexPath: String] = [:]
  private var deletedRows = 0

  init(print: @escaping (String) -> Void) { self.print = print }

  // MARK: Methods that a delegate calls

  func beginUpdates() {
    marks = [:]
    deletedRows = 0
  }

  func insertSections(_ sections: IndexSet) {}
  func deleteSections(_ sections: IndexSet) {}

  func insertRows(at indexPaths: [IndexPath]) {
    for path in indexPaths { marks[path] = "+" }
  }

  func deleteRows(at indexPaths: [IndexPath]) { deletedRows += indexPaths.count }

  /// Marks a row whose content changed without a move.
  func configureRow(at indexPath: IndexPath) { marks[indexPath] = "*" }

  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) { marks[newIndexPath] = ">" }

  func endUpdates() {
    reloadData()
    if deletedRows > 0 { print("  (\(deletedRows) deleted)") }
    marks = [:]
  }

  // MARK: Rows

  func reloadData() {
    guard let dataSource else { return }
    var number = 0
    for section in 0..<dataSource.numberOfSections(in: self) {
      if let title = dataSource.tableView(self, titleForHeaderInSection: section) {
        print("-- \(title)")
      }
      for row in 0..<dataSource.tableView(self, numberOfRowsInSection: section) {
        number += 1
        let path = IndexPath(row: row, section: section)
        let mark = marks[path] ?? " "
        let place = String(repeating: " ", count: max(0, 4 - "\(number)".count)) + "\(number)"
        print("\(mark)\(place)  \(dataSource.tableView(self, textForRowAt: path))")
      }
    }
    if number == 0 { print("  (empty)") }
  }

  /// The index path of a row by its printed number, which counts from 1.
  func indexPath(ofNumber number: Int) -> IndexPath? {
    guard let dataSource, number > 0 else { return nil }
    var rest = number - 1
    for section in 0..<dataSource.numberOfSections(in: self) {
      let rows = dataSource.tableView(self, numberOfRowsInSection: section)
      if rest < rows { return IndexPath(row: rest, section: section) }
      rest -= rows
    }
    return nil
  }
}
