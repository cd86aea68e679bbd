/// The differences between two models, and their consequences for a migration.
///
/// Entities and properties are paired by renaming identifiers, then by name. Each change is listed once, at
/// the entity that declares it, with both descriptions and the consequence for a migration.
///
/// Cost: about that of computing the version hashes of both models.
///
/// Properties are paired across each entity's whole inheritance chain, so that a property that moved to or from a
/// parent entity is recognized. Tests verify for all versions of real models that a migration is needed if and only if
/// version hashes differ. A changed configuration is listed too, because it affects the stores that use it, although
/// the version hashes are the same.
package struct ModelComparison: @unchecked Sendable {
  /// The model of the existing data.
  package let old: NSManagedObjectModel
  /// The target model.
  package let new: NSManagedObjectModel
  /// All entities of both models, including unchanged ones, sorted by name in byte order. A removed entity precedes
  /// an added one with the same name.
  package let entities: [EntityComparison]
  /// Changes to the model as a whole: configurations, fetch requests, version identifiers, localization.
  package let modelChanges: [ModelChange]
  /// The indexes in ``entities`` by the new entity.
  private let placesByNew: [ObjectIdentifier: Int]

  /// Compares two models. It does not change them, and keeps references to both.
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

  /// All changes: those of the model, then those of each entity and its properties.
  package var changes: [any ComparedChange] {
    modelChanges + entities.flatMap(\.allChanges)
  }

  /// The greatest need of all changes.
  package var migration: MigrationNeed {
    changes.map(\.migration).max { $0.weight < $1.weight } ?? .none
  }

  /// Returns the comparison of a new entity with its predecessor; nil for an entity that is not in the new model.
  package func comparison(ofNew entity: NSEntityDescription) -> EntityComparison? {
    placesByNew[ObjectIdentifier(entity)].map { entities[$0] }
  }
}

/// A change between two models.
package protocol ComparedChange {
  /// The consequence for a migration.
  var migration: MigrationNeed { get }
  /// The changed aspect as an identifier for programs, such as `type` or `optionality`.
  var kind: String { get }
  /// The change as a phrase, such as `type Integer 16 → Integer 32`.
  var text: String { get }
}
