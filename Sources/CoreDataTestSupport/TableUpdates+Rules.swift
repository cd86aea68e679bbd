import CoreData

// The rules of a table view's batch, with messages as a table view has them.

extension TableUpdates {
  /// What a table view would not take in a batch, in words rather than a trap, so that tests can examine the message; nil
  /// when the batch is valid.
  ///
  /// - Parameters:
  ///   - old: the numbers of rows of the sections before.
  ///   - new: those after.
  func problem(from old: [Int], to new: [Int]) -> String? {
    sectionProblem(old.count, new.count) ?? rowProblem(old, new) ?? countProblem(old, new)
  }

  /// Names of one kind of list element that may be named once.
  private struct Named<Place: Hashable> {
    private var seen: [Place: String] = [:]

    /// - Returns: what is wrong when the place was named before.
    mutating func add(_ place: Place, _ what: String, _ text: String) -> String? {
      if let earlier = seen.updateValue(what, forKey: place) {
        return earlier == what
          ? "attempt to \(what) \(text) twice"
          : "attempt to \(earlier) and \(what) the same \(text)"
      }
      return nil
    }
  }

  private func sectionProblem(_ old: Int, _ new: Int) -> String? {
    var before = Named<Int>()
    var after = Named<Int>()
    let leaving =
      deletedSections.map { ($0, "delete") } + reloadedSections.map { ($0.old, "reload") }
      + movedSections.map { ($0.old, "move") }
    for (section, what) in leaving {
      if section < 0 || section >= old {
        return
          "attempt to \(what) section \(section), but there are only \(old) sections before the"
          + " update"
      }
      if let problem = before.add(section, what, "section \(section)") { return problem }
    }
    let arriving =
      insertedSections.map { ($0, "insert") } + movedSections.map { ($0.new, "move in") }
    for (section, what) in arriving {
      if section < 0 || section >= new {
        return "attempt to \(what) section \(section), but there are only \(new) sections after the"
          + " update"
      }
      if let problem = after.add(section, what, "section \(section)") { return problem }
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
    var before = Named<IndexPath>()
    var after = Named<IndexPath>()
    let leaving =
      deletedRows.map { ($0, "delete") } + reloadedRows.map { ($0.old, "reload") }
      + movedRows.map { ($0.old, "move") }
    for (path, what) in leaving {
      if let problem = Self.outside(path, old, what, "before") { return problem }
      if let problem = before.add(path, what, "row \(path.row) of section \(path.section)") {
        return problem
      }
    }
    let arriving =
      insertedRows.map { ($0, "insert") } + movedRows.map { ($0.new, "move in") }
    for (path, what) in arriving {
      if let problem = Self.outside(path, new, what, "after") { return problem }
      if let problem = after.add(path, what, "row \(path.row) of section \(path.section)") {
        return problem
      }
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
    let sections = places(from: old, to: Array(repeating: 0, count: new.count)).map(\.section)
    for (place, origin) in sections.enumerated() {
      // Reloaded sections and new ones are asked for all of their rows.
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
