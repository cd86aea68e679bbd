import FixtureSupport

@testable import ModelDiagram

/// Makes diagrams that no model would have, for tests of invariants.
enum RandomDiagram {
  static func make(cards count: Int, using random: inout SeededGenerator) -> EntityDiagram {
    var diagram = EntityDiagram(title: "Random", cards: [])
    for number in 0..<count {
      let attributes = Int.random(in: 0...12, using: &random)
      var card = EntityCard(name: "Entity\(number)", isAbstract: number % 7 == 3)
      for attribute in 0..<attributes {
        let length = Int.random(in: 1...30, using: &random)
        card.rows.append(
          CardRow(
            kind: .attribute, name: String(repeating: "a", count: length) + "\(attribute)",
            type: "Integer 64?", isKey: attribute == 0,
            marks: attribute == 1 ? [.derived, .external] : []))
      }
      diagram.cards.append(card)
    }
    guard count > 0 else { return diagram }
    for child in 1..<max(count, 1) where Int.random(in: 0..<5, using: &random) == 0 {
      let parent = Int.random(in: 0..<child, using: &random)
      diagram.inheritances.append(InheritanceArrow(child: child, parent: parent))
    }
    for number in 0..<(count * 3 / 2) {
      add(relation: number, to: &diagram, using: &random)
    }
    return diagram
  }

  private static func add(
    relation number: Int, to diagram: inout EntityDiagram, using random: inout SeededGenerator
  ) {
    let source = Int.random(in: diagram.cards.indices, using: &random)
    // The target is usually a close neighbor, as in models, and sometimes any card. It may be the source itself.
    let reach = number % 4 == 0 ? diagram.cards.count : 6
    let target =
      (source + Int.random(in: 0..<reach, using: &random)) % diagram.cards.count
    func end(_ card: Int, _ name: String) -> RelationLine.End {
      diagram.cards[card].rows.append(CardRow(kind: .relationship, name: name, type: "Entity 0..*"))
      return RelationLine.End(
        card: card, row: diagram.cards[card].rows.count - 1, name: name,
        leadsTo: RelationLine.Cardinality(
          minimum: Int.random(in: 0...1, using: &random),
          maximum: Bool.random(using: &random) ? nil : 1))
    }
    let start = end(source, "there\(number)")
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      diagram.relations.append(
        RelationLine(source: start, target: RelationLine.End(card: target)))
    case 1:
      diagram.relations.append(RelationLine(source: start, target: start, isOwnInverse: true))
    default:
      diagram.relations.append(
        RelationLine(source: start, target: end(target, "back\(number)")))
    }
  }
}
