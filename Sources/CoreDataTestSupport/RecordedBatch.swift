import CoreData

/// One batch of changes, as a table view collects it between `beginUpdates` and `endUpdates`.
///
/// The rules that a table view enforces are functions of it (`sectionProblem(_:_:)`, `rowProblem(_:_:)`). They return
/// what is wrong instead of trapping, so that tests can examine the message.
struct RecordedBatch {
  struct Move<Place> {
    let old: Place
    let new: Place
  }

  /// Old places.
  var deletedSections: [Int] = []
  /// New places.
  var insertedSections: [Int] = []
  var movedSections: [Move<Int>] = []
  /// Old places.
  var reloadedSections: [Int] = []
  /// Old places.
  var deletedRows: [IndexPath] = []
  /// New places.
  var insertedRows: [IndexPath] = []
  var movedRows: [Move<IndexPath>] = []
  /// Old places.
  var reloadedRows: [IndexPath] = []

  /// Where a section of the new list was before, and each of its rows; nil for what is shown anew.
  struct Origin {
    var section: Int?
    var rows: [(section: Int, row: Int)?]
  }

  /// For each new section: the old one that it is.
  private func oldSections(_ new: Int, from old: Int) -> [Int?] {
    let gone = Set(deletedSections + movedSections.map(\.old))
    var staying = (0..<old).filter { !gone.contains($0) }[...]
    var places = [Int?](repeating: nil, count: new)
    for move in movedSections { places[move.new] = move.old }
    let taken = Set(insertedSections + movedSections.map(\.new))
    for place in 0..<new where !taken.contains(place) { places[place] = staying.popFirst() }
    return places
  }

  /// What a batch without a problem makes of the old rows.
  func places(from old: [Int], to new: [Int]) -> [Origin] {
    let gone = Set(deletedRows + movedRows.map(\.old))
    let anew = Set(reloadedRows)
    var arriving: [IndexPath: IndexPath] = [:]
    for move in movedRows { arriving[move.new] = move.old }
    let inserted = Set(insertedRows)
    let wholly = Set(reloadedSections)
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
        guard let stayed = staying.popFirst(),
          !anew.contains(IndexPath(row: stayed, section: origin))
        else { return nil }
        return (origin, stayed)
      }
      return Origin(section: origin, rows: rows)
    }
  }

  /// What a table view would not take, in words; nil when the batch is valid.
  ///
  /// - Parameters:
  ///   - old: the numbers of rows of the sections before.
  ///   - new: those after.
  func problem(from old: [Int], to new: [Int]) -> String? {
    sectionProblem(old.count, new.count) ?? rowProblem(old, new) ?? countProblem(old, new)
  }
}
