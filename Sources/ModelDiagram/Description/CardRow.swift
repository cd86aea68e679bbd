/// A property as a row of a card.
package struct CardRow: Hashable, Sendable {
  /// The kind of property in a row.
  package enum Kind: Hashable, Sendable {
    /// An attribute, or an element of a composite attribute.
    case attribute
    /// A relationship.
    case relationship
    /// A fetched property.
    case fetchedProperty
  }

  /// A mark for a special feature of a property.
  ///
  /// The raw values are the words in the diagram.
  package enum Mark: String, Hashable, Sendable, CaseIterable {
    /// The value is never stored.
    case transient
    /// The store computes the value.
    case derived
    /// Large values are stored in files beside the store.
    case external
    /// The value is encrypted in the cloud.
    case encrypted
    /// The property is a fetched property.
    case fetched
    /// The relationship is ordered.
    case ordered
    /// Deleting the object deletes the relationship's objects.
    case cascade
    /// The object cannot be deleted while the relationship has objects.
    case deny
    /// Deleting the object does not change the relationship's objects.
    case noAction = "no action"
  }

  /// The kind of property.
  package var kind: Kind
  /// The property's name.
  package var name: String
  /// The attribute's type, with a question mark if it is optional; or the destination of the relationship or fetched
  /// property with its counts, such as `Job 0..*`.
  package var type: String
  /// Whether the attribute is part of a uniqueness constraint.
  package var isKey = false
  /// The property's marks, in the order of the cases.
  package var marks: [Mark] = []
  /// The nesting depth of an element in composite attributes; 0 for a property.
  package var depth = 0
  /// A complete description of the property, as a sentence.
  package var explanation = ""
}
