import CoreData
import StoreInspection

extension CellValue {
  /// The value as a cell of a table. A string is quoted where its end would otherwise be unclear.
  var inTable: String {
    guard case .text(let text) = self else { return formatted }
    return text.inTable
  }
}

extension String {
  /// The text for a table: quoted if it is empty, begins or ends with whitespace, or begins with a quote. Inside
  /// quotes, a backslash precedes quotes and backslashes.
  var inTable: String {
    let isPlain =
      !(first?.isWhitespace ?? true) && !(last?.isWhitespace ?? true) && !hasPrefix("\"")
    return isPlain ? onOneLine : inQuotes
  }

  fileprivate var inQuotes: String {
    "\"" + onOneLine.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "\"", with: "\\\"")
      + "\""
  }
}

extension String? {
  /// The name of a section for a table; nil is the section of rows without a value.
  var sectionInTable: String {
    guard let name = self else { return "(none)" }
    // Without the quotes, this section would look like that of rows without a value.
    return name == "(none)" ? name.inQuotes : name.inTable
  }
}

/// A section in the output: a section of a fetched results controller, or a part of one.
struct SectionPart: Equatable {
  /// The section's name; nil if its rows have no value for the section key.
  let name: String?
  /// The indexes of its rows in the controller's section.
  let rows: Range<Int>

  /// The indexes of the rows, split into the chunks in which they are printed.
  var chunks: [Range<Int>] {
    stride(from: rows.lowerBound, to: rows.upperBound, by: RowPrinter.chunkSize).map {
      $0..<min($0 + RowPrinter.chunkSize, rows.upperBound)
    }
  }
}

extension NSFetchedResultsController where ResultType == NSManagedObject {
  /// Returns the parts of a section that have different names. The controller puts rows without a value and rows with
  /// an empty string into one section with the name ""; rows are ordered by the section's key, so each part is a range.
  func parts(ofSection index: Int) -> [SectionPart] {
    guard let section = sections?[index] else { return [] }
    let count = section.numberOfObjects
    guard section.name.isEmpty, let key = sectionNameKeyPath, count > 0 else {
      return [SectionPart(name: section.name, rows: 0..<count)]
    }
    func name(_ row: Int) -> String? {
      object(at: IndexPath(row: row, section: index)).sectionName(section.name, by: key)
    }
    let first = name(0)
    let end = (1..<count).partitioningIndex { name($0) != first }
    let part = SectionPart(name: first, rows: 0..<end)
    return end == count ? [part] : [part, SectionPart(name: name(end), rows: end..<count)]
  }

  /// Returns the name of a section; nil if its rows have no value for the section key (the controller's name for such a
  /// section is "").
  func sectionName(at index: Int) -> String? {
    guard let section = sections?[index] else { return nil }
    guard section.name.isEmpty, section.numberOfObjects > 0 else { return section.name }
    return object(at: IndexPath(row: 0, section: index))
      .sectionName(section.name, by: sectionNameKeyPath)
  }
}

extension NSManagedObject {
  /// Returns the name of the row's section; nil if the row has no value for the section key.
  ///
  /// - Parameters:
  ///   - name: The controller's name of the section.
  ///   - key: The key path of the section's name; nil if the rows are not in sections.
  func sectionName(_ name: String, by key: String?) -> String? {
    guard name.isEmpty, let key else { return name }
    return value(forKeyPath: key) == nil ? nil : ""
  }
}
