import CoreData
import StoreInspection

/// Converts objects to rows of values and passes them to a writer.
struct RowPrinter {
  /// How many objects are converted at a time.
  static let chunkSize = 1_000

  let columns: [ResultColumn]
  let context: NSManagedObjectContext
  /// How much of large values the writer shows.
  let extent: ValueExtent
  /// Counts the values that cannot be read.
  let unreadable: UnreadableValues

  /// Writes the rows of objects, in their order. Throws ``OutputLoss`` if the output can no longer be written.
  func print(_ objects: [NSManagedObject], to writer: inout any RowWriter) throws {
    try Console.current.requireOutput()
    let values = try columns.map { try $0.values(for: objects, in: context, extent) }
    unreadable.note(values, columns, of: objects)
    for row in objects.indices { writer.row(values.map { $0[row] }) }
  }

  /// Writes the rows of a controller, section by section.
  func print(
    _ controller: NSFetchedResultsController<NSManagedObject>, to writer: inout any RowWriter
  ) throws {
    for index in (controller.sections ?? []).indices {
      for part in controller.parts(ofSection: index) {
        if controller.sectionNameKeyPath != nil {
          writer.section(part.name, count: part.rows.count)
        }
        for rows in part.chunks {
          let objects = rows.map { controller.object(at: IndexPath(row: $0, section: index)) }
          try print(objects, to: &writer)
        }
      }
    }
  }
}
