import Foundation
import Testing

/// The kind of store that `SampleStack` makes in a test now, and the folder for its file.
struct StoreScope {
  let kind: TestedStore
  let folder: TemporaryFolder?

  @TaskLocal static var current = StoreScope(kind: .memorySQLite, folder: nil)

  /// The rounds of a random test go through the kinds of store.
  static func round(_ number: Int) throws -> StoreScope {
    let kinds = TestedStore.allCases
    return StoreScope(kind: kinds[number % kinds.count], folder: try TemporaryFolder())
  }

  /// A place for one more store.
  func newURL() throws -> URL {
    guard let folder else { return URL(fileURLWithPath: "/dev/null") }
    if kind == .memorySQLite || kind == .keyValue { return TestedStore.newNamedURL() }
    guard kind.isFile else { return URL(fileURLWithPath: "/dev/null") }
    return kind.url(in: folder, "sample-\(UUID().uuidString)")
  }
}

/// Runs each test with every kind of store in turn: `SampleStack()` is one of that kind.
///
/// On a suite it is for all of its tests; a test with a trait of its own runs on those stores only.
/// What fails says on which store it did.
struct StoreTrait: TestTrait, SuiteTrait, TestScoping {
  let kinds: [TestedStore]

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let innermost = test.traits.compactMap { $0 as? StoreTrait }.last
    guard innermost?.kinds == kinds else { return try await function() }
    for kind in kinds {
      let naming = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("on a store of kind \(kind.rawValue)")
        return issue
      }
      try await naming.provideScope(for: test, testCase: testCase) {
        let folder = try TemporaryFolder()
        await StoreScope.$current.withValue(StoreScope(kind: kind, folder: folder)) {
          do {
            try await function()
          } catch is ExpectationFailedError {
            // It is recorded, and the other stores have their turn.
          } catch {
            Issue.record(error)
          }
        }
      }
    }
  }
}

extension Trait where Self == StoreTrait {
  /// On stores of every kind.
  static var onEveryStore: Self { StoreTrait(kinds: TestedStore.everyKind) }

  /// On these stores alone, for a reason that has its source in Apple's documentation.
  static func only(_ kinds: [TestedStore], _ reason: Comment) -> Self { StoreTrait(kinds: kinds) }
}
