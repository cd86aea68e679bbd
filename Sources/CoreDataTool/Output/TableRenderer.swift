import CoreData
import StoreInspection

/// Writes rows as a table that fits the terminal.
///
/// The first rows (``sampleSize``) determine the widths, so a result of any length needs little memory. A later text
/// that is too long is truncated. A later number or row ID is not: the cells after it give up their padding, and its
/// column is wider from that row on.
///
/// A missing value is blank. An empty string is `""`, and a string that begins with a quote, or begins or ends with
/// whitespace, is quoted, so that all of them can be distinguished.
struct TableRenderer: RowWriter {
  /// How many rows and section headings are collected before the widths of the columns are determined.
  static let sampleSize = 1_000

  private enum Line {
    case section(name: String?, count: Int)
    case row([CellValue])
  }

  private let width: Int?
  private let countsRows: Bool
  private let output: (String) -> Void
  private var titles: [String] = []
  private var waiting: [Line] = []
  private var widths: [Int]?
  private var alignsRight: [Bool] = []
  private var rowCount = 0
  private var sectionCount = 0

  /// Makes a table for a terminal of `width` columns; nil for no limit. Each call to `output` receives one line with
  /// its line break.
  ///
  /// - Parameter countsRows: Whether the table ends with the number of its rows.
  init(width: Int?, countsRows: Bool = true, output: @escaping (String) -> Void) {
    self.width = width
    self.countsRows = countsRows
    self.output = output
  }

  mutating func begin(columns: [String], sectioned: Bool) {
    titles = columns
  }

  mutating func section(_ name: String?, count: Int) {
    sectionCount += 1
    write(.section(name: name, count: count))
  }

  mutating func row(_ values: [CellValue]) {
    rowCount += 1
    write(.row(values))
  }

  mutating func end() {
    // With fewer rows than the sample size, the widths are not determined yet.
    if widths == nil, rowCount > 0 { settle() }
    if countsRows {
      let sections = sectionCount > 0 ? " in \(CountText.counted(sectionCount, "section"))" : ""
      if rowCount > 0 { output("\n") }
      output(rowCount == 0 ? "No rows\n" : "\(CountText.rows(rowCount))\(sections)\n")
    }
    let left = titles.dropFirst(widths?.count ?? titles.count)
    if !left.isEmpty {
      let names = left.joined(separator: ", ")
      output("\(CountText.counted(left.count, "column")) left out: \(names)\n")
      output("Use --columns to choose columns, or widen the terminal.\n")
    }
  }

  private mutating func write(_ line: Line) {
    if widths != nil { return print(line) }
    waiting.append(line)
    if waiting.count >= Self.sampleSize { settle() }
  }

  /// Determines the widths from the rows so far, and prints these rows.
  private mutating func settle() {
    var columns = titles.map { TableLayout.Column(natural: DisplayWidth.of($0), mayShrink: false) }
    alignsRight = titles.map { _ in true }
    var hasValue = titles.map { _ in false }
    for case .row(let values) in waiting {
      for (index, value) in values.enumerated() where value != .null {
        columns[index].natural = max(columns[index].natural, DisplayWidth.of(value.inTable))
        // A column with any text may shrink. Numbers and IDs in it are not cut, whatever its width is.
        columns[index].mayShrink = columns[index].mayShrink || value.mayBeCut
        alignsRight[index] = alignsRight[index] && value.isNumber
        hasValue[index] = true
      }
    }
    for index in titles.indices where !hasValue[index] {
      alignsRight[index] = false
    }
    let widths = TableLayout(columns, available: width).widths
    self.widths = widths
    printLine(zip(titles, widths).map { DisplayWidth.cut($0, to: $1) }, widths)
    output(widths.map { String(repeating: "─", count: $0) }.joined(separator: gap) + "\n")
    let lines = waiting
    waiting = []
    for line in lines { print(line) }
  }

  private var gap: String { String(repeating: " ", count: TableLayout.gap) }

  private mutating func print(_ line: Line) {
    guard let widths else { return }
    switch line {
    case .section(let name, let count):
      output("\n▸ \(name.sectionInTable) · \(CountText.rows(count))\n")
    case .row(let values):
      let cells = zip(values, widths).map { value, width in
        value.mayBeCut ? DisplayWidth.cut(value.inTable, to: width) : value.inTable
      }
      printLine(cells, widths)
      // Numbers are not cut: after one that is too wide, its column stays wider.
      self.widths = zip(cells, widths).map { max(DisplayWidth.of($0), $1) }
    }
  }

  private func printLine(_ cells: [String], _ widths: [Int]) {
    var line = ""
    // How far the cells so far extend beyond their columns.
    var excess = 0
    for (index, cell) in cells.enumerated() {
      let room = widths[index] - DisplayWidth.of(cell) - excess
      excess = max(0, -room)
      let padding = String(repeating: " ", count: max(0, room))
      line += alignsRight[index] ? padding + cell : cell + padding
      if index < cells.count - 1 { line += gap }
    }
    // Trailing padding would make copied text ragged.
    while line.last == " " { line.removeLast() }
    output(line + "\n")
  }
}
