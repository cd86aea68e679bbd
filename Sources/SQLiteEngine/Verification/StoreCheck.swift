import StoreEngine

/// A finding and what puts it right.
struct StoreProblem {
  var finding: StoreFinding
  var repairs: [String] = []
  var unusedFiles: [String] = []
  /// Whether it keeps the store from being opened for writing, and so from being repaired.
  var preventsWriting = false

  init(
    _ kind: StoreFinding.Kind, _ layout: EntityLayout? = nil, _ slot: PropertySlot? = nil,
    count: Int, _ message: String, repairs: [String] = [], unusedFiles: [String] = [],
    preventsWriting: Bool = false
  ) {
    finding = StoreFinding(
      kind: kind, entity: layout?.name, property: slot?.name, count: count, message: message,
      isRepairable: !repairs.isEmpty || !unusedFiles.isEmpty)
    self.repairs = repairs
    self.unusedFiles = unusedFiles
    self.preventsWriting = preventsWriting
  }

  /// The problem, as one that stays.
  var left: StoreProblem {
    var problem = self
    problem.finding.isRepairable = false
    (problem.repairs, problem.unusedFiles) = ([], [])
    return problem
  }
}

/// One kind of question to a store.
protocol StoreCheck: Sendable {
  func problems(in store: VerifiedStore) throws -> [StoreProblem]
}
