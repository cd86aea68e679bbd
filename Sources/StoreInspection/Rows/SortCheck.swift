package import CoreData

/// Checks before a fetch whether rows can be sorted by a key path.
package enum SortCheck {
  /// Throws an error unless the path leads, over to-one relationships only, to a stored attribute or to a row's ID.
  package static func requireSortable(
    _ path: String, of entity: NSEntityDescription, use: String
  ) throws(Diagnostic) {
    switch try ResultColumn.column(path, of: entity, use: use).end {
    case .objectID, .attribute: return
    case .toOne(let key):
      throw Diagnostic(
        .usage, "\(use) '\(path)': \(key) is a relationship, which has no order",
        details: ["Sort by one of its attributes instead, such as \(path).name."])
    case .toMany(let key, _):
      throw Diagnostic(
        .usage, "\(use) '\(path)': \(key) is a to-many relationship, which has no order")
    }
  }
}
