/// The content of a model's diagram before its layout: cards, lines between them, and arrows of inheritance.
///
/// ``DiagramLayout`` and the writers (``svg(_:)``, ``mermaid``, ``dot``) use this value instead of a model, so tests
/// can also create diagrams by hand.
///
/// Cards are identified by their indexes in ``cards``, and rows by their indexes in the card, because a model that
/// is still being built may contain two entities with the same name.
package struct EntityDiagram: Hashable, Sendable {
  /// The title of the diagram.
  package var title: String
  /// The entities, in the order of the model.
  package var cards: [EntityCard]
  /// The relationships, with one line for a pair of inverses, in the order of the model.
  package var relations: [RelationLine] = []
  /// The arrows from each entity to its parent, in the order of the model.
  package var inheritances: [InheritanceArrow] = []

  /// A description of the diagram in a sentence, for accessibility.
  package var summary: String {
    func count(_ number: Int, _ one: String, _ many: String) -> String {
      "\(number) \(number == 1 ? one : many)"
    }
    var parts = [
      count(cards.count, "entity", "entities"),
      count(relations.count, "relationship", "relationships"),
    ]
    if !inheritances.isEmpty {
      parts.append(count(inheritances.count, "inheritance", "inheritances"))
    }
    return "Entity-relationship diagram of \(parts.joined(separator: ", "))."
  }
}

/// An arrow from an entity to its parent.
package struct InheritanceArrow: Hashable, Sendable {
  /// The index of the child entity.
  package var child: Int
  /// The index of the parent entity.
  package var parent: Int
}
