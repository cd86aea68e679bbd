import CoreData

/// Where the sections of a table begin, counted through all rows.
struct SectionStarts {
  /// The places of the sections' first rows, and behind the last one the number of rows.
  private var starts = [0]

  /// - Parameter sections: without any there is one, which is empty.
  init(_ sections: [any NSFetchedResultsSectionInfo] = []) {
    for section in sections { starts.append(total + section.numberOfObjects) }
    if sections.isEmpty { starts.append(0) }
  }

  /// How many rows there are.
  var total: Int { starts[starts.count - 1] }

  /// How many rows each section has.
  var counts: [Int] { zip(starts, starts.dropFirst()).map { $1 - $0 } }

  /// The place of a section's first row.
  subscript(section: Int) -> Int { starts[section] }

  /// The place of a row.
  func place(of path: IndexPath) -> Int { starts[path.section] + path.row }
}
