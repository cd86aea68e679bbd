import StoreInspection

/// Writes rows as a table that fits the terminal.
///
/// The widths are settled by the first rows (``sampleSize``), so a result of any length is written
/// with little memory. A later text that is too long is cut; a later number is not, and sticks out.
struct TableRenderer: RowWriter {
  /// How many rows settle the widths of the columns.
  static let sampleSize = 1_000

  private enum Line {
    case section(name: String, count: Int)
    case row([CellValue])
  }

  private let width: Int?
  private let countsRows: Bool
  private let output: (String) -> Void
  private var titles: [String] = []
  private var waiting: [Line] = []
  private var layout: TableLayout?
  private var alignsRight: [Bool] = []
  private var rowCount = 0
  private var sectionCount = 0

  /// A table for a terminal of `width` columns, without a limit where that is nil. Each call of
  /// `output` is one line with its end.
  ///
  /// - Parameter countsRows: whether the table ends with the number of its rows.
  init(width: Int?, countsRows: Bool = true, output: @escaping (String) -> Void) {
    self.width = width
    self.countsRows = countsRows
    self.output = output
  }

  mutating func begin(columns: [String], sectioned: Bool) {
    titles = columns
  }

  mutating func section(_ name: String, count: Int) {
    sectionCount += 1
    write(.section(name: name, count: count))
  }

  mutating func row(_ values: [CellValue]) {
    rowCount += 1
    write(.row(values))
  }

  mutating func end() {
    if layout == nil, rowCount > 0 { settle() }
    guard countsRows else { return noteColumnsLeftOut() }
    if rowCount > 0 { output("\n") }
    let sections =
      sectionCount > 0 ? " in \(CountText.counted(sectionCount, "section"))" : ""
    let count = CountText.rows(rowCount)
    output(rowCount == 0 ? "No rows\n" : "\(count)\(sections)\n")
    noteColumnsLeftOut()
  }

  private func noteColumnsLeftOut() {
    let left = titles.dropFirst(layout?.widths.count ?? titles.count)
    if !left.isEmpty {
      let names = left.joined(separator: ", ")
      output("\(CountText.counted(left.count, "column")) left out: \(names)\n")
      output("Choose with --columns, or widen the terminal.\n")
    }
  }

  private mutating func write(_ line: Line) {
    if let layout {
      print(line, layout)
      return
    }
    waiting.append(line)
    if waiting.count >= Self.sampleSize { settle() }
  }

  /// Fixes the widths by the rows so far and prints those.
  private mutating func settle() {
    var columns = titles.map { TableLayout.Column(natural: DisplayWidth.of($0), mayShrink: false) }
    alignsRight = titles.map { _ in true }
    var hasValue = titles.map { _ in false }
    for case .row(let values) in waiting {
      for (index, value) in values.enumerated() where value != .null {
        columns[index].natural = max(columns[index].natural, DisplayWidth.of(value.readable))
        columns[index].mayShrink = columns[index].mayShrink || value.mayBeCut
        alignsRight[index] = alignsRight[index] && value.isNumber
        hasValue[index] = true
      }
    }
    for index in titles.indices where !hasValue[index] {
      alignsRight[index] = false
    }
    let layout = TableLayout(columns, available: width)
    self.layout = layout
    printLine(zip(titles, layout.widths).map { DisplayWidth.cut($0, to: $1) }, layout)
    output(layout.widths.map { String(repeating: "─", count: $0) }.joined(separator: gap) + "\n")
    let lines = waiting
    waiting = []
    for line in lines { print(line, layout) }
  }

  private var gap: String { String(repeating: " ", count: TableLayout.gap) }

  private func print(_ line: Line, _ layout: TableLayout) {
    switch line {
    case .section(let name, let count):
      let name = name.isEmpty ? "(none)" : name.onOneLine
      output("\n▸ \(name) · \(CountText.rows(count))\n")
    case .row(let values):
      let cells = zip(values, layout.widths).map { value, width in
        value.mayBeCut ? DisplayWidth.cut(value.readable, to: width) : value.readable
      }
      printLine(cells, layout)
    }
  }

  private func printLine(_ cells: [String], _ layout: TableLayout) {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let padding = String(
        repeating: " ", count: max(0, layout.widths[index] - DisplayWidth.of(cell)))
      line += alignsRight[index] ? padding + cell : cell + padding
      if index < cells.count - 1 { line += gap }
    }
    // What is only padding at the end of a line makes copied text ragged.
    while line.last == " " { line.removeLast() }
    output(line + "\n")
  }
}
