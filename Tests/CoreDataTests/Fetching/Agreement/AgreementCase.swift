import CoreData
import Predicates

/// A predicate on an entity, and the data on which it is tried.
struct AgreementCase: Sendable {
  let entity: String
  var tree: FormatTree
  var withSubentities = true
  /// The rows of a new store. There are none if the case uses an existing store.
  var rows: [Int: SampleRow] = [:]
  /// The unsaved changes that are made in the context after the rows are saved.
  var changes: [SampleChange] = []
}

/// A way to determine which rows a predicate matches.
enum Evaluator: String, CaseIterable, Sendable {
  /// A fetch: the result of SQL, to which the pending changes are applied.
  case fetch
  /// `count(for:)`.
  case count
  /// The predicate after it was bound to the model, evaluated on objects in memory.
  case bound
  /// The predicate itself, evaluated on objects by key-value coding, with the store's rule for nil.
  case dynamic
  /// The predicate itself with Foundation's rule for nil. It is used only if the predicate reads no nil value.
  case plain
}

/// The answer of an evaluator.
enum Answer: Equatable, Sendable, CustomStringConvertible {
  case rows(Set<Int>)
  case count(Int)
  /// The predicate cannot be used in a fetch, for a known reason.
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

/// The answers of all evaluators to one case.
struct Answers: Sendable {
  var format = ""
  var arguments: [String] = []
  private(set) var answers: [(Evaluator, Answer)] = []
  /// The number of rows that the predicate was evaluated on.
  var candidates = 0

  mutating func add(_ evaluator: Evaluator, _ answer: Answer) {
    answers.append((evaluator, answer))
  }

  subscript(_ evaluator: Evaluator) -> Answer? { answers.first { $0.0 == evaluator }?.1 }

  /// The reason why the predicate was refused, or nil. The other answers of a refused predicate are ignored.
  var refusal: String? {
    for (_, answer) in answers { if case .refused(let reason) = answer { return reason } }
    return nil
  }

  /// The number of rows that match according to `dynamic`.
  var picked: Int? {
    if case .rows(let rows)? = self[.dynamic] { return rows.count }
    return nil
  }

  /// A description of the evaluators that disagree, or nil if all agree.
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
