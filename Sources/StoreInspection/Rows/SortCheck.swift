package import CoreData
import ObjectModel

/// Checks before a fetch whether rows can be sorted by a key path.
package enum SortCheck {
  /// Throws an error unless the path leads, over to-one relationships only, to a stored attribute or to a row's ID.
  package static func requireSortable(
    _ path: String, of entity: NSEntityDescription, use: String
  ) throws(Diagnostic) {
    let column = try ResultColumn.column(path, of: entity, use: use)
    switch column.end {
    case .objectID, .attribute: return
    case .toOne(let key):
      throw Diagnostic(
        .usage, "\(use) '\(path)': \(key) is a relationship, which has no order",
        details: example(of: entity, hops: column.hops + [key]).map {
          ["Use one of its attributes instead, such as \(path).\($0)."]
        } ?? [])
    case .toMany(let key, _):
      throw Diagnostic(
        .usage, "\(use) '\(path)': \(key) is a to-many relationship, which has no order")
    }
  }

  /// Returns the name of a stored attribute at the end of to-one relationships, preferably of a text; nil if there is
  /// none.
  private static func example(of entity: NSEntityDescription, hops: [String]) -> String? {
    let destination = hops.reduce(entity as NSEntityDescription?) {
      $0?.relationshipsByName[$1]?.destinationEntity
    }
    let attributes = (destination?.attributesByName ?? [:]).filter { !$1.isTransient }
    let texts = attributes.filter { $1.attributeType == .stringAttributeType }
    return (texts.isEmpty ? attributes : texts).keys.min()
  }
}
