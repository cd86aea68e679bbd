public import CoreData

/// A list view for tests: it applies what it is told by the strict rules of a table view's batch update, and
/// stops at anything that would end a program with a real one.
///
/// ```swift
/// let table = RecordingTable<Player>()
/// controller.delegate = table
/// try controller.performFetch()
/// table.load(controller)
/// // … whatever changes the context …
/// #expect(table.calls == ["will", "+0.1", "did"])
/// #expect(table.sections[0].rows.map(\.name) == ["Ann", "Bob"])
/// ```
///
/// It is a delegate of a fetched results controller, and then checks the order of the calls, too, and that
/// each names the object that is at its place. And it is a ``TableViewUpdating`` view, for whatever changes
/// such a view: then ``init(traps:source:)`` says where its rows come from.
///
/// A report is held against the rows before and those that the controller or source has after it: the
/// places exist, no row is named twice, the numbers of rows come out, and each row that is not named is where
/// it was among its neighbours.
public final class RecordingTable<Row: Equatable> {
  /// A section as the table shows it.
  public struct Section: Equatable {
    /// Its name.
    public var name: String
    /// Its rows in order.
    public var rows: [Row]

    /// A section with rows.
    public init(name: String, rows: [Row]) {
      self.name = name
      self.rows = rows
    }
  }

  /// What is shown now.
  public internal(set) var sections: [Section] = []
  /// What it was told, in short: `will` and `did`; `-section 0 Name` and `+section 0 Name`; of a delegate's
  /// rows `-0.1`, `+0.1`, `0.1>0.2`, `~0.1=0.2`; of a view's methods their names with the places.
  public internal(set) var calls: [String] = []
  /// What was wrong, in words. Only a table that does not trap gets beyond the first.
  public internal(set) var faults: [String] = []
  /// How many rows moved in the last report, and in all reports, as a delegate was told.
  public internal(set) var lastMoves = 0, moveCount = 0

  let traps: Bool
  var source: (() -> [Section])?
  var depth = 0
  var batch = TableUpdates()
  var report = DelegateReport<Row>()

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - traps: whether the program stops at something invalid; else it is noted in ``faults``, and the
  ///     table goes on with what its source has.
  ///   - source: the sections and rows that there are, as a table view's data source has them; they are
  ///     loaded at once. Nil for the delegate of a controller.
  public init(traps: Bool = true, source: (() -> [Section])? = nil) {
    self.traps = traps
    self.source = source
    reloadData()
  }

  /// Shows what the source has, as at first.
  public func reloadData() {
    if let source { sections = source() }
  }

  /// Forgets the calls up to here.
  public func clear() { calls = [] }

  /// The row at a place; nil when there is none.
  public func row(at path: IndexPath) -> Row? {
    guard path.count == 2, sections.indices.contains(path.section),
      sections[path.section].rows.indices.contains(path.row)
    else { return nil }
    return sections[path.section].rows[path.row]
  }

  /// Says that a report is invalid.
  func fail(_ message: String) {
    if traps { stopProgram(message) }
    faults.append(message)
  }

  /// Applies a batch to what is shown, and holds the result against what there is now.
  func apply(_ batch: TableUpdates, expecting present: [Section]) {
    let before = sections
    sections = present
    let (old, new) = (before.map(\.rows.count), present.map(\.rows.count))
    if let problem = batch.problem(from: old, to: new) { return fail(problem) }
    for (place, rows) in batch.places(from: old, to: new).enumerated() {
      if let section = rows.section, before[section].name != present[place].name {
        fail(
          "Invalid update: section \(place) shows \"\(before[section].name)\", but is"
            + " \"\(present[place].name)\" after the update; it was not named as changed.")
      }
      for (row, origin) in rows.rows.enumerated() {
        guard let origin, before[origin.section].rows[origin.row] != present[place].rows[row] else {
          continue
        }
        return fail(
          "Invalid update: row \(row) of section \(place) shows what was row \(origin.row) of section"
            + " \(origin.section), \(before[origin.section].rows[origin.row]), but is"
            + " \(present[place].rows[row]) after the update.")
      }
    }
  }
}

extension IndexPath {
  /// The place in short: its numbers with points between.
  var text: String { map(String.init).joined(separator: ".") }
}
