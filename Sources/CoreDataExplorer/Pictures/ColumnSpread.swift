import CoreData
import StoreInspection

/// What is counted to compute the distribution of a column.
enum ColumnSpread: Equatable {
  case wholeNumbers
  case decimals
  /// Floating-point numbers.
  case numbers
  case dates
  case truths
  /// Strings, UUIDs and URIs: the most frequent ones.
  case texts
  /// Objects, counted by the attribute that contains their labels.
  case names(attribute: String)
  /// The number of members.
  case members
  /// Whether there is a value: for data, composite and transformable values, and objects without a label attribute.
  case presence

  /// - Throws: ``Diagnostic`` for IDs, for paths that lead to no column, and for properties that are not stored.
  init(_ path: String, of entity: NSEntityDescription) throws(Diagnostic) {
    let column = try ResultColumn.column(path, of: entity, use: "column")
    let owner = column.hops.reduce(entity) { entity, hop in
      entity.relationshipsByName[hop]?.destinationEntity ?? entity
    }
    switch column.end {
    case .objectID:
      throw Diagnostic(.usage, "IDs are unique, so they have no distribution")
    case .attribute(_, let type): self = ColumnSpread(type)
    case .toOne(let key):
      guard let destination = owner.relationshipsByName[key]?.destinationEntity,
        let attribute = RowLabel.attribute(of: destination)
      else {
        self = .presence
        return
      }
      self = .names(attribute: attribute)
    case .toMany: self = .members
    }
  }

  private init(_ type: NSAttributeType) {
    self =
      switch type {
      case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: .wholeNumbers
      case .decimalAttributeType: .decimals
      case .doubleAttributeType, .floatAttributeType: .numbers
      case .dateAttributeType: .dates
      case .booleanAttributeType: .truths
      case .stringAttributeType, .UUIDAttributeType, .URIAttributeType: .texts
      default: .presence
      }
  }
}
