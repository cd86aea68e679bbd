/// What a diagram of a model shows, before anything is placed or written: cards, the lines between
/// them, and the arrows of inheritance.
///
/// ``DiagramLayout`` and the writers (``svg(_:)``, ``mermaid``, ``dot``) use this value and no model, so that they also
/// work on diagrams that tests make by hand.
///
/// Cards are referred to by their place in ``cards``, rows by their place in the card: a model may
/// hold two entities of one name while it is being built.
package struct EntityDiagram: Hashable, Sendable {
  /// What the picture is called.
  package var title: String
  /// The entities, in the order of the model.
  package var cards: [EntityCard]
  /// The relationships: one line for a pair of inverses; in the order of the model.
  package var relations: [RelationLine] = []
  /// The hierarchies: an arrow from each entity to the one above it; in the order of the model.
  package var inheritances: [InheritanceArrow] = []

  /// The picture in a sentence, for those who cannot see it.
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

/// An arrow from an entity to the one that it inherits from.
package struct InheritanceArrow: Hashable, Sendable {
  /// The place of the entity below.
  package var child: Int
  /// The place of the entity above.
  package var parent: Int
}
