/// Runs recursive steps over deep trees where there is room for them.
///
/// A thread may have as little as 512 KB of stack, and a tree built in code any height; only texts are limited in depth
/// (`Parser.maximumDepth`). Every tree knows its height, so that low ones are walked on the calling thread.
///
/// Printing, comparing and substituting run here. High trees of compounds are evaluated without recursion instead, and
/// the last reference to a high tree releases it level by level (`DeferredRelease`).
package enum LargeStack {
  /// Trees up to this height are walked on any stack.
  package static let safeHeight = 32

  /// Runs a step that recurses as deep as a tree is high: on this thread where the tree is low or the thread has a
  /// large stack with enough room left, else on one of its own, for which this thread waits.
  ///
  /// No height is too large: the stack grows with it, and takes memory only where it is used.
  static func run<Result>(height: Int, _ body: () -> Result) -> Result {
    guard height > safeHeight else { return body() }
    // An expression in a constant prints and compares itself from within the one around it.
    if StackThread.hasRoom(StackThread.fewestBytes(height: height)) { return body() }
    return withoutActuallyEscaping(body) { body in
      let step = Step(body)
      StackThread.run(height: height) { step.run() }
      return step.removeResult()
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
    private var body: (() -> Result)?
    private var result: Result?

    init(_ body: @escaping () -> Result) { self.body = body }

    func run() {
      result = body?()
      // Nothing keeps the caller's closure beyond the call.
      body = nil
    }

    func removeResult() -> Result {
      defer { result = nil }
      guard let result else { stopProgram("A thread ended without its result") }
      return result
    }
  }
}
