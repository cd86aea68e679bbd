/// Evaluates deep trees of AND, OR and NOT without recursion.
struct CompoundEvaluator {
  let evaluation: Evaluation
  let object: Any?

  /// A compound that is being evaluated: the index of its next part, and whether a previous part was unknown.
  private struct Level {
    let type: NSCompoundPredicate.LogicalType
    let parts: [NSPredicate]
    var next = 0
    var isUnknown = false
  }

  /// Returns the truth value of a compound; nil if it is unknown.
  func truth(of compound: Foundation.NSCompoundPredicate) throws -> Bool? {
    var levels = [Level(type: compound.compoundPredicateType, parts: compound.subpredicates)]
    while true {
      var level = levels[levels.count - 1]
      let isFinished = level.next == level.parts.count
      var answer: Bool?
      if isFinished {
        // AND of no parts is true, and OR of no parts is false.
        answer = level.type == .not || level.isUnknown ? nil : level.type == .and
      } else {
        let part = level.parts[level.next]
        level.next += 1
        levels[levels.count - 1] = level
        if let inner = part as? Foundation.NSCompoundPredicate {
          levels.append(Level(type: inner.compoundPredicateType, parts: inner.subpredicates))
          continue
        }
        guard let decided = record(try part.truth(for: object, in: evaluation), in: &levels) else {
          continue
        }
        answer = decided
      }
      // The result of a level is the truth value of a part of the enclosing level, and may decide that level too.
      while true {
        levels.removeLast()
        if levels.isEmpty { return answer }
        guard let decided = record(answer, in: &levels) else { break }
        answer = decided
      }
    }
  }

  /// Records the truth value of a part. Returns the result of its level once the level is decided.
  private func record(_ truth: Bool?, in levels: inout [Level]) -> Bool?? {
    let last = levels.count - 1
    switch (levels[last].type, truth) {
    case (.not, let truth): return .some(truth.map { !$0 })
    case (.and, false): return .some(false)
    case (.or, true): return .some(true)
    case (_, nil):
      levels[last].isUnknown = true
      return nil
    default: return nil
    }
  }
}
