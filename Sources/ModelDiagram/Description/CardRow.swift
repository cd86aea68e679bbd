/// A property as a row of a card.
package struct CardRow: Hashable, Sendable {
  /// What kind of property a row stands for.
  package enum Kind: Hashable, Sendable {
    /// An attribute, or an element of a composite attribute.
    case attribute
    /// A relationship.
    case relationship
    /// A fetched property.
    case fetchedProperty
  }

  /// What is special about a property and worth a mark.
  ///
  /// The raw values are the words that a diagram shows.
  package enum Mark: String, Hashable, Sendable, CaseIterable {
    /// The value is never stored.
    case transient
    /// The store computes the value.
    case derived
    /// Large values are kept in files beside the store.
    case external
    /// The value is encrypted in the cloud.
    case encrypted
    /// The property is a fetch.
    case fetched
    /// The objects of the relationship have an order.
    case ordered
    /// Deleting the object deletes those at the other side.
    case cascade
    /// The object cannot be deleted while the relationship leads anywhere.
    case deny
    /// Deleting the object leaves the other side as it is.
    case noAction = "no action"
  }

  /// What the row stands for.
  package var kind: Kind
  /// The property's name.
  package var name: String
  /// The attribute's type with a question mark where it is optional; the relationship's destination
  /// with its counts, such as `Job 0..*`.
  package var type: String
  /// Whether the attribute is a member of a uniqueness constraint.
  package var isKey = false
  /// What is special about the property, in the order of the cases.
  package var marks: [Mark] = []
  /// How deep the row stands in a composite attribute; 0 for a property.
  package var depth = 0
  /// Everything about the property, as a sentence.
  package var explanation = ""
}
