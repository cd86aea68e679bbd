package import CoreData

/// Says before a fetch whether rows can be ordered by a key path.
package enum SortCheck {
  /// Returns when they can: the path leads over to-one relationships to a stored attribute, or to
  /// a row's ID.
  package static func requireSortable(
    _ path: String, of entity: NSEntityDescription, use: String
  ) throws(Diagnostic) {
    let column = try ResultColumn.column(path, of: entity, use: use)
    let destination = column.hops.reduce(entity) { entity, hop in
      entity.relationshipsByName[hop]?.destinationEntity ?? entity
    }
    switch column.end {
    case .objectID: return
    case .attribute(let key, _):
      guard destination.attributesByName[key]?.isTransient != true else {
        throw Diagnostic(.usage, "\(use) '\(path)': \(key) is transient, no row keeps it")
      }
    case .toOne(let key):
      throw Diagnostic(
        .usage, "\(use) '\(path)': \(key) is a relationship, which has no order",
        details: ["Name one of its attributes: \(path).name, for example."])
    case .toMany(let key, _):
      throw Diagnostic(.usage, "\(use) '\(path)': \(key) leads to many rows, which have no order")
    }
  }
}
