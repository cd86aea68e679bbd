/// Whether the sections that stay follow each other after a change as before it.
///
/// Sections with a row that did not change keep their order among each other, for such rows do. So only those are
/// looked at all of whose rows changed: they have as many of the sections that stay before them as before.
/// O(log n) for each changed row, whatever the number of sections.
struct SectionOrder {
  /// What changes did to a section.
  private struct Touched {
    /// A row of it before the change, and one after.
    var old, new: ResultRow?
    var (leaving, arriving) = (0, 0)
    /// How many rows it had.
    var count = 0
    /// Where it was, among all sections.
    var place: Int?

    /// Whether no row of it stayed as it was.
    var isNew: Bool { leaving == count }
  }

  /// By the numbers of the sections' names.
  private var touched: [Int: Touched] = [:]

  /// To be made before the change.
  init(_ results: LiveResults, leaving: [ResultRow], arriving: [ResultRow]) {
    for row in leaving {
      touched[row.entry.section, default: Touched()].old = row
      touched[row.entry.section]?.leaving += 1
    }
    for row in arriving {
      touched[row.entry.section, default: Touched()].new = row
      touched[row.entry.section]?.arriving += 1
    }
    for (number, section) in touched {
      touched[number]?.count = results.rowCount(ofSectionNumber: number)
      touched[number]?.place = Self.place(of: section.old, in: results)
    }
  }

  /// To be asked after the change, of rows that lie together by their sections.
  func isKept(in results: LiveResults) -> Bool {
    var (gone, come): ([Int], [Int]) = ([], [])
    var stayed: [(old: Int, new: Int)] = []
    for (number, section) in touched where section.isNew {
      let hasRows = results.rowCount(ofSectionNumber: number) > 0
      if section.count == 0, !hasRows { continue }
      let new = Self.place(of: section.new, in: results)
      switch (section.count > 0, hasRows) {
      case (true, true):
        guard let old = section.place, let new else { return false }
        stayed.append((old, new))
      case (true, false):
        guard let old = section.place else { return false }
        gone.append(old)
      default:
        guard let new else { return false }
        come.append(new)
      }
    }
    if stayed.isEmpty { return true }
    gone.sort()
    come.sort()
    return stayed.allSatisfy {
      $0.old - Self.count(below: $0.old, in: gone) == $0.new - Self.count(below: $0.new, in: come)
    }
  }

  private static func place(of row: ResultRow?, in results: LiveResults) -> Int? {
    row.flatMap { results.tree.position(ofKey: $0.entry.key, $0.entry.origin)?.section }
  }

  /// How many of ascending places are less than one.
  private static func count(below place: Int, in places: [Int]) -> Int {
    places.indices.partitioningIndex { places[$0] >= place }
  }
}
