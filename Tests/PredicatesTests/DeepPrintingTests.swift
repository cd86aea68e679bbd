import Foundation
import Predicates
import Testing

@Suite("Printing and evaluating deep trees")
struct DeepPrintingTests {
  private static let depth = 20_000

  /// The kinds of deep trees.
  enum Kind: CaseIterable {
    case sums, lists, unions, choices, conditions, subqueries, filters, messages, nots, ands

    private static let one = NSExpression(forConstantValue: 1)

    private static func comparison(_ expression: NSExpression) -> NSPredicate {
      NSComparisonPredicate(
        leftExpression: expression, rightExpression: one, modifier: .direct, type: .equalTo)
    }

    /// Adds a level around a tree.
    private func around(_ tree: NSExpression) -> NSExpression {
      switch self {
      case .sums: NSExpression(forFunction: "add:to:", arguments: [tree, Self.one])
      case .lists: NSExpression(forAggregate: [tree])
      case .unions: NSExpression(forUnionSet: tree, with: NSExpression(forAggregate: []))
      case .choices:
        NSExpression(
          forConditional: Self.comparison(Self.one), trueExpression: tree,
          falseExpression: Self.one)
      case .conditions:
        NSExpression(
          forConditional: Self.comparison(tree), trueExpression: Self.one,
          falseExpression: Self.one)
      case .subqueries:
        NSExpression(
          forSubquery: tree, usingIteratorVariable: "x", predicate: Self.comparison(Self.one))
      case .filters:
        NSExpression(
          forSubquery: NSExpression(forAggregate: []), usingIteratorVariable: "x",
          predicate: Self.comparison(tree))
      case .messages:
        NSExpression(forFunction: tree, selectorName: "lowercaseString", arguments: [])
      case .nots, .ands: tree
      }
    }

    func tree(_ depth: Int) -> NSObject {
      let leaf = NSExpression(forKeyPath: "a")
      switch self {
      case .nots:
        return (0..<depth).reduce(Self.comparison(leaf)) { tree, _ in
          NSCompoundPredicate(notPredicateWithSubpredicate: tree)
        }
      case .ands:
        return (0..<depth).reduce(Self.comparison(leaf)) { tree, _ in
          NSCompoundPredicate(
            andPredicateWithSubpredicates: [tree, Self.comparison(leaf)])
        }
      default: return (0..<depth).reduce(leaf) { tree, _ in around(tree) }
      }
    }
  }

  @Test("Printing a deep tree does not overflow a small stack", arguments: Kind.allCases)
  func small(_ kind: Kind) async {
    let length = await withCheckedContinuation { continuation in
      let thread = Thread {
        let tree = kind.tree(Self.depth)
        continuation.resume(returning: tree.description.utf8.count + "\(tree)".utf8.count)
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(length > Self.depth)
  }

  @Test("Evaluating a tree that is too deep is rejected", arguments: Kind.allCases)
  func refused(_ kind: Kind) async {
    let isRefused = await withCheckedContinuation { continuation in
      let thread = Thread {
        let tree = kind.tree(Self.depth)
        let object = ["a": 1]
        if let predicate = tree as? NSPredicate {
          let isTrue = (try? predicate.evaluated(with: object)) != nil
          continuation.resume(returning: isTrue)
        } else {
          let value = (tree as? NSExpression).flatMap {
            try? $0.evaluated(with: object, context: nil)
          }
          continuation.resume(returning: value == nil)
        }
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(isRefused)
  }

  @Test("Printing deep constants does not overflow the stack")
  func constants() {
    var list: NSArray = [1]
    for _ in 0..<5000 { list = [list] }
    let text = NSExpression(forConstantValue: list).description
    #expect(text.hasPrefix("{{{{") && text.contains("{…}"))
  }
}
