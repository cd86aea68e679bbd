/// An entity of two models, and what differs.
package struct EntityComparison: @unchecked Sendable {
  /// The entity in the old model; nil for an added one.
  package let old: NSEntityDescription?
  /// The entity in the new model; nil for a removed one.
  package let new: NSEntityDescription?
  /// Changes of the entity itself.
  package let changes: [EntityChange]
  /// The properties that changed, by name in byte order. Each is told at the entity that declares it
  /// in the new model, a removed one at the entity that declared it.
  package let properties: [PropertyComparison]
  /// For each property of the new entity, inherited ones included and in their order: the old
  /// property that its values come from, or nil. Empty for an added or removed entity.
  package let sources: [(new: NSPropertyDescription, old: NSPropertyDescription?)]

  /// The entity's name, in the new model where it has one.
  package var name: String { new?.name ?? old?.name ?? "" }

  /// The changes of the entity itself, then those of its properties.
  package var allChanges: [any ComparedChange] { changes + properties.flatMap(\.changes) }
}

/// What can differ in an entity itself. The order is that of reports.
package enum EntityAspect: Hashable, Sendable {
  /// The new model has the entity, the old one has not.
  case added
  /// The old model has the entity, the new one has not.
  case removed
  /// Another name, with a renaming identifier that leads to the old one.
  case name
  /// The entity directly above.
  case parent
  /// Abstract or not.
  case abstractness
  /// The uniqueness constraints.
  case constraints
  /// The version hash modifier.
  case versionHashModifier
  /// The fetch index of that name: there, gone, or other than it was.
  case index(String)
  /// The compound indexes of models before fetch indexes.
  case compoundIndexes
  /// The class of the objects.
  case className
  /// The renaming identifier, where the name is the same.
  case renamingIdentifier
  /// The author's notes.
  case userInfo
  /// What Spotlight shows.
  case spotlightText
  /// How classes are generated.
  case codeGeneration
  /// Whether the entity takes part in syncing.
  case syncing
}

/// One change of an entity itself.
package struct EntityChange: ComparedChange, @unchecked Sendable {
  /// What changed.
  package let aspect: EntityAspect
  /// The entity in the old model; nil for an added one.
  package let old: NSEntityDescription?
  /// The entity in the new model; nil for a removed one.
  package let new: NSEntityDescription?
  /// What it asks of a migration.
  package let migration: MigrationNeed
  /// The fetch index in the old model, for a change of one; nil for an added one.
  package var oldIndex: NSFetchIndexDescription?
  /// The fetch index in the new model, for a change of one; nil for a removed one.
  package var newIndex: NSFetchIndexDescription?
}
