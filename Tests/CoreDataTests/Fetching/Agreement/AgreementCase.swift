import CoreData
import Predicates

/// One predicate on one entity, and the data it is tried on.
struct AgreementCase: Sendable {
  let entity: String
  var tree: FormatTree
  var withSubentities = true
  /// The rows of a new store; empty for a store that exists.
  var rows: [Int: SampleRow] = [:]
  /// What is changed in the context after the rows were saved.
  var changes: [SampleChange] = []
}

/// Who is asked which rows a predicate picks.
enum Evaluator: String, CaseIterable, Sendable {
  /// A fetch: SQL, with the pending changes folded in where there are some.
  case fetch
  /// `count(for:)`.
  case count
  /// The predicate as bound for the store, tried on objects in memory.
  case bound
  /// The predicate itself, tried on objects by key-value coding, with the store's rule for nil.
  case dynamic
  /// The same with Foundation's rule, where no value that is read is nil.
  case plain
}

/// What one evaluator answers.
enum Answer: Equatable, Sendable, CustomStringConvertible {
  case rows(Set<Int>)
  case count(Int)
  /// The predicate cannot be fetched with, for a reason that is known.
  case refused(String)
  case failed(String)

  var description: String {
    switch self {
    case .rows(let rows): "rows \(rows.sorted())"
    case .count(let count): "\(count) rows"
    case .refused(let reason): "refused: \(reason)"
    case .failed(let reason): "failed: \(reason)"
    }
  }
}

/// What all evaluators answer to one case.
struct Answers: Sendable {
  var format = ""
  var arguments: [String] = []
  private(set) var answers: [(Evaluator, Answer)] = []
  /// How many rows there were to pick from.
  var candidates = 0

  mutating func add(_ evaluator: Evaluator, _ answer: Answer) {
    answers.append((evaluator, answer))
  }

  subscript(_ evaluator: Evaluator) -> Answer? { answers.first { $0.0 == evaluator }?.1 }

  /// Why the predicate was refused; then nothing else counts.
  var refusal: String? {
    for (_, answer) in answers { if case .refused(let reason) = answer { return reason } }
    return nil
  }

  /// The number of rows that memory picks.
  var picked: Int? {
    if case .rows(let rows)? = self[.dynamic] { return rows.count }
    return nil
  }

  /// Who differs from whom; nil where all agree.
  var difference: String? {
    if refusal != nil { return nil }
    var groups: [(Answer, [String])] = []
    for (evaluator, answer) in answers {
      if let index = groups.firstIndex(where: { $0.0.agrees(with: answer) }) {
        groups[index].1.append(evaluator.rawValue)
      } else {
        groups.append((answer, [evaluator.rawValue]))
      }
    }
    if groups.count == 1, case .failed = groups[0].0 {
      return "all fail: generated predicates are well formed"
    }
    guard groups.count > 1 else { return nil }
    return groups.map { group in
      if case .failed = group.0 { return group.1.joined(separator: " ") + " failing" }
      return group.1.joined(separator: " ")
    }.joined(separator: " / ")
  }
}

extension Answer {
  fileprivate func agrees(with other: Answer) -> Bool {
    switch (self, other) {
    case (.rows(let rows), .count(let count)), (.count(let count), .rows(let rows)):
      rows.count == count
    case (.failed, .failed): true
    default: self == other
    }
  }
}
