import FixtureSupport
import Foundation

/// One step of a walk. The walk maps its numbers to objects and values only when it runs the step, so that a shortened
/// list of steps is still valid.
struct WalkStep: CustomStringConvertible {
  enum Kind: String, CaseIterable {
    case insert, setAttribute, setToOne, setToMany, changeMembers, delete, deleteDenied,
      deleteAndInsert
    case save, saveAgainst, rollback, reset, refresh, refreshAll, obtainIDs, release, fire
    case fetch, count, dictionaries, lookUp, compare, compareFresh, process
    case makeChild, dropChild, undo, redo, openGroup, closeGroup
    case makeController, dropController, batch, hold, saveUp, fetchNaming
    case saveAgainstDeletion, mergeLate

    /// Whether the context's next save contains all changes of the step.
    var onlySaves: Bool {
      switch self {
      case .deleteDenied, .saveAgainst, .rollback, .reset, .refresh, .refreshAll, .makeChild,
        .dropChild, .undo, .redo, .batch, .saveUp, .saveAgainstDeletion, .mergeLate:
        false
      default: true
      }
    }

    var weight: Int {
      switch self {
      case .insert: 9
      case .setAttribute: 12
      case .setToOne: 14
      case .setToMany: 8
      case .changeMembers: 14
      case .delete: 7
      case .save: 6
      case .fetch: 6
      case .undo, .refresh, .saveAgainst, .saveUp: 4
      case .redo, .fire, .release, .compare, .lookUp, .makeChild, .process, .count, .obtainIDs,
        .batch, .fetchNaming, .saveAgainstDeletion:
        3
      case .rollback, .refreshAll, .openGroup, .closeGroup, .deleteDenied, .deleteAndInsert,
        .makeController, .hold, .mergeLate:
        2
      case .reset, .dropChild, .compareFresh, .dictionaries, .dropController: 1
      }
    }
  }

  let kind: Kind
  /// A number that selects the context of the step.
  let member: Int
  let numbers: [Int]

  var description: String { "\(kind) \(member) \(numbers)" }

  private static let kinds = Kind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

  /// Returns random steps. Usually, several consecutive steps belong to the same context. The first steps create
  /// objects for the later ones.
  static func random(_ count: Int, _ generator: inout SeededGenerator) -> [WalkStep] {
    var member = 0
    return (0..<count).map { number in
      if number > 40, Int.random(in: 0..<4, using: &generator) == 0 {
        member =
          Int.random(in: 0..<3, using: &generator) == 0
          ? 0 : Int.random(in: 0..<60, using: &generator)
      }
      let kind =
        number < 40
        ? [.insert, .insert, .setAttribute, .setToOne, .changeMembers, .changeMembers]
          .randomElement(using: &generator) : kinds.randomElement(using: &generator)
      return WalkStep(
        kind: number == 40 ? .save : kind ?? .compare, member: member,
        numbers: (0..<6).map { _ in Int.random(in: 0..<1_000_000, using: &generator) })
    }
  }

  /// Makes random choices. Each choice uses the next number of the step.
  struct Choices {
    private let numbers: [Int]
    private var next = 0

    init(_ step: WalkStep) { numbers = step.numbers }

    mutating func below(_ bound: Int) -> Int {
      // After the last number, further choices use the numbers again, but change them in each round.
      let turn = next / numbers.count
      let number = numbers[next % numbers.count] / (1 + turn * 7) + turn
      next += 1
      return bound > 0 ? number % bound : 0
    }

    /// Returns `true` once in `times` calls on average.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }

    mutating func element<Element>(_ elements: [Element]) -> Element? {
      elements.isEmpty ? nil : elements[below(elements.count)]
    }

    var generator: SeededGenerator { SeededGenerator(seed: UInt64(numbers.reduce(1, &+))) }
  }
}
