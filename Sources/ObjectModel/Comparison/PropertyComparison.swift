/// The comparison of a property in two models.
package struct PropertyComparison: @unchecked Sendable {
  /// The property in the old model; nil for an added one.
  package let old: NSPropertyDescription?
  /// The property in the new model; nil for a removed one.
  package let new: NSPropertyDescription?
  /// The differences.
  package let changes: [PropertyChange]

  /// The property's name, preferably in the new model.
  package var name: String { new?.name ?? old?.name ?? "" }
}

/// The aspects of a property that can differ, in the order in which reports list them.
package enum PropertyAspect: Int, Hashable, Sendable, CaseIterable {
  /// The property exists only in the new model.
  case added
  /// The property exists only in the old model.
  case removed
  /// The name, with a renaming identifier that leads to the old one.
  case name
  /// The entity that declares the property, such as a parent of the entity that declared it before.
  case entity
  /// The kind: attribute, derived attribute, composite attribute, relationship or fetched property.
  case kind
  /// Whether the property is transient.
  case transience
  /// Whether the property is optional.
  case optionality
  /// The type of an attribute.
  case type
  /// Whether large values may be stored in separate files.
  case externalStorage
  /// Whether the history keeps the value when its object is deleted.
  case historyPreservation
  /// The expression of a derived attribute.
  case derivation
  /// The elements of a composite attribute.
  case elements
  /// The destination entity of a relationship.
  case destination
  /// The inverse relationship.
  case inverse
  /// Whether the relationship is to-one or to-many.
  case cardinality
  /// The minimum and maximum number of objects.
  case counts
  /// Whether the relationship is ordered.
  case order
  /// The version hash modifier.
  case versionHashModifier

  // Version hashes do not include the following aspects.

  /// The predicate that selects the rows that a derived attribute counts or adds up.
  case derivationFilter
  /// The default value.
  case defaultValue
  /// The validation rules.
  case validation
  /// The delete rule.
  case deleteRule
  /// The fetch request of a fetched property.
  case fetch
  /// The transformer of a transformable attribute.
  case valueTransformer
  /// The class of the values.
  case valueClass
  /// Whether the value is encrypted in the cloud.
  case cloudEncryption
  /// Whether the property has an index of its own, as in models that predate fetch indexes.
  case indexing
  /// Whether the property is indexed by Spotlight.
  case spotlight
  /// Whether the property is written to external record files.
  case externalRecord
  /// The renaming identifier, if the name is the same.
  case renamingIdentifier
  /// The user info.
  case userInfo
  /// Whether generated code uses a scalar type.
  case scalarValue
  /// Whether the property takes part in syncing.
  case syncing
}

/// One change to a property.
package struct PropertyChange: ComparedChange, @unchecked Sendable {
  /// The changed aspect.
  package let aspect: PropertyAspect
  /// The property in the old model; nil for an added one.
  package let old: NSPropertyDescription?
  /// The property in the new model; nil for a removed one.
  package let new: NSPropertyDescription?
  /// The consequence for a migration.
  package let migration: MigrationNeed
}
