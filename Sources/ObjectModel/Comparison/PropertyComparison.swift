/// A property of two models, and what differs.
package struct PropertyComparison: @unchecked Sendable {
  /// The property in the old model; nil for an added one.
  package let old: NSPropertyDescription?
  /// The property in the new model; nil for a removed one.
  package let new: NSPropertyDescription?
  /// What differs.
  package let changes: [PropertyChange]

  /// The property's name, in the new model where it has one.
  package var name: String { new?.name ?? old?.name ?? "" }
}

/// What can differ in a property. The order is that of reports.
package enum PropertyAspect: Int, Hashable, Sendable, CaseIterable {
  /// The new model has the property, the old one has not.
  case added
  /// The old model has the property, the new one has not.
  case removed
  /// Another name, with a renaming identifier that leads to the old one.
  case name
  /// Declared by another entity of the same line of descent.
  case entity
  /// Attribute, derived attribute, composite attribute, relationship or fetched property.
  case kind
  /// Stored or transient.
  case transience
  /// Optional or required.
  case optionality
  /// The type of an attribute.
  case type
  /// Whether large values are kept in files of their own.
  case externalStorage
  /// Whether the value is kept in the history when its object is deleted.
  case historyPreservation
  /// The expression of a derived attribute.
  case derivation
  /// The elements of a composite attribute.
  case elements
  /// The entity that a relationship leads to.
  case destination
  /// The relationship that leads back.
  case inverse
  /// To one or to many.
  case cardinality
  /// The least and greatest number of objects.
  case counts
  /// With or without an order.
  case order
  /// The version hash modifier.
  case versionHashModifier

  // From here on nothing enters version hashes.

  /// The predicate that rows must meet to be counted by a derived attribute.
  case derivationFilter
  /// The default value.
  case defaultValue
  /// The rules for values.
  case validation
  /// What deleting the owner does.
  case deleteRule
  /// The fetch of a fetched property.
  case fetch
  /// The transformer of a transformable attribute.
  case valueTransformer
  /// The class of the values.
  case valueClass
  /// Whether the value is encrypted in the cloud.
  case cloudEncryption
  /// Whether the property wants an index of its own: the form of models before fetch indexes.
  case indexing
  /// Whether the property is meant for Spotlight's index.
  case spotlight
  /// Whether the property is written to external record files.
  case externalRecord
  /// The renaming identifier, where the name is the same.
  case renamingIdentifier
  /// The author's notes.
  case userInfo
  /// Whether generated code uses a scalar.
  case scalarValue
  /// Whether the property takes part in syncing.
  case syncing
}

/// One change of a property.
package struct PropertyChange: ComparedChange, @unchecked Sendable {
  /// What changed.
  package let aspect: PropertyAspect
  /// The property in the old model; nil for an added one.
  package let old: NSPropertyDescription?
  /// The property in the new model; nil for a removed one.
  package let new: NSPropertyDescription?
  /// What it asks of a migration.
  package let migration: MigrationNeed
}
