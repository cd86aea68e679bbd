import CoreData

// Treats a report as the batch of changes that a table view collects between `beginUpdates` and `endUpdates`. Only the
// old index path of a reload is used, because a reload in a table view has no other.

extension TableUpdates {
  /// The old indexes of a section in the new list and of its rows; nil for inserted and reloaded sections and rows.
  struct Origin {
    var section: Int?
    var rows: [(section: Int, row: Int)?]
  }

  /// Returns the old index of each new section; nil for an inserted section.
  private func oldSections(_ new: Int, from old: Int) -> [Int?] {
    let gone = Set(deletedSections + movedSections.map(\.old))
    var staying = (0..<old).filter { !gone.contains($0) }[...]
    var places = [Int?](repeating: nil, count: new)
    for move in movedSections { places[move.new] = move.old }
    let occupied = Set(insertedSections + movedSections.map(\.new))
    for place in 0..<new where !occupied.contains(place) { places[place] = staying.popFirst() }
    return places
  }

  /// Returns the origin of each new section and its rows, for a valid batch.
  ///
  /// - Parameters:
  ///   - old: The number of rows in each section before the batch.
  ///   - new: The number of rows in each section after the batch.
  func places(from old: [Int], to new: [Int]) -> [Origin] {
    let gone = Set(deletedRows + movedRows.map(\.old))
    let reloaded = Set(reloadedRows.map(\.old))
    var arriving: [IndexPath: IndexPath] = [:]
    for move in movedRows { arriving[move.new] = move.old }
    let inserted = Set(insertedRows)
    let wholly = Set(reloadedSections.map(\.old))
    return zip(oldSections(new.count, from: old.count), new.enumerated()).map { origin, section in
      guard let origin, !wholly.contains(origin) else {
        return Origin(rows: Array(repeating: nil, count: section.element))
      }
      var staying = (0..<old[origin])
        .filter { !gone.contains(IndexPath(row: $0, section: origin)) }[...]
      let rows = (0..<section.element).map { row -> (section: Int, row: Int)? in
        let place = IndexPath(row: row, section: section.offset)
        if inserted.contains(place) { return nil }
        if let old = arriving[place] { return (old.section, old.row) }
        // Rows that are not reported keep their order, so this is the next one of them.
        guard let stayed = staying.popFirst(),
          !reloaded.contains(IndexPath(row: stayed, section: origin))
        else { return nil }
        return (origin, stayed)
      }
      return Origin(section: origin, rows: rows)
    }
  }

  /// The report as most programs apply it to a table view: a moved row is deleted and inserted.
  var withoutMoves: TableUpdates {
    var batch = self
    batch.deletedRows += movedRows.map(\.old)
    batch.insertedRows += movedRows.map(\.new)
    batch.movedRows = []
    return batch
  }
}
