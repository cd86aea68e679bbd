import CoreData
import StoreInspection

/// Lines of cells, aligned in columns.
enum TextColumns {
  /// Returns the lines with their cells aligned, two spaces apart. Widths are those on the screen; the last cell of a
  /// line is never padded, and nothing is truncated.
  static func aligned(_ rows: [[String]]) -> [String] {
    let rows = rows.map { $0.map(\.onOneLine) }
    var widths: [Int] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        // The last cell of a line does not determine the width of its column.
        if index < row.count - 1 { widths[index] = max(widths[index], DisplayWidth.of(cell)) }
      }
    }
    return rows.map { row in
      var line = ""
      for (index, cell) in row.enumerated() {
        line += cell
        guard index < row.count - 1 else { break }
        line += String(repeating: " ", count: widths[index] - DisplayWidth.of(cell))
        // A column that is empty in all rows needs no gap either.
        if widths[index] > 0 { line += "  " }
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
