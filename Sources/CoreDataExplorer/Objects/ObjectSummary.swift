import CoreData
import Foundation
import ObjectModel
import StoreInspection

/// An object with its values, as the page has it. Members of relationships are counted, and no object is made
/// of them.
struct ObjectSummary: Encodable {
  struct Reference: Encodable {
    let id: String
    let entity: String
    let label: String
  }

  struct Attribute: Encodable {
    let name: String
    let type: String
    let value: Cell
    /// What an editor begins with; nil where the value is no text that somebody could write.
    let text: String?
    let transient: Bool
    let derived: Bool
  }

  struct Relationship: Encodable {
    let name: String
    let toMany: Bool
    let ordered: Bool
    let destination: String
    let inverse: String?
    let count: CappedCount?
    let object: Reference?
  }

  let id: String
  let entity: String
  let label: String
  let temporary: Bool
  let attributes: [Attribute]
  let relationships: [Relationship]

  /// To be made on the context's queue.
  init(_ object: NSManagedObject, in context: NSManagedObjectContext) throws {
    id = RowName.text(object.objectID.primaryKey)
    entity = object.entity.name ?? ""
    label = RowLabel.text(of: object)
    temporary = object.objectID.isTemporaryID
    let properties = object.entity.properties.sorted { $0.name < $1.name }
    attributes = properties.compactMap { $0 as? NSAttributeDescription }.map { attribute in
      let value =
        object.value(forKey: attribute.name).map { CellValue($0, attribute.attributeType) } ?? .null
      return Attribute(
        name: attribute.name, type: attribute.attributeType.modelFileName,
        value: Cell(value: value),
        text: Self.editable(value), transient: attribute.isTransient,
        derived: attribute is NSDerivedAttributeDescription)
    }
    relationships = try properties.compactMap { $0 as? NSRelationshipDescription }
      .map { try Self.relationship($0, of: object, in: context) }
  }

  private static func relationship(
    _ relationship: NSRelationshipDescription, of object: NSManagedObject,
    in context: NSManagedObjectContext
  ) throws -> Relationship {
    var count: CappedCount?
    var reference: Reference?
    if relationship.isToMany {
      count = CappedCount(try context.memberCounts(of: relationship.name, for: [object])[0])
    } else if let other = try context.destinations(of: relationship.name, for: [object])[0] {
      reference = Reference(
        id: RowName.text(other.objectID.primaryKey), entity: other.entity.name ?? "",
        label: RowLabel.text(of: other))
    }
    return Relationship(
      name: relationship.name, toMany: relationship.isToMany, ordered: relationship.isOrdered,
      destination: relationship.destinationEntity?.name ?? "",
      inverse: relationship.inverseRelationship?.name, count: count, object: reference)
  }

  private static func editable(_ value: CellValue) -> String? {
    switch value {
    case .null: ""
    case .text(let text): text
    case .date(let date): DateText.iso8601(date)
    case .boolean, .integer, .double, .decimal, .uuid, .url: value.readable
    default: nil
    }
  }
}
