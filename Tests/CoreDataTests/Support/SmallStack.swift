import Foundation

/// Performs work on a thread with a small stack, so that code that recurses once for each of some thousand objects
/// overflows it and crashes the test.
func onSmallStack<Value>(
  _ size: Int = 256 << 10, perform work: () throws -> Value
) throws -> Value {
  try withoutActuallyEscaping(work) { work in
    let task = SmallStackTask(work)
    let thread = Thread { task.run() }
    thread.stackSize = size
    thread.start()
    return try task.result()
  }
}

/// Carries the work to the thread and its result back.
private final class SmallStackTask<Value>: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var work: (() throws -> Value)?
  private var outcome: Result<Value, any Error>?

  init(_ work: @escaping () throws -> Value) { self.work = work }

  func run() {
    outcome = work.map { work in Result { try work() } }
    work = nil
    done.signal()
  }

  func result() throws -> Value {
    done.wait()
    defer { outcome = nil }
    guard let outcome else { throw CocoaError(.featureUnsupported) }
    return try outcome.get()
  }
}
