/// The entity of a batch request: an entity description, or a name that is looked up when the request is executed.
package final class BatchEntity {
  package let name: String
  package private(set) var entity: NSEntityDescription?

  package init(name: String) { self.name = name }

  package init(_ entity: NSEntityDescription) {
    name = entity.name ?? ""
    self.entity = entity
  }

  package func layout(in model: ModelLayout) throws -> EntityLayout {
    let layout = entity.map { model.layout(of: $0) } ?? model.layout(named: name)
    guard let layout else { throw CoreDataError.unknownEntity(name, in: model) }
    entity = entity ?? layout.entity
    return layout
  }

  /// A placeholder for the entity before it is looked up in a model.
  package var unresolved: NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    return entity
  }
}
