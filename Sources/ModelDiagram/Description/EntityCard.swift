/// An entity as a diagram shows it: a heading and a row for each property that it declares itself.
package struct EntityCard: Hashable, Sendable {
  /// The entity's name.
  package var name: String
  /// The name of the objects' class, where it is not simply the entity's name.
  package var className: String?
  /// Whether no object is of this entity itself.
  package var isAbstract = false
  /// The hierarchy that the entity belongs to, counted from 0; nil for one that stands alone.
  package var family: Int?
  /// The properties: attributes first, then relationships, each in the order of the model.
  package var rows: [CardRow] = []
  /// Where the heading leads; nil for nowhere.
  package var link: String?
  /// What stands at the right of the heading: how many rows there are, for example.
  package var note: String?

  /// The heading as a sentence.
  package var explanation: String {
    var parts = [isAbstract ? "\(name) (abstract)" : name]
    if let className { parts.append("class \(className)") }
    return parts.joined(separator: ", ")
  }
}
