/// A difference in how a model stores objects compared to an older model.
package struct ModelDifference: Hashable, Sendable {
  /// The entity that differs, by its new name.
  package var entity: String
  /// The property that differs; nil if the difference concerns the entity as a whole.
  package var property: String?
  /// The difference as a phrase, such as `type Integer 16 → Integer 32`.
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
  /// Returns the differences that prevent a store of another model from opening with this one: the changes
  /// from that model to this one that need a migration.
  ///
  /// Each change is listed once, at the entity that declares it.
  ///
  /// - Returns: The differences by entity, then by property; empty exactly if all version hashes are equal.
  package final func differences(from other: NSManagedObjectModel) -> [ModelDifference] {
    // Equal hashes, which are cached, make the comparison unnecessary.
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
