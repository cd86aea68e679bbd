import Foundation
import ObjectModel

/// The entity of a batch request: given, or looked up by its name when the request is executed.
final class BatchEntity {
  let name: String
  private(set) var entity: NSEntityDescription?

  init(name: String) { self.name = name }

  init(_ entity: NSEntityDescription) {
    name = entity.name ?? ""
    self.entity = entity
  }

  func layout(in model: ModelLayout) throws -> EntityLayout {
    let layout = entity.map { model.layout(of: $0) } ?? model.layout(named: name)
    guard let layout else { throw CoreDataError.unknownEntity(name, in: model) }
    entity = entity ?? layout.entity
    return layout
  }

  /// What stands for the entity as long as no model was asked for it.
  var unresolved: NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    return entity
  }
}
