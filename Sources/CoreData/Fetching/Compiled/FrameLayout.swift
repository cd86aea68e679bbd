import Synchronization

/// The memory layout of an evaluation's frames.
struct FrameLayout: @unchecked Sendable {
  private let frameSlots: [FrameSlots]
  let columnCount: Int

  init(_ frameSlots: [FrameSlots]) {
    self.frameSlots = frameSlots
    columnCount = frameSlots.reduce(0) { $0 + $1.slots.count }
  }

  /// Runs `body` with temporary frames, which are on the stack if they are small enough.
  func withFrames<Result>(_ body: (EvaluationFrames) throws -> Result) throws -> Result {
    // At least one column, because an empty allocation may have no address.
    try withUnsafeTemporaryAllocation(of: CellColumn.self, capacity: max(columnCount, 1)) {
      columns in
      try withUnsafeTemporaryAllocation(of: EvaluationFrame.self, capacity: frameSlots.count) {
        frames in try run(body, frames, columns)
      }
    }
  }

  private func run<Result>(
    _ body: (EvaluationFrames) throws -> Result,
    _ frames: UnsafeMutableBufferPointer<EvaluationFrame>,
    _ columns: UnsafeMutableBufferPointer<CellColumn>
  ) throws -> Result {
    guard let first = frames.baseAddress, let columns = columns.baseAddress else {
      preconditionFailure("a temporary allocation has an address")
    }
    initialize(first, columns)
    defer { first.deinitialize(count: count) }
    return try body(first)
  }

  /// The number of frames.
  var count: Int { frameSlots.count }

  func initialize(_ frames: EvaluationFrames, _ columns: UnsafeMutablePointer<CellColumn>) {
    var next = columns
    for index in frameSlots.indices {
      (frames + index).initialize(to: EvaluationFrame(frameSlots[index], columns: next))
      next += frameSlots[index].slots.count
    }
  }
}

/// Frames that are reused for the next object, so that they are already bound if it is in the same batch.
///
/// Only one caller at a time can use them. A concurrent or nested caller uses temporary frames instead. The reused
/// frames retain the batch that was read last.
final class SpareFrames: @unchecked Sendable {
  private let layout: FrameLayout
  private let frames: EvaluationFrames
  private let columns: UnsafeMutablePointer<CellColumn>
  private let isInUse = Atomic(false)

  init(_ layout: FrameLayout) {
    self.layout = layout
    frames = .allocate(capacity: layout.count)
    columns = .allocate(capacity: max(layout.columnCount, 1))
    layout.initialize(frames, columns)
  }

  deinit {
    frames.deinitialize(count: layout.count)
    frames.deallocate()
    columns.deallocate()
  }

  @inline(__always)
  func withFrames<Result>(_ body: (EvaluationFrames) throws -> Result) throws -> Result {
    // Acquire and release ordering makes the previous caller's writes to the frames visible to this caller.
    guard !isInUse.exchange(true, ordering: .acquiring) else {
      return try layout.withFrames(body)
    }
    defer { isInUse.store(false, ordering: .releasing) }
    return try body(frames)
  }
}
