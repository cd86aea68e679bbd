import CoreData
import StoreInspection

/// Counts the values that the store has and that cannot be read. The output lacks them, which the command reports at its
/// end.
///
/// Belongs to the context's queue while rows are printed.
final class UnreadableValues {
  /// How many places are named.
  private static let shownCount = 20

  private var count = 0
  private var places: [String] = []

  /// Counts the unreadable values of some rows.
  ///
  /// - Parameter values: by column, and in each by row.
  func note(_ values: [[CellValue]], _ columns: [ResultColumn], of objects: [NSManagedObject]) {
    for (column, cells) in zip(columns, values) {
      // IDs and counts of rows can always be read.
      guard case .attribute = column.end else { continue }
      for (object, cell) in zip(objects, cells) {
        guard case .unreadable = cell else { continue }
        count += 1
        if places.count < Self.shownCount {
          places.append("\(CellValue.row(object.objectID).formatted): \(column.title)")
        }
      }
    }
  }

  /// Returns where all values could be read.
  ///
  /// - Throws: a ``Diagnostic`` of kind ``Diagnostic/Kind/data`` that names the first that could not.
  func check() throws(Diagnostic) {
    if count == 0 { return }
    let more = count - places.count
    throw Diagnostic(
      .data, "the output lacks \(CountText.counted(count, "value")) that cannot be read",
      details: places + (more > 0 ? ["and \(CountText.grouped(more)) more"] : [])
        + ["\"coredata verify\" says what is wrong with the store."])
  }
}
