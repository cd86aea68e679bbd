import CoreData
import StoreInspection

/// Turns objects into rows of values and gives them to a writer.
struct RowPrinter {
  /// How many objects are turned at a time.
  static let chunkSize = 1_000

  let columns: [ResultColumn]
  let context: NSManagedObjectContext

  /// Writes some objects' rows in their order.
  func print(_ objects: [NSManagedObject], to writer: inout any RowWriter) throws {
    let values = try columns.map { try $0.values(for: objects, in: context) }
    for row in objects.indices { writer.row(values.map { $0[row] }) }
  }
}
