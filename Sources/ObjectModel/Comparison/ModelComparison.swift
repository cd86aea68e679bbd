/// What a migration from one model to another would do.
///
/// Entities and properties are paired by renaming identifiers, then by name. A change is told once, at
/// the entity that declares it, with both descriptions at hand and with what it asks of a migration.
///
/// Cost: about that of working out the version hashes of both models.
///
/// Properties are paired over each entity's whole lineage, so that a property that moved to or from a parent entity
/// is found again. A migration is needed exactly where version hashes differ; tests compare the two for all versions
/// of real models.
package struct ModelComparison: @unchecked Sendable {
  /// The model of the data as it is.
  package let old: NSManagedObjectModel
  /// The model to get to.
  package let new: NSManagedObjectModel
  /// All entities of both models, unchanged ones included, by name in byte order; a removed one
  /// before an added one of the same name.
  package let entities: [EntityComparison]
  /// Changes of what belongs to the model as a whole: configurations, fetch requests, names.
  package let modelChanges: [ModelChange]
  /// The places in ``entities`` by the new entity.
  private let placesByNew: [ObjectIdentifier: Int]

  /// Compares two models. Neither is changed, and both are kept.
  package init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
    self.old = old
    self.new = new
    let pairing = ModelPairing(from: old, to: new)
    let entities = EntityComparer(pairing: pairing).comparisons()
    self.entities = entities
    placesByNew = Dictionary(
      entities.enumerated().compactMap { place, entity in
        entity.new.map { (ObjectIdentifier($0), place) }
      }, uniquingKeysWith: { first, _ in first })
    modelChanges = ModelChange.changes(pairing)
  }

  /// All changes, those of the model first, then entity by entity and property by property.
  package var changes: [any ComparedChange] {
    modelChanges + entities.flatMap(\.allChanges)
  }

  /// The most that any change asks of a migration.
  package var migration: MigrationNeed {
    changes.map(\.migration).max { $0.weight < $1.weight } ?? .none
  }

  /// The entity that a new entity's objects come from, and what becomes of it; nil for an entity of
  /// neither model.
  package func comparison(ofNew entity: NSEntityDescription) -> EntityComparison? {
    placesByNew[ObjectIdentifier(entity)].map { entities[$0] }
  }
}

/// A change between two models, of whatever it is.
package protocol ComparedChange {
  /// What it asks of a migration.
  var migration: MigrationNeed { get }
  /// What changed, as a word for programs, such as `type` or `optionality`.
  var kind: String { get }
  /// The change as a phrase, such as `type Integer 16 → Integer 32`.
  var text: String { get }
}
