import CoreData

// The batch that a table view collects between `beginUpdates` and `endUpdates`. A reload has only an old index path,
// which is recorded as the new one too.

extension TableUpdates {
  /// The old indexes of a section of the new list and of its rows; nil for inserted and reloaded ones.
  struct Origin {
    var section: Int?
    var rows: [(section: Int, row: Int)?]
  }

  /// For each new section, the old section that it was.
  private func oldSections(_ new: Int, from old: Int) -> [Int?] {
    let gone = Set(deletedSections + movedSections.map(\.old))
    var staying = (0..<old).filter { !gone.contains($0) }[...]
    var places = [Int?](repeating: nil, count: new)
    for move in movedSections { places[move.new] = move.old }
    let taken = Set(insertedSections + movedSections.map(\.new))
    for place in 0..<new where !taken.contains(place) { places[place] = staying.popFirst() }
    return places
  }

  /// Computes where a valid batch leaves the old rows.
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
        // Rows that are not reported keep their order, so the next one of them is at this place.
        guard let stayed = staying.popFirst(),
          !reloaded.contains(IndexPath(row: stayed, section: origin))
        else { return nil }
        return (origin, stayed)
      }
      return Origin(section: origin, rows: rows)
    }
  }

  /// The report in the form of most programs' batches: a move is a deletion and an insertion.
  var withoutMoves: TableUpdates {
    var batch = self
    batch.deletedRows += movedRows.map(\.old)
    batch.insertedRows += movedRows.map(\.new)
    batch.movedRows = []
    return batch
  }
}
