import Foundation
import Testing

/// The kind of store that `SampleStack` opens in the current test, and the folder for its file.
struct StoreScope {
  let kind: TestedStore
  let folder: TemporaryFolder?

  @TaskLocal static var current = StoreScope(kind: .memorySQLite, folder: nil)

  /// Returns the scope for a round of a random test. Rounds cycle through the kinds of store.
  static func round(_ number: Int) throws -> StoreScope {
    let kinds = TestedStore.allCases
    return StoreScope(kind: kinds[number % kinds.count], folder: try TemporaryFolder())
  }

  /// Returns a URL for a new store.
  func newURL() throws -> URL {
    guard let folder else { return URL(fileURLWithPath: "/dev/null") }
    if kind == .memorySQLite || kind == .keyValue { return TestedStore.newNamedURL() }
    guard kind.isFile else { return URL(fileURLWithPath: "/dev/null") }
    return kind.url(in: folder, "sample-\(UUID().uuidString)")
  }
}

/// Runs each test with every kind of store in turn: `SampleStack()` opens a store of that kind.
///
/// On a suite, the trait applies to all tests; a test that has its own store trait runs only on the stores of that
/// trait. An issue's comment states the kind of store.
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
            // `#require` has recorded the issue. Continue with the other stores.
          } catch {
            Issue.record(error)
          }
        }
      }
    }
  }
}

extension Trait where Self == StoreTrait {
  /// Runs tests on stores of every kind.
  static var onEveryStore: Self { StoreTrait(kinds: TestedStore.everyKind) }

  /// Runs tests on only these kinds of store. The reason is for readers of the test.
  static func only(_ kinds: [TestedStore], _ reason: Comment) -> Self { StoreTrait(kinds: kinds) }
}
