import CoreData

/// Shrinks a case in which evaluators disagree.
struct AgreementShrinker {
  let model: NSManagedObjectModel
  /// The existing store, or nil if each trial makes a new store from its rows.
  let world: AgreementWorld?
  /// The maximum number of trials.
  var trials = 3000
  /// The maximum duration of all trials.
  var patience = Duration.seconds(30)

  /// Returns the shortest case found with the same difference, and the answers to it.
  func shortest(
    _ test: AgreementCase, _ difference: String
  ) -> (test: AgreementCase, answers: Answers) {
    var best = test
    var left = trials
    let start = ContinuousClock.now
    func fails(_ candidate: AgreementCase) -> Bool {
      left -= 1
      if start.duration(to: .now) > patience { left = 0 }
      return left > 0 && answers(to: candidate)?.difference == difference
    }
    var isShorter = true
    while isShorter, left > 0 {
      isShorter = false
      // Removes rows first, because the other steps are faster with few rows.
      if let fewer = withoutRows(best, fails) {
        best = fewer
        isShorter = true
      }
      let size = best.tree.size
      for tree in best.tree.shorter.sorted(by: { $0.size < $1.size }) where tree.size < size {
        var candidate = best
        candidate.tree = tree
        if fails(candidate) {
          best = candidate
          isShorter = true
          break
        }
      }
      if isShorter { continue }
      for candidate in withLess(best) where fails(candidate) {
        best = candidate
        isShorter = true
        break
      }
    }
    return (best, answers(to: best) ?? Answers())
  }

  func answers(to test: AgreementCase) -> Answers? {
    if let world { return world.answers(to: test, isPending: false) }
    guard let world = try? AgreementWorld(model, test.rows) else { return nil }
    world.context.performAndWait { for change in test.changes { world.apply(change) } }
    return world.answers(to: test, isPending: !test.changes.isEmpty)
  }

  /// Returns the case without some of its rows, removed by halves, quarters and so on.
  private func withoutRows(
    _ test: AgreementCase, _ fails: (AgreementCase) -> Bool
  ) -> AgreementCase? {
    var best = test
    var piece = test.rows.count
    while piece >= 1 {
      let numbers = best.rows.keys.sorted()
      for start in stride(from: 0, to: numbers.count, by: piece) {
        var candidate = best
        for number in numbers[start..<min(start + piece, numbers.count)] {
          candidate.rows[number] = nil
        }
        if candidate.rows.count < best.rows.count, fails(candidate) { best = candidate }
      }
      piece /= 2
    }
    return best.rows.count < test.rows.count ? best : nil
  }

  /// Returns the cases with one value, link or change fewer.
  private func withLess(_ test: AgreementCase) -> [AgreementCase] {
    var candidates: [AgreementCase] = []
    for index in test.changes.indices {
      var candidate = test
      candidate.changes.remove(at: index)
      candidates.append(candidate)
    }
    for (number, row) in test.rows.sorted(by: { $0.key < $1.key }) {
      for (key, value) in row.values.sorted(by: { $0.key < $1.key }) where !value.isNull {
        var candidate = test
        candidate.rows[number]?.values[key] = .null
        candidates.append(candidate)
      }
      for (key, links) in row.links.sorted(by: { $0.key < $1.key }) where !links.isEmpty {
        for position in links.indices {
          var candidate = test
          candidate.rows[number]?.links[key]?.remove(at: position)
          candidates.append(candidate)
        }
      }
    }
    return candidates
  }
}
