import CoreData
import StoreInspection

/// Turns objects into rows of values and gives them to a writer.
struct RowPrinter {
  /// How many objects are turned at a time.
  static let chunkSize = 1_000

  let columns: [ResultColumn]
  let context: NSManagedObjectContext
  /// How much of large values the writer shows.
  let extent: ValueExtent
  /// Counts the values that cannot be read.
  let unreadable: UnreadableValues

  init(
    columns: [ResultColumn], context: NSManagedObjectContext, format: OutputFormat,
    unreadable: UnreadableValues
  ) {
    (self.columns, self.context) = (columns, context)
    extent = format.extent
    self.unreadable = unreadable
  }

  /// Writes some objects' rows in their order.
  func print(_ objects: [NSManagedObject], to writer: inout any RowWriter) throws {
    let values = try columns.map { try $0.values(for: objects, in: context, extent) }
    unreadable.note(values, columns, of: objects)
    for row in objects.indices { writer.row(values.map { $0[row] }) }
  }
}
