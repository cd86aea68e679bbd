public import CoreData

/// A list view for tests: it applies updates by the strict rules of a table view's batch updates, and stops at anything
/// that would crash a program with a real table view.
///
/// ```swift
/// let table = RecordingTable<Player>()
/// controller.delegate = table
/// try controller.performFetch()
/// table.load(controller)
/// // … change the context …
/// #expect(table.calls == ["will", "+0.1", "did"])
/// #expect(table.sections[0].rows.map(\.name) == ["Ann", "Bob"])
/// ```
///
/// As the delegate of a fetched results controller, it also checks the order of the calls, and that each of them
/// reports the object at its index path. It is also a ``/CoreData/TableViewUpdating`` view, for any code that updates
/// such a view; in that case, pass a source of rows to ``init(traps:source:)``.
///
/// A report is compared with the rows before it, and with those that the controller or source has after it: the index
/// paths must exist, no row may be reported twice, the numbers of rows must add up, and rows that are not reported must
/// keep their order.
public final class RecordingTable<Row: Equatable> {
  /// A section as the table shows it.
  public struct Section: Equatable {
    /// The name of the section.
    public var name: String
    /// The rows of the section in their order.
    public var rows: [Row]

    /// Creates a section.
    public init(name: String, rows: [Row]) {
      self.name = name
      self.rows = rows
    }
  }

  /// The sections that are shown now.
  public internal(set) var sections: [Section] = []
  /// The calls so far, in short form: `will` and `did`; `-section 0 Name` and `+section 0 Name`; for rows of a delegate
  /// `-0.1`, `+0.1`, `0.1>0.2`, `~0.1=0.2`; for methods of a view their names with the section indexes or index paths.
  public internal(set) var calls: [String] = []
  /// The violations so far. A table that traps records none: it stops the program at the first one.
  public internal(set) var violations: [String] = []
  /// The former name of ``violations``.
  @available(*, deprecated, renamed: "violations")
  public var faults: [String] { violations }
  /// The number of rows that the controller's last report moved, and the number that all its reports moved.
  public internal(set) var lastMoves = 0, moveCount = 0

  /// Whether the table has received its first rows. Without its first rows, every report of a
  /// controller with rows seems invalid.
  var isLoaded = false
  let traps: Bool
  var source: (() -> [Section])?
  var depth = 0
  var batch = TableUpdates()
  var report = DelegateReport<Row>()

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - traps: Whether the program stops at an invalid update; otherwise the update is recorded in
  ///     ``violations``, and the table continues with the current rows of its controller or source.
  ///   - source: Returns the current sections and rows, as a table view's data source provides them. They are loaded
  ///     immediately. Nil for the delegate of a controller.
  public init(traps: Bool = true, source: (() -> [Section])? = nil) {
    self.traps = traps
    self.source = source
    reloadData()
  }

  /// Loads the rows of the source.
  public func reloadData() {
    guard let source else { return }
    sections = source()
    isLoaded = true
  }

  /// Removes the recorded calls.
  public func clear() { calls = [] }

  /// Returns the row at an index path; nil if there is none.
  public func row(at path: IndexPath) -> Row? {
    guard path.count == 2, sections.indices.contains(path.section),
      sections[path.section].rows.indices.contains(path.row)
    else { return nil }
    return sections[path.section].rows[path.row]
  }

  /// Records a violation, or stops the program if the table traps.
  func fail(_ problem: String) {
    let advice = "; the table was never loaded: call load(_:) after performFetch()"
    let message = isLoaded ? problem : problem + advice
    if traps { stopProgram(message) }
    violations.append(message)
  }

  /// Applies a batch to the shown rows, and compares the result with the current ones.
  func apply(_ batch: TableUpdates, expecting present: [Section]) {
    let before = sections
    // The new rows are adopted before the checks, so that one violation does not cause others in
    // later reports.
    sections = present
    let (old, new) = (before.map(\.rows.count), present.map(\.rows.count))
    if let problem = batch.problem(from: old, to: new) { return fail(problem) }
    for (place, rows) in batch.places(from: old, to: new).enumerated() {
      if let section = rows.section, before[section].name != present[place].name {
        fail(
          "Invalid update: section \(place) shows \"\(before[section].name)\", but is"
            + " \"\(present[place].name)\" after the update; it was not reported as changed.")
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
  /// The index path in short form: its indexes separated by periods.
  var text: String { map(String.init).joined(separator: ".") }
}
