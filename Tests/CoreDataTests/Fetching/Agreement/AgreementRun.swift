import CoreData
import FixtureSupport
import Synchronization
import Testing

/// A run of random predicates on one arena.
struct AgreementRun {
  let arena: AgreementArena
  let steps: Int
  let seed: UInt64

  /// The statistics of a run.
  struct Summary: Sendable {
    var predicates = 0
    /// The number of predicates that match some rows and not others.
    var distinguishing = 0
    var pending = 0
    var refusals: [String: Int] = [:]
    var seconds = 0.0
    var slowest = (seconds: 0.0, format: "")
  }

  /// The differences that all runs of this process have found. All runs stop when there are enough.
  static let found = Mutex<Set<String>>([])
  static let enough =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_DIFFERENCES"].flatMap(Int.init) ?? 1

  static var isOver: Bool { found.withLock { $0.count >= enough } }

  private static let predicatesOfRows = 40
  private static let predicatesOfChanges = 20

  func run() throws -> Summary {
    let start = ContinuousClock.now
    var summary = Summary()
    var random = SeededGenerator(seed: seed)
    if case .store(let path) = arena {
      let store = try AgreementStore(path)
      while summary.predicates < steps, !Self.isOver {
        try tryOnce(store.world, store.rows, [], isStore: true, &random, &summary)
      }
    } else if let model = try arena.model() {
      let maker = SampleRowMaker(model)
      let size = maker.entities.count > 8 ? 3...9 : 6...14
      while summary.predicates < steps, !Self.isOver {
        let rows = maker.rows(perEntity: size, &random)
        let world = try AgreementWorld(model, rows)
        for _ in 0..<Self.predicatesOfRows where summary.predicates < steps {
          try tryOnce(world, rows, [], isStore: false, &random, &summary)
        }
        let changes = SampleChange.some(rows, maker, &random)
        world.context.performAndWait { for change in changes { world.apply(change) } }
        for _ in 0..<Self.predicatesOfChanges where summary.predicates < steps {
          summary.pending += 1
          try tryOnce(world, rows, changes, isStore: false, &random, &summary)
        }
      }
    }
    summary.seconds = start.duration(to: .now) / .seconds(1)
    return summary
  }

  private func tryOnce(
    _ world: AgreementWorld, _ rows: [Int: SampleRow], _ changes: [SampleChange], isStore: Bool,
    _ random: inout SeededGenerator, _ summary: inout Summary
  ) throws {
    if Self.isOver { return }
    summary.predicates += 1
    let names = Set(rows.values.map(\.entity)).sorted()
    var name = names.randomElement(using: &random) ?? ""
    // Sometimes uses the superentity.
    if Int.random(in: 0..<4, using: &random) == 0,
      let above = world.model.entitiesByName[name]?.superentity?.name
    {
      name = above
    }
    let withSubentities = Int.random(in: 0..<10, using: &random) > 0
    var generator = FormatGenerator(
      name, world.paths, rows, SeededGenerator(seed: random.next()))
    generator.depth = Int.random(in: 1...4, using: &random)
    let test = AgreementCase(
      entity: name, tree: generator.condition(), withSubentities: withSubentities,
      rows: isStore ? [:] : rows, changes: changes)
    let start = ContinuousClock.now
    let answers = world.answers(to: test, isPending: !changes.isEmpty)
    let seconds = start.duration(to: .now) / .seconds(1)
    if seconds > summary.slowest.seconds { summary.slowest = (seconds, answers.format) }
    if let refusal = answers.refusal { summary.refusals[refusal, default: 0] += 1 }
    if let picked = answers.picked, picked > 0, picked < answers.candidates {
      summary.distinguishing += 1
    }
    guard let difference = answers.difference else { return }
    let shrinker = AgreementShrinker(model: world.model, world: isStore ? world : nil)
    let (shortest, shortestAnswers) = shrinker.shortest(test, difference)
    let report = AgreementReport(
      arena: arena, test: shortest, answers: shortestAnswers, difference: difference,
      original: answers.format)
    guard Self.found.withLock({ $0.insert(report.shape).inserted && $0.count <= Self.enough })
    else {
      return
    }
    Issue.record("\(report.text)")
  }
}

/// A readable report of a difference.
struct AgreementReport {
  let arena: AgreementArena
  let test: AgreementCase
  let answers: Answers
  let difference: String
  let original: String

  /// The structure of the format, without names or values. Two reports with the same shape are probably of one defect.
  var shape: String {
    let words = answers.format.split { !($0.isLetter || $0 == "@") }
      .filter { $0.first?.isUppercase == true || $0.first == "@" }
    var signs = answers.format
    for (sign, common) in [
      ("=<", "<"), ("<=", "<"), ("=>", "<"), (">=", "<"), (">", "<"), ("!=", "="),
      ("<>", "="), ("==", "="),
    ] {
      signs = signs.replacingOccurrences(of: sign, with: common)
    }
    signs = signs.filter { "=<!+-*/&|^[".contains($0) }
    return "\(difference): \(words.joined(separator: " ")) \(signs)"
  }

  var text: String {
    var lines = [
      "", "model: \(arena.testDescription)",
      "entity: \(test.entity)\(test.withSubentities ? "" : " without subentities")",
      "format: \(answers.format)",
    ]
    for (index, argument) in answers.arguments.enumerated() {
      lines.append("  argument \(index + 1): \(argument)")
    }
    for (number, row) in test.rows.sorted(by: { $0.key < $1.key }) {
      lines.append("  row \(number): \(row)")
    }
    for change in test.changes { lines.append("  change: \(change)") }
    lines.append("difference: \(difference)")
    for evaluator in Evaluator.allCases {
      if let answer = answers[evaluator] { lines.append("  \(evaluator.rawValue): \(answer)") }
    }
    lines.append("found as: \(original)")
    return lines.joined(separator: "\n")
  }
}
