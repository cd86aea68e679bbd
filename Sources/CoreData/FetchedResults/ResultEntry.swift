import Foundation

/// A row of a live result: its ID and what it is ordered by, not its values.
final class ResultEntry {
  let layout: EntityLayout
  let origin: StoreOrigin
  let values: SortValues
  /// The number of the section's name.
  let section: Int
  /// Whether the row before is of another section; kept by the tree.
  var startsSection = false
  /// The version of the stored row that was seen last; 0 for none.
  var version: Int32
  /// The object, when the result keeps its objects in use.
  let object: NSManagedObject?

  init(
    layout: EntityLayout, origin: StoreOrigin, values: SortValues, section: Int, version: Int32,
    object: NSManagedObject?
  ) {
    self.layout = layout
    self.origin = origin
    self.values = values
    self.section = section
    self.version = version
    self.object = object
  }

  var id: NSManagedObjectID { NSManagedObjectID(layout: layout, key: values.key, origin: origin) }
}

/// A place in a live result, counted in sections and rows.
struct ResultPath: Comparable {
  var section: Int
  var row: Int

  static func < (left: ResultPath, right: ResultPath) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }

  var indexPath: IndexPath { IndexPath(indexes: [section, row]) }
}
