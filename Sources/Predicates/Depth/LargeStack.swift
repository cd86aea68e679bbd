import Foundation

/// Runs recursive steps over deep trees where there is room for them.
///
/// A thread may have as little as 512 KB of stack, and a tree built in code any height.
package enum LargeStack {
  /// Trees up to this height are walked on any stack.
  package static let safeHeight = 32

  /// Trees may not be higher than this; whoever builds a higher one stops the program.
  package static let maximumHeight = 250_000

  /// Stops the program that builds too high a tree.
  static func checkHeight(_ height: Int) {
    if height > maximumHeight {
      stopProgram("A predicate may not nest deeper than \(maximumHeight) levels")
    }
  }

  /// Runs a step that recurses as deep as a tree is high: on this thread where the tree is low,
  /// else on one of its own, for which this thread waits.
  static func run<Result>(height: Int, _ body: () -> Result) -> Result {
    guard height > safeHeight else { return body() }
    return withoutActuallyEscaping(body) { body in
      let step = Step(body)
      let thread = Thread { step.run() }
      // Generous: debug builds need up to 8 KB a level.
      thread.stackSize = 1 << 20 + min(height, maximumHeight) * (12 << 10)
      thread.start()
      return step.wait()
    }
  }

  /// The same with a step that may throw.
  package static func running<Result, Failure: Error>(
    height: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard height > safeHeight else { return try body() }
    let result = run(height: height) { () -> Swift.Result<Result, Failure> in
      do throws(Failure) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// A step on its way to another thread and its result on the way back.
  private final class Step<Result>: @unchecked Sendable {
    private let done = DispatchSemaphore(value: 0)
    private var body: (() -> Result)?
    private var result: Result?

    init(_ body: @escaping () -> Result) { self.body = body }

    func run() {
      result = body?()
      // The thread may live a little longer than the caller's closure.
      body = nil
      done.signal()
    }

    func wait() -> Result {
      done.wait()
      // The thread may keep this step a little longer, and must not keep the result with it.
      defer { result = nil }
      guard let result else { stopProgram("A thread ended without its result") }
      return result
    }
  }
}
