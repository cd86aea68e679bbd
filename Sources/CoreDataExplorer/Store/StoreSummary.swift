import CoreData
import ObjectModel
import Predicates
import StoreInspection

/// A store and its model, as the page has them.
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
  }

  struct Entity: Encodable {
    let name: String
    let parent: String?
    let abstract: Bool
    /// How many rows it has, those of its subentities with them; nil while they are being counted.
    let count: Int?
    /// The attribute that names its rows.
    let label: String?
    let properties: [Property]
    let uniqueness: [[String]]
  }

  struct Template: Encodable {
    let name: String
    let entity: String
    let predicate: String
    let variables: [String]
  }

  let name: String
  let path: String
  let size: Int
  let writable: Bool
  let entities: [Entity]
  let templates: [Template]

  init(_ store: OpenedStore, isWritable: Bool, counts: [String: Int]) {
    let url = URL(fileURLWithPath: store.path)
    name = url.lastPathComponent
    path = url.path
    let facts = try? FileManager.default.attributesOfItem(atPath: url.path)
    size = (facts?[.size] as? NSNumber)?.intValue ?? 0
    writable = isWritable
    entities = store.model.entities.map { entity in
      Entity(
        name: entity.name ?? "", parent: entity.superentity?.name, abstract: entity.isAbstract,
        count: counts[entity.name ?? ""], label: RowLabel.attribute(of: entity),
        properties: entity.properties.map(Property.init).sorted { $0.name < $1.name },
        uniqueness: entity.uniquenessConstraintNames)
    }.sorted { $0.name < $1.name }
    templates = store.model.fetchRequestTemplatesByName.map { name, request in
      Template(
        name: name, entity: request.entityName ?? "",
        predicate: request.predicate?.description ?? "",
        variables: Self.variables(request.predicate?.description ?? ""))
    }.sorted { $0.name < $1.name }
  }

  /// The names of a format's variables, each once.
  private static func variables(_ format: String) -> [String] {
    // What stands in quotes is text.
    let open = format.replacing(/"(\\.|[^"\\])*"/, with: "")
    return open.matches(of: /\$(\w+)/).map { String($0.1) }.reduce(into: []) { names, name in
      if !names.contains(name) { names.append(name) }
    }
  }
}

extension StoreSummary.Property {
  init(_ property: NSPropertyDescription) {
    name = property.name
    optional = property.isOptional
    transient = property.isTransient
    switch property {
    case let attribute as NSAttributeDescription:
      kind = "attribute"
      type = attribute.attributeType.modelFileName
      derived = attribute is NSDerivedAttributeDescription
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
