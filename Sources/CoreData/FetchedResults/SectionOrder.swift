/// Finds out whether the remaining sections have the same order after a change as before it.
///
/// Sections with at least one unchanged row keep their order relative to each other, because their unchanged rows do.
/// So only sections whose rows all changed are checked: their order is kept if the same number of remaining sections
/// precedes each of them as before. O(log n) for each changed row, independent of the number of sections.
struct SectionOrder {
  /// The changes to one section.
  private struct Touched {
    /// A changed row that was in the section before the change, and one that is in it afterwards; nil if there is none.
    var old, new: ResultRow?
    var (leaving, arriving) = (0, 0)
    /// The number of rows before the change.
    var count = 0
    /// The index of the section before the change; nil if no changed row was in it.
    var place: Int?

    /// Whether all its rows changed.
    var isNew: Bool { leaving == count }
  }

  /// The changed sections, by the numbers of their names.
  private var touched: [Int: Touched] = [:]

  /// Records the changed sections. Call it before the change.
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

  /// Returns whether the remaining sections kept their order. Call it after the change. The rows of each section must
  /// be contiguous.
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
    let (others, newcomers) = (SortedPlaces(gone), SortedPlaces(come))
    return stayed.allSatisfy {
      $0.old - others.count(before: $0.old) == $0.new - newcomers.count(before: $0.new)
    }
  }

  private static func place(of row: ResultRow?, in results: LiveResults) -> Int? {
    row.flatMap { results.tree.position(ofKey: $0.entry.key, $0.entry.origin)?.section }
  }
}
