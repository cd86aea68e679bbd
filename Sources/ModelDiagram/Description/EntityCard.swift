/// An entity in a diagram: a heading, and a row for each property that it declares.
package struct EntityCard: Hashable, Sendable {
  /// The entity's name.
  package var name: String
  /// The class name of the entity's objects, if it is neither the entity's name nor `NSManagedObject`.
  package var className: String?
  /// Whether the entity is abstract.
  package var isAbstract = false
  /// The index of the entity's hierarchy; nil for an entity without relatives.
  package var family: Int?
  /// The properties: attributes with their elements, then relationships, then fetched properties, each in the order of
  /// the model.
  package var rows: [CardRow] = []
  /// The URL to which the heading links; nil for none.
  package var link: String?
  /// The note at the right of the heading, such as the number of rows.
  package var note: String?

  /// The heading as a sentence.
  package var explanation: String {
    var parts = [isAbstract ? "\(name) (abstract)" : name]
    if let className { parts.append("class \(className)") }
    return parts.joined(separator: ", ")
  }
}
