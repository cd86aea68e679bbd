/// One thing in which a model stores objects differently from an older one.
package struct ModelDifference: Hashable, Sendable {
  /// The entity that differs, by its new name.
  package var entity: String
  /// The property that differs, or nil where the entity as a whole does.
  package var property: String?
  /// What differs, as a phrase, such as `type Integer 16 → Integer 32`.
  package var what: String
}

extension ModelDifference: CustomStringConvertible {
  /// The difference as a line: `Person.age: type Integer 16 → Integer 32`.
  package var description: String {
    guard let property else { return "\(entity): \(what)" }
    return "\(entity).\(property): \(what)"
  }
}

extension NSManagedObjectModel {
  /// What keeps a store of another model from opening with this one: the changes from that model to
  /// this that a store would have to be migrated for.
  ///
  /// A change is told once, at the entity that declares it.
  ///
  /// - Returns: The differences by entity, then by property; empty exactly if all version hashes
  ///   agree.
  package final func differences(from other: NSManagedObjectModel) -> [ModelDifference] {
    guard entityVersionHashesByName != other.entityVersionHashesByName else { return [] }
    return ModelComparison(from: other, to: self).entities.flatMap { entity in
      entity.changes.filter(\.migration.isNeeded).map {
        ModelDifference(entity: entity.name, property: nil, what: $0.text)
      }
        + entity.properties.flatMap { property in
          property.changes.filter(\.migration.isNeeded).map {
            ModelDifference(entity: entity.name, property: property.name, what: $0.text)
          }
        }
    }
  }
}
