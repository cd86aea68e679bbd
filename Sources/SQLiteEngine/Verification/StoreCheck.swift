import StoreEngine

/// A finding and its repair.
struct StoreProblem {
  var finding: StoreFinding
  var repairs: [String] = []
  var unusedFiles: [String] = []
  /// Whether the problem prevents opening the store for writing, and thus repairing it.
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

  /// The problem without its repair.
  var left: StoreProblem {
    var problem = self
    problem.finding.isRepairable = false
    (problem.repairs, problem.unusedFiles) = ([], [])
    return problem
  }
}

/// A check of a store.
protocol StoreCheck: Sendable {
  func problems(in store: VerifiedStore) throws -> [StoreProblem]
}
