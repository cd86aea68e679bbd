import ObjectModel
import CoreData
import StoreInspection

extension CellValue {
  /// The value as a cell of a table, where nothing else separates a text from its surroundings.
  var inTable: String {
    guard case .text(let text) = self else { return readable }
    return text.inTable
  }
}

extension String {
  /// The text as a table has it: in quotes where it is empty, has blanks at an end, or begins with a quote itself.
  /// Backslashes stand before quotes inside quotes.
  var inTable: String {
    let isPlain =
      !(first?.isWhitespace ?? true) && !(last?.isWhitespace ?? true) && !hasPrefix("\"")
    return isPlain ? onOneLine : inQuotes
  }

  fileprivate var inQuotes: String {
    "\"" + onOneLine.replacing(scalar: "\\", with: "\\\\").replacing(scalar: "\"", with: "\\\"") + "\""
  }
}

extension String? {
  /// The name of a section as a table has it; nil is the section of rows without a value.
  var sectionInTable: String {
    guard let name = self else { return "(none)" }
    return name == "(none)" ? name.inQuotes : name.inTable
  }
}

extension NSFetchedResultsController where ResultType == NSManagedObject {
  /// The name of a section; nil where its rows have no value to name it by, which the controller names like an empty text.
  func sectionName(at index: Int) -> String? {
    guard let section = sections?[index] else { return nil }
    guard section.name.isEmpty, let key = sectionNameKeyPath, section.numberOfObjects > 0 else {
      return section.name
    }
    return object(at: IndexPath(row: 0, section: index)).value(forKeyPath: key) == nil ? nil : ""
  }
}
