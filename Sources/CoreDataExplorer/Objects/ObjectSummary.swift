import CoreData
import StoreInspection

/// An object and its values, as a page shows it. Members of relationships are counted without creating objects for
/// them.
struct ObjectSummary: Encodable {
  struct LabeledReference: Encodable {
    let id: String
    let entity: String
    let label: String

    init(_ object: NSManagedObject) {
      id = ObjectReference.text(ofKey: object.objectID.primaryKey)
      entity = object.entity.name ?? ""
      label = RowLabel.text(of: object)
    }
  }

  struct Attribute: Encodable {
    let name: String
    let type: String
    let value: Cell
    /// The initial text of an editor; nil if the value cannot be edited as text.
    @OrNull var text: String?
    let transient: Bool
    let derived: Bool
    /// The elements of a composite attribute, by key path; nil for other attributes.
    var elements: [Attribute]?
  }

  struct Relationship: Encodable {
    let name: String
    let toMany: Bool
    let ordered: Bool
    let destination: String
    let inverse: String?
    @OrNull var count: CappedCount?
    @OrNull var object: LabeledReference?
  }

  /// A relationship without an inverse whose destination is the object's entity or an ancestor of it.
  struct Referrer: Encodable {
    let entity: String
    let name: String
    /// Always nil, because counting may need a scan of all rows. A page shows the number when it reads the rows.
    @OrNull var count: CappedCount?
  }

  let id: String
  let entity: String
  let label: String
  /// Whether the object has never been saved.
  let temporary: Bool
  let attributes: [Attribute]
  let relationships: [Relationship]
  let referencedBy: [Referrer]

  /// Returns the entities of the related rows that a page shows with an object of an entity or its subentities.
  static func reach(of entity: NSEntityDescription) -> EntityReach {
    var reach = EntityReach()
    for kind in entity.family {
      for relationship in kind.relationshipsByName.values {
        if let destination = relationship.destinationEntity { reach.add(destination) }
      }
      for referrer in referrers(to: kind) {
        if let owner = entity.managedObjectModel.entitiesByName[referrer.entity] {
          reach.add(owner)
        }
      }
    }
    return reach
  }

  /// Reads an object. Call it on the context's queue.
  init(_ object: NSManagedObject, in context: NSManagedObjectContext) throws {
    id = ObjectReference.text(ofKey: object.objectID.primaryKey)
    entity = object.entity.name ?? ""
    label = RowLabel.text(of: object)
    temporary = object.isInserted
    let properties = object.entity.properties.sorted { $0.name < $1.name }
    attributes = properties.compactMap { $0 as? NSAttributeDescription }.map { attribute in
      let value = CellValue(
        ofAttribute: attribute.name, attribute.attributeType, of: object, .shown)
      var shown = Attribute(attribute, attribute.name, value)
      if case .unread = shown.value.value {
        shown.text = nil
      } else if attribute.attributeType == .transformableAttributeType {
        shown.text = ArchivedText.text(of: object.value(forKey: attribute.name), attribute)
      }
      shown.elements = (attribute as? NSCompositeAttributeDescription)?.valueElements
        .map { path, element in
          let value = object.value(forKeyPath: path).map { CellValue($0, element.attributeType) }
          return Attribute(
            element, path, value ?? .null, isTransient: attribute.isTransient)
        }
      return shown
    }
    relationships = try properties.compactMap { $0 as? NSRelationshipDescription }
      .map { try Self.relationship($0, of: object, in: context) }
    referencedBy = Self.referrers(to: object.entity)
  }

  private static func relationship(
    _ relationship: NSRelationshipDescription, of object: NSManagedObject,
    in context: NSManagedObjectContext
  ) throws -> Relationship {
    var count: CappedCount?
    var reference: LabeledReference?
    if relationship.isToMany {
      count = CappedCount(count: try RelatedRows.count(relationship, of: object, in: context))
    } else if let other = try context.destinations(of: relationship.name, for: [object])[0] {
      reference = LabeledReference(other)
    }
    return Relationship(
      name: relationship.name, toMany: relationship.isToMany, ordered: relationship.isOrdered,
      destination: relationship.destinationEntity?.name ?? "",
      inverse: relationship.inverseRelationship?.name, count: count, object: reference)
  }

  private static func referrers(to entity: NSEntityDescription) -> [Referrer] {
    let entities = entity.managedObjectModel.entities
    return entities.flatMap { other -> [Referrer] in
      let inherited = other.superentity?.relationshipsByName ?? [:]
      return other.relationshipsByName.values.filter { relationship in
        relationship.inverseRelationship == nil && inherited[relationship.name] == nil
          && relationship.destinationEntity.map { entity.isKindOf(entity: $0) } == true
      }.map { Referrer(entity: other.name ?? "", name: $0.name, count: nil) }
    }.sorted { ($0.entity, $0.name) < ($1.entity, $1.name) }
  }
}

extension ObjectSummary.Attribute {
  fileprivate init(
    _ attribute: NSAttributeDescription, _ name: String, _ value: CellValue,
    isTransient: Bool? = nil
  ) {
    self.name = name
    type = attribute.attributeType.modelFileName
    self.value = Cell(value: value)
    text = EditedText.text(of: value)
    transient = isTransient ?? attribute.isTransient
    derived = attribute is NSDerivedAttributeDescription
  }
}
