import Foundation

/// Does work on a thread with a small stack, so that a step that calls itself for each of some thousand objects ends
/// the program.
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

/// The work on its way to the thread, and its result on the way back.
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
