import CoreData

/// The beginnings of a table's sections, as positions among all rows.
struct SectionStarts {
  /// The positions of the sections' first rows, followed by the number of rows.
  private var starts = [0]

  /// - Parameter sections: The sections in their order. Without any, the table has one empty section.
  init(_ sections: [any NSFetchedResultsSectionInfo] = []) {
    for section in sections { starts.append(total + section.numberOfObjects) }
    if sections.isEmpty { starts.append(0) }
  }

  /// The number of rows.
  var total: Int { starts[starts.count - 1] }

  /// The number of rows in each section.
  var counts: [Int] { zip(starts, starts.dropFirst()).map { $1 - $0 } }

  /// The position of a section's first row.
  subscript(section: Int) -> Int { starts[section] }

  /// Returns the position of a row.
  func place(of path: IndexPath) -> Int { starts[path.section] + path.row }
}
