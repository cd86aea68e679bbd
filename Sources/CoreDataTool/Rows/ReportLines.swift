import CoreData
import StoreInspection

/// Formats reports of changes in all output formats.
struct ReportLines {
  var number = 0
  let columns: [ResultColumn]
  let isSectioned: Bool
  /// For CSV: whether to quote text that a spreadsheet would run as a formula.
  let quotesFormulas: Bool
  /// Counts the values that cannot be read.
  let unreadable = UnreadableValues()

  /// Prints a report: what changed, and, except in CSV, the current number of rows.
  func print(
    _ changes: [ResultChange], rows: Int, as format: OutputFormat,
    in context: NSManagedObjectContext, to output: (String) -> Void
  ) throws {
    if format == .table { output("\n\(summary(of: changes)) · \(CountText.rows(rows))\n") }
    // Print in chunks, because values are read for many rows with one request.
    for start in stride(from: 0, to: changes.count, by: RowPrinter.chunkSize) {
      let part = changes[start..<min(start + RowPrinter.chunkSize, changes.count)]
      // The values of a deleted row are no longer in the store.
      let present = part.filter { $0.kind != .delete }.compactMap(\.object)
      let values = try columns.map { try $0.values(for: present, in: context, format.extent) }
      unreadable.note(values, columns, of: present)
      var place = 0
      for change in part {
        var row: [CellValue]?
        if change.object != nil, change.kind != .delete {
          row = values.map { $0[place] }
          place += 1
        }
        let line =
          switch format {
          case .table: formatted(change, row)
          case .json: json(change, row)
          case .csv: csv(change, row)
          }
        output(line)
      }
    }
    if format == .json { output("{\"@report\":\(number),\"@rows\":\(rows)}\n") }
  }

  // MARK: Text for people

  private func summary(of changes: [ResultChange]) -> String {
    let kinds: [(NSFetchedResultsChangeType, String)] = [
      (.delete, "deleted"), (.insert, "inserted"), (.move, "moved"), (.update, "updated"),
    ]
    let parts = kinds.compactMap { kind, text in
      let count = changes.count { $0.kind == kind && $0.object != nil }
      return count == 0 ? nil : "\(CellValue.count(count).formatted) \(text)"
    }
    return "report \(number): " + (parts.isEmpty ? "sections" : parts.joined(separator: ", "))
  }

  private func formatted(_ change: ResultChange, _ row: [CellValue]?) -> String {
    var line = Self.sign(change.kind) + " "
    if change.object == nil {
      line += "section \(place(change.to ?? change.from)) "
      line += (change.section?.text).sectionInTable
      return line + "\n"
    }
    if change.kind == .move { line += "\(place(change.from)) → " }
    line += place(change.to ?? change.from)
    if let row {
      let cells = zip(columns, row).filter { $1 != .null }.map { "\($0.title)=\($1.inTable)" }
      line += "  " + cells.joined(separator: "  ")
    } else if let object = change.object {
      line += "  " + CellValue.row(object.objectID).formatted
    }
    return line + "\n"
  }

  private static func sign(_ kind: NSFetchedResultsChangeType) -> String {
    switch kind {
    case .insert: "+"
    case .delete: "-"
    case .move: ">"
    case .update: "~"
    }
  }

  private func place(_ path: [Int]?) -> String {
    guard let path else { return "" }
    return (isSectioned || path.count == 1 ? path : Array(path.dropFirst()))
      .map(String.init).joined(separator: ".")
  }

  // MARK: Output for programs

  private static func name(_ change: ResultChange) -> String {
    change.object == nil ? "\(change.kind) section" : "\(change.kind)"
  }

  private func json(_ change: ResultChange, _ row: [CellValue]?) -> String {
    var fields = ["\"@report\":\(number)", "\"@change\":\"\(Self.name(change))\""]
    func add(_ key: String, _ path: [Int]?) {
      if let path { fields.append("\"\(key)\":[\(path.map(String.init).joined(separator: ","))]") }
    }
    add("@from", change.from)
    add("@to", change.to)
    if isSectioned, let section = change.section {
      let name = section.text.map(JSONText.quoted) ?? "null"
      fields.append("\(JSONText.quoted(sectionColumnName)):\(name)")
    }
    if let row {
      for (column, value) in zip(columns, row) {
        fields.append("\(JSONText.quoted(column.title)):\(JSONWriter.text(of: value))")
      }
    } else if let object = change.object {
      let id = JSONWriter.text(of: .row(object.objectID))
      fields.append("\(JSONText.quoted(ResultColumn.objectIDTitle)):\(id)")
    }
    return "{" + fields.joined(separator: ",") + "}\n"
  }

  private func csv(_ change: ResultChange, _ row: [CellValue]?) -> String {
    func text(_ path: [Int]?) -> String {
      (path ?? []).map(String.init).joined(separator: ".")
    }
    var fields = ["\(number)", Self.name(change), text(change.from), text(change.to)]
    if isSectioned {
      let name = change.section?.text
      fields.append(name.map { CSVWriter.field($0, quotesFormulas: quotesFormulas) } ?? "")
    }
    if let row {
      fields += row.map { CSVWriter.text(of: $0, quotesFormulas: quotesFormulas) }
    } else {
      fields += columns.map { column in
        guard column.end == .objectID, column.hops.isEmpty, let object = change.object else {
          return ""
        }
        return CSVWriter.text(of: .row(object.objectID), quotesFormulas: quotesFormulas)
      }
    }
    return fields.joined(separator: ",") + "\r\n"
  }

  /// Returns a writer that writes the initial rows as those of report 0, and then their number.
  static func firstJSON(_ output: @escaping (String) -> Void) -> any RowWriter {
    // Replaces the brace at the beginning of each line. A field follows the comma, because a row has at least one
    // column.
    FirstRows(writer: JSONWriter { output("{\"@report\":0," + $0.dropFirst()) }) {
      output("{\"@report\":0,\"@rows\":\($0)}\n")
    }
  }

  /// Returns a writer that writes the initial rows as those of report 0.
  static func firstCSV(
    quotesFormulas: Bool, _ output: @escaping (String) -> Void
  ) -> any RowWriter {
    let titles = ["@report", "@change", "@from", "@to"]
      .map { CSVWriter.field($0, quotesFormulas: quotesFormulas) + "," }.joined()
    var isHeader = true
    return CSVWriter(quotesFormulas: quotesFormulas) {
      // The initial rows have no change and no positions.
      output((isHeader ? titles : "0,,,,") + $0)
      isHeader = false
    }
  }
}

/// Counts the rows that it passes on to another writer.
private struct FirstRows: RowWriter {
  var writer: any RowWriter
  var count = 0
  let didEnd: (Int) -> Void

  mutating func begin(columns: [String], sectioned: Bool) {
    writer.begin(columns: columns, sectioned: sectioned)
  }

  mutating func section(_ name: String?, count: Int) { writer.section(name, count: count) }

  mutating func row(_ values: [CellValue]) {
    count += 1
    writer.row(values)
  }

  mutating func end() {
    writer.end()
    didEnd(count)
  }
}
