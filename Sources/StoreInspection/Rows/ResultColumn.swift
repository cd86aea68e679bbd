import CoreData
package import ObjectModel

/// One column of a result: a property of the row, or of a row at the end of to-one relationships.
package struct ResultColumn {
  /// What the path ends in.
  package enum End: Equatable {
    /// The row's own ID.
    case objectID
    case attribute(String, NSAttributeType)
    case toOne(String)
    case toMany(String, destination: String)

    /// The rank of such columns in the default order.
    fileprivate var rank: Int {
      switch self {
      case .objectID: 0
      case .attribute: 1
      case .toOne: 2
      case .toMany: 3
      }
    }
  }

  /// The title of the column: the path as given.
  package let title: String
  /// The to-one relationships before the end of the path.
  package let hops: [String]
  package let end: End

  /// The title of the column for a row's own ID.
  package static let objectIDTitle = "objectID"

  /// Returns the default columns of an entity: the ID, then the stored attributes, to-one relationships and to-many
  /// relationships, each sorted by name.
  package static func all(of entity: NSEntityDescription) -> [ResultColumn] {
    let stored = entity.properties.filter { !$0.isTransient }.compactMap { property in
      end(of: property).map { ResultColumn(title: property.name, hops: [], end: $0) }
    }
    return [ResultColumn(title: objectIDTitle, hops: [], end: .objectID)]
      + stored.sorted {
        ($0.end.rank, $0.title.lowercased()) < ($1.end.rank, $1.title.lowercased())
      }
  }

  /// Returns the column for a key path such as `name`, `team.name` or `team.players`.
  ///
  /// - Parameter use: The option or parameter that contains the path, such as `--columns`; part of error messages.
  package static func column(
    _ path: String, of entity: NSEntityDescription, use: String
  ) throws(Diagnostic) -> ResultColumn {
    var hops: [String] = []
    var entity = entity
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for (index, key) in keys.enumerated() {
      let isLast = index == keys.count - 1
      if isLast, key == objectIDTitle {
        return ResultColumn(title: path, hops: hops, end: .objectID)
      }
      guard let property = entity.propertiesByName[key] else {
        throw Diagnostic.unknownKey(
          key, in: path, entity: entity.name ?? "", use: use,
          among: Array(entity.propertiesByName.keys))
      }
      guard !property.isTransient || property is NSFetchedPropertyDescription else {
        throw Diagnostic(.usage, "\(use) '\(path)': \(key) is transient and not stored")
      }
      if isLast {
        guard let end = end(of: property) else {
          throw Diagnostic(
            .usage, "\(use) '\(path)': \(key) is a fetched property, which is not stored")
        }
        return ResultColumn(title: path, hops: hops, end: end)
      }
      if let composite = property as? NSCompositeAttributeDescription {
        let rest = keys[index...].joined(separator: ".")
        guard let element = composite.element(at: rest) else {
          throw Diagnostic(
            .usage, "\(use) '\(path)': the composite attribute \(key) has no such element")
        }
        return ResultColumn(
          title: path, hops: hops, end: .attribute(rest, element.attributeType))
      }
      guard let relationship = property as? NSRelationshipDescription,
        let destination = relationship.destinationEntity
      else {
        throw Diagnostic(
          .usage, "\(use) '\(path)': \(key) is an attribute, so the path cannot continue after it")
      }
      guard !relationship.isToMany else {
        throw Diagnostic(
          .usage, "\(use) '\(path)': \(key) leads to many rows of \(destination.name ?? "")",
          details: ["Only the relationship itself can be shown, as a count."])
      }
      hops.append(key)
      entity = destination
    }
    throw Diagnostic(.usage, "\(use) '\(path)' is empty")
  }

  /// Returns the end of a path that ends with a property; nil for a fetched property.
  private static func end(of property: NSPropertyDescription) -> End? {
    switch property {
    case let attribute as NSAttributeDescription:
      .attribute(attribute.name, attribute.attributeType)
    case let relationship as NSRelationshipDescription:
      relationship.isToMany
        ? .toMany(relationship.name, destination: relationship.destinationEntity?.name ?? "")
        : .toOne(relationship.name)
    default: nil
    }
  }
}
