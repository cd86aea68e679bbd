import CoreData

// The rules of a table view's batch updates, with messages worded like a table view's.

extension TableUpdates {
  /// Returns why a table view would not accept a batch; nil if the batch is valid. Does not trap, so that tests can
  /// examine the message.
  ///
  /// - Parameters:
  ///   - old: The numbers of rows in the sections before the update.
  ///   - new: The numbers of rows in the sections after the update.
  func problem(from old: [Int], to new: [Int]) -> String? {
    sectionProblem(old.count, new.count) ?? rowProblem(old, new) ?? countProblem(old, new)
  }

  /// Checks the changes to one list: each index must exist, and may be changed only once.
  ///
  /// - Parameter outside: Returns what is wrong with an index that does not exist; nil for an index
  ///   that exists.
  private static func problem<Place: Hashable>(
    _ named: [(Place, String)], text: (Place) -> String, outside: (Place, String) -> String?
  ) -> String? {
    var seen: [Place: String] = [:]
    for (place, what) in named {
      if let problem = outside(place, what) { return problem }
      guard let earlier = seen.updateValue(what, forKey: place) else { continue }
      return earlier == what
        ? "attempt to \(what) \(text(place)) twice"
        : "attempt to \(earlier) and \(what) the same \(text(place))"
    }
    return nil
  }

  private func sectionProblem(_ old: Int, _ new: Int) -> String? {
    func problem(_ named: [(Int, String)], _ count: Int, _ when: String) -> String? {
      Self.problem(named, text: { "section \($0)" }) { section, what in
        (0..<count).contains(section)
          ? nil
          : "attempt to \(what) section \(section), but there are only \(count) sections \(when) the"
            + " update"
      }
    }
    let leaving =
      deletedSections.map { ($0, "delete") } + reloadedSections.map { ($0.old, "reload") }
      + movedSections.map { ($0.old, "move") }
    let arriving =
      insertedSections.map { ($0, "insert") } + movedSections.map { ($0.new, "move in") }
    if let problem = problem(leaving, old, "before") ?? problem(arriving, new, "after") {
      return problem
    }
    let expected = old - deletedSections.count + insertedSections.count
    if new == expected { return nil }
    return
      "Invalid update: invalid number of sections. The number of sections contained in the table view"
      + " after the update (\(new)) must be equal to the number of sections contained in the table view"
      + " before the update (\(old)), plus or minus the number of sections inserted or deleted"
      + " (\(insertedSections.count) inserted, \(deletedSections.count) deleted)."
  }

  private func rowProblem(_ old: [Int], _ new: [Int]) -> String? {
    func problem(_ named: [(IndexPath, String)], _ counts: [Int], _ when: String) -> String? {
      Self.problem(named, text: { "row \($0.row) of section \($0.section)" }) { path, what in
        Self.outside(path, counts, what, when)
      }
    }
    let leaving =
      deletedRows.map { ($0, "delete") } + reloadedRows.map { ($0.old, "reload") }
      + movedRows.map { ($0.old, "move") }
    let arriving =
      insertedRows.map { ($0, "insert") } + movedRows.map { ($0.new, "move in") }
    if let problem = problem(leaving, old, "before") ?? problem(arriving, new, "after") {
      return problem
    }
    let (gone, fresh) = (Set(deletedSections), Set(insertedSections))
    for move in movedRows {
      if gone.contains(move.old.section) {
        return "cannot move a row from a deleted section (\(move.old.section))"
      }
      if fresh.contains(move.new.section) {
        return "cannot move a row into a newly inserted section (\(move.new.section))"
      }
    }
    for path in reloadedRows.map(\.old) where gone.contains(path.section) {
      return "attempt to reload row \(path.row) of section \(path.section), which is deleted"
    }
    return nil
  }

  private static func outside(
    _ path: IndexPath, _ counts: [Int], _ what: String, _ when: String
  ) -> String? {
    guard path.count == 2 else {
      return "attempt to \(what) at \(path.text), which is not a section and a row"
    }
    guard counts.indices.contains(path.section) else {
      return "attempt to \(what) row \(path.row) of section \(path.section), but there are only"
        + " \(counts.count) sections \(when) the update"
    }
    if path.row >= 0, path.row < counts[path.section] { return nil }
    return "attempt to \(what) row \(path.row) of section \(path.section), which only contains"
      + " \(counts[path.section]) rows \(when) the update"
  }

  private func countProblem(_ old: [Int], _ new: [Int]) -> String? {
    // Only the old place of each section is needed, so the new sections can be passed without rows.
    let sections = places(from: old, to: Array(repeating: 0, count: new.count)).map(\.section)
    for (place, origin) in sections.enumerated() {
      // A table view reads reloaded and new sections as a whole, so any number of rows is valid.
      guard let origin else { continue }
      let deleted = deletedRows.count { $0.section == origin }
      let inserted = insertedRows.count { $0.section == place }
      let movedOut = movedRows.count { $0.old.section == origin }
      let movedIn = movedRows.count { $0.new.section == place }
      if new[place] == old[origin] - deleted + inserted - movedOut + movedIn { continue }
      return
        "Invalid update: invalid number of rows in section \(place). The number of rows contained in an"
        + " existing section after the update (\(new[place])) must be equal to the number of rows contained"
        + " in that section before the update (\(old[origin])), plus or minus the number of rows inserted or"
        + " deleted from that section (\(inserted) inserted, \(deleted) deleted) and plus or minus the number"
        + " of rows moved into or out of that section (\(movedIn) moved in, \(movedOut) moved out)."
    }
    return nil
  }
}
