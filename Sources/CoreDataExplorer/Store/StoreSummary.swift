import CoreData
import StoreInspection

/// A store and its model, as pages show them.
struct StoreSummary: Encodable {
  struct Property: Encodable {
    let name: String
    /// `attribute`, `toOne`, `toMany` or `fetched`.
    let kind: String
    var type: String?
    let optional: Bool
    let transient: Bool
    var derived = false
    var destination: String?
    var inverse: String?
    var ordered: Bool?
    var deleteRule: String?
    /// The default value, as an editor shows it.
    var `default`: String?
    /// Limits that an editor shows beside the field; for strings, limits of the length.
    var minimum: String?
    var maximum: String?
    var pattern: String?
    /// The elements of a composite attribute, which are edited one by one; their names are key paths.
    var elements: [Property]?
  }

  struct Entity: Encodable {
    let name: String
    let parent: String?
    let abstract: Bool
    /// The number of rows, including those of subentities; nil until they are counted.
    @OrNull var count: Int?
    /// The attribute whose values are the labels of the entity's rows.
    let label: String?
    let properties: [Property]
    let uniqueness: [[String]]
  }

  struct Template: Encodable {
    let name: String
    let entity: String
    let predicate: String
    let variables: [TemplateVariable]
  }

  struct Model: Encodable {
    /// The version identifier in the model's file or the store; nil if neither has one.
    let name: String?
    let checksum: String
  }

  struct Fact: Encodable {
    let name: String
    let value: String
  }

  let name: String
  let path: String
  let size: Int
  let writable: Bool
  let model: Model
  /// Whether the store has a persistent history.
  let history: Bool
  let facts: [Fact]
  let entities: [Entity]
  let templates: [Template]

  init(_ store: OpenedStore, isWritable: Bool, counts: [String: Int]) {
    let url = URL(fileURLWithPath: store.path)
    name = url.lastPathComponent
    path = url.path
    size = store.fileSize ?? 0
    writable = isWritable
    model = Model(
      name: store.model.versionIdentifiers.map { "\($0)" }.filter { !$0.isEmpty }.sorted().first,
      checksum: store.model.versionChecksum)
    history = store.coordinator.currentPersistentHistoryToken(fromStores: nil) != nil
    facts = Self.facts(of: store)
    entities = store.model.entities.map { entity in
      Entity(
        name: entity.name ?? "", parent: entity.superentity?.name, abstract: entity.isAbstract,
        count: counts[entity.name ?? ""], label: RowLabel.attribute(of: entity),
        properties: entity.properties.map { Property($0) }.sorted { $0.name < $1.name },
        uniqueness: entity.uniquenessConstraintNames)
    }.sorted { $0.name < $1.name }
    templates = store.model.fetchRequestTemplatesByName.map { name, request in
      Template(
        name: name, entity: request.entityName ?? "",
        predicate: request.predicate?.description ?? "",
        variables: TemplateVariable.variables(
          of: request.predicate,
          entity: request.entityName.flatMap { store.model.entitiesByName[$0] }))
    }.sorted { $0.name < $1.name }
  }

  private static func facts(of opened: OpenedStore) -> [Fact] {
    guard let store = opened.coordinator.persistentStores.first else { return [] }
    let metadata: [String: Any] = store.metadata
    var facts = [Fact(name: "UUID", value: store.identifier)]
    if let version = metadata[NSPersistenceFrameworkVersionKey] as? NSNumber {
      facts.append(Fact(name: "Framework version", value: version.stringValue))
    }
    facts.append(Fact(name: "Model", value: opened.source.text))
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      guard name != NSStoreUUIDKey, name != NSPersistenceFrameworkVersionKey else { continue }
      // Other values, such as version hashes, mean nothing to the user.
      if let text = value as? String { facts.append(Fact(name: name, value: text)) }
      if let number = value as? NSNumber {
        facts.append(Fact(name: name, value: number.stringValue))
      }
    }
    return facts
  }
}

extension StoreSummary.Property {
  init(_ property: NSPropertyDescription, named path: String? = nil) {
    name = path ?? property.name
    optional = property.isOptional
    transient = property.isTransient
    switch property {
    case let attribute as NSAttributeDescription:
      kind = "attribute"
      type = attribute.attributeType.modelFileName
      derived = attribute is NSDerivedAttributeDescription
      `default` = attribute.defaultValue.flatMap {
        EditedText.text(of: CellValue($0, attribute.attributeType))
      }
      for rule in attribute.validationRules {
        switch rule.condition {
        case .minimum(let bound):
          minimum = CellValue(bound.value, attribute.attributeType).formatted
        case .maximum(let bound):
          maximum = CellValue(bound.value, attribute.attributeType).formatted
        case .minimumLength(let length): minimum = "\(length)"
        case .maximumLength(let length): maximum = "\(length)"
        case .matches(let expression): pattern = expression
        case .format, .predicate: break
        }
      }
      elements = (attribute as? NSCompositeAttributeDescription)?.valueElements.map {
        StoreSummary.Property($0.attribute, named: $0.path)
      }
    case let relationship as NSRelationshipDescription:
      kind = relationship.isToMany ? "toMany" : "toOne"
      destination = relationship.destinationEntity?.name
      inverse = relationship.inverseRelationship?.name
      ordered = relationship.isToMany ? relationship.isOrdered : nil
      deleteRule = relationship.deleteRule.modelFileName
    default: kind = "fetched"
    }
  }
}
