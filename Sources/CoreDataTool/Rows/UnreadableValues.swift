import CoreData
import StoreInspection

/// Counts values that exist in the store but cannot be read. The output lacks them, and the command reports that when
/// it ends.
///
/// While rows are printed, use it on the context's queue only.
final class UnreadableValues {
  /// How many unreadable values are listed.
  private static let shownCount = 20

  private var count = 0
  private var places: [String] = []

  /// Counts the unreadable values in some rows.
  ///
  /// - Parameter values: An array per column, with a value per row.
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

  /// Throws an error if values could not be read.
  ///
  /// - Throws: A ``Diagnostic`` of kind ``Diagnostic/Kind/data`` that lists the first unreadable values.
  func check() throws(Diagnostic) {
    if count == 0 { return }
    let more = count - places.count
    throw Diagnostic(
      .data, "the output lacks \(CountText.counted(count, "value")) that could not be read",
      details: places + (more > 0 ? ["and \(CountText.grouped(more)) more"] : [])
        + ["\"coredata verify\" shows what is wrong with the store."])
  }
}
