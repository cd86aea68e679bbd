/// The entity of a batch request: given, or looked up by its name when the request is executed.
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

  /// What stands for the entity as long as no model was asked for it.
  package var unresolved: NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    return entity
  }
}
