/// The comparison of an entity in two models.
package struct EntityComparison: @unchecked Sendable {
  /// The entity in the old model; nil for an added one.
  package let old: NSEntityDescription?
  /// The entity in the new model; nil for a removed one.
  package let new: NSEntityDescription?
  /// Changes to the entity itself.
  package let changes: [EntityChange]
  /// The changed properties, sorted by name in byte order. Each property is listed with the entity that declares it in
  /// the new model; a removed property is listed with the entity that declared it in the old model.
  package let properties: [PropertyComparison]
  /// For each property of the new entity, including inherited ones, in order: the old property that provides its
  /// values, or nil. Empty for an added or removed entity.
  package let sources: [(new: NSPropertyDescription, old: NSPropertyDescription?)]

  /// The entity's name in the new model, or in the old one if the entity was removed.
  package var name: String { new?.name ?? old?.name ?? "" }

  /// The changes to the entity itself, then those of its properties.
  package var allChanges: [any ComparedChange] { changes + properties.flatMap(\.changes) }
}

/// The aspects of an entity itself that can differ, in the order of reports.
package enum EntityAspect: Hashable, Sendable {
  /// The entity exists only in the new model.
  case added
  /// The entity exists only in the old model.
  case removed
  /// The name, with a renaming identifier that leads to the old one.
  case name
  /// The parent entity.
  case parent
  /// Whether the entity is abstract.
  case abstractness
  /// The uniqueness constraints.
  case constraints
  /// The version hash modifier.
  case versionHashModifier
  /// The fetch index with this name was added, removed or changed.
  case index(String)
  /// The compound indexes of models that predate fetch indexes.
  case compoundIndexes
  /// The class of the objects.
  case className
  /// The renaming identifier, if the name is the same.
  case renamingIdentifier
  /// The user info.
  case userInfo
  /// The Spotlight display text.
  case spotlightText
  /// The code generation type.
  case codeGeneration
  /// Whether the entity takes part in syncing.
  case syncing
}

/// One change to an entity itself.
package struct EntityChange: ComparedChange, @unchecked Sendable {
  /// The changed aspect.
  package let aspect: EntityAspect
  /// The entity in the old model; nil for an added one.
  package let old: NSEntityDescription?
  /// The entity in the new model; nil for a removed one.
  package let new: NSEntityDescription?
  /// The consequence for a migration.
  package let migration: MigrationNeed
  /// The fetch index in the old model, for a change to an index; nil if it was added.
  package var oldIndex: NSFetchIndexDescription?
  /// The fetch index in the new model, for a change to an index; nil if it was removed.
  package var newIndex: NSFetchIndexDescription?
}
