/// Runs recursive functions over deep trees on a stack that is large enough.
///
/// A thread may have as little as 512 KB of stack. Only the parser and archives limit the depth of a tree
/// (`Parser.maximumDepth`, `Coding.maximumDepth`); a tree that is built in code may have any height. Every tree stores
/// its height, so that shallow ones are walked on the calling thread.
///
/// Printing, comparing and substituting run here. Compound predicates in deep trees are evaluated without recursion
/// instead, and `DeferredRelease` releases deep trees level by level.
package enum LargeStack {
  /// The greatest height of a tree that may be walked on any stack.
  package static let safeHeight = 32

  /// Runs a function that recurses as deep as a tree is high. It runs on this thread if the tree is shallow or the
  /// thread has a large stack with enough room left; otherwise on a new thread, which this thread waits for.
  ///
  /// The height has no limit: the stack grows with it, and the system allocates only the pages that are used.
  static func run<Result>(height: Int, _ body: () -> Result) -> Result {
    guard height > safeHeight else { return body() }
    // This thread may have been created for an enclosing tree, because an expression inside a constant is printed and
    // compared within the walk of that tree.
    if StackThread.hasRoom(StackThread.minimumBytes(height: height)) { return body() }
    // The closure does not escape: `StackThread.run` returns after its thread has ended.
    return withoutActuallyEscaping(body) { body in
      let step = Step(body)
      StackThread.run(height: height) { step.run() }
      return step.removeResult()
    }
  }

  /// Like `run(height:_:)`, for a function that may throw.
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

  /// Carries a function to another thread and its result back.
  private final class Step<Result>: @unchecked Sendable {
    private var body: (() -> Result)?
    private var result: Result?

    init(_ body: @escaping () -> Result) { self.body = body }

    func run() {
      result = body?()
      // Release the caller's closure before the call returns.
      body = nil
    }

    func removeResult() -> Result {
      defer { result = nil }
      guard let result else { stopProgram("A thread ended without its result") }
      return result
    }
  }
}
