import ObjectModel

extension RelationLine {
  /// A short label of both ends: `jobs (ordered, cascade) / customer`.
  var label: String {
    let names = isOwnInverse ? [source.label] : [source.label, target.label]
    return names.filter { !$0.isEmpty }.joined(separator: " / ")
  }
}

extension RelationLine.End {
  /// The name and special features of the relationship that starts here; empty if there is none.
  var label: String {
    guard let name else { return "" }
    var facts: [String] = []
    // Counts other than 0, 1 and many have no symbol.
    if let leadsTo, leadsTo.minimum > 1 || (leadsTo.maximum ?? 1) > 1 { facts.append(leadsTo.text) }
    if isOrdered { facts.append(CardRow.Mark.ordered.rawValue) }
    switch deleteRule {
    case .cascadeDeleteRule: facts.append(CardRow.Mark.cascade.rawValue)
    case .denyDeleteRule: facts.append(CardRow.Mark.deny.rawValue)
    case .noActionDeleteRule: facts.append(CardRow.Mark.noAction.rawValue)
    case .nullifyDeleteRule, nil: break
    }
    return facts.isEmpty ? name : "\(name) (\(facts.joined(separator: ", ")))"
  }
}
