import CoreData
import StoreInspection

/// How a column's values can be told apart: what of them is counted.
enum ColumnSpread: Equatable {
  case wholeNumbers
  case decimals
  /// Floating ones.
  case numbers
  case dates
  case truths
  /// Texts, and values that have one: the most frequent.
  case texts
  /// Objects, by the attribute that names them.
  case names(of: String, attribute: String)
  /// How many members rows have.
  case members
  /// Bytes and objects of programs: whether there are any.
  case presence

  /// - Throws: for what no row keeps.
  init(_ path: String, of entity: NSEntityDescription) throws(Diagnostic) {
    let column = try ResultColumn.column(path, of: entity, use: "column")
    let owner = column.hops.reduce(entity) { entity, hop in
      entity.relationshipsByName[hop]?.destinationEntity ?? entity
    }
    switch column.end {
    case .objectID:
      throw Diagnostic(.usage, "every row has an ID of its own, so IDs have no spread")
    case .attribute(_, let type):
      try SortCheck.requireSortable(path, of: entity, use: "column")
      self = ColumnSpread(type)
    case .toOne(let key):
      guard let destination = owner.relationshipsByName[key]?.destinationEntity,
        let name = destination.name, let attribute = RowLabel.attribute(of: destination)
      else {
        self = .presence
        return
      }
      self = .names(of: name, attribute: attribute)
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
