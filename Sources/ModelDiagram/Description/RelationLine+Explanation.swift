import ObjectModel

extension RelationLine {
  /// Returns a description of the relation: both ends with counts, order and delete rule.
  func explanation(_ cards: [EntityCard]) -> String {
    let there = source.explanation(from: cards, to: target.card)
    if isOwnInverse { return "\(there), its own inverse" }
    guard target.name != nil else { return "\(there), no inverse" }
    return "\(there); \(target.explanation(from: cards, to: source.card))"
  }
}

extension RelationLine.End {
  func explanation(from cards: [EntityCard], to other: Int) -> String {
    var text = "\(cards[card].name).\(name ?? ""): \(leadsTo?.text ?? "") \(cards[other].name)"
    if isOrdered { text += ", ordered" }
    if let deleteRule { text += ", delete rule \(deleteRule.modelFileName)" }
    return text
  }
}
