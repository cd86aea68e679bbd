/// Runs functions on threads with stacks as large as the functions need.
///
/// `Foundation.Thread` also accepts a stack size, but the system counts all of it as used memory: on a machine with
/// 2 GB a stack of 3 GB cannot be allocated, and the thread never starts.
enum StackThread {
  /// The space needed beyond the levels of a tree.
  private static let baseBytes = 1 << 20

  /// The maximum size of a stack frame per level in a debug build.
  private static let bytesPerLevel = 12 << 10

  /// Returns the minimum stack size for walking a tree.
  static func minimumBytes(height: Int) -> Int { baseBytes + height * bytesPerLevel }

  /// The thread-specific key for the low end of a thread's stack. Threads that this type did not create have no value
  /// for it.
  private static let lowEnd: pthread_key_t = {
    var key = pthread_key_t()
    // Without a key, no thread appears to have room, so each function gets its own thread.
    guard pthread_key_create(&key, nil) == 0 else { return pthread_key_t.max }
    return key
  }()

  /// Returns whether `run(height:_:)` created this thread, and more than `bytes` of its stack are
  /// free.
  static func hasRoom(_ bytes: Int) -> Bool {
    guard let low = pthread_getspecific(lowEnd) else { return false }
    var here: UInt8 = 0
    return withUnsafeMutablePointer(to: &here) { UnsafeMutableRawPointer($0) - low } > bytes
  }

  /// Runs a function on a thread with enough stack for a tree, and waits until it returns.
  static func run(height: Int, _ body: @escaping () -> Void) {
    // Start with twice the size, so that nested calls find room and need no further threads; try less if the
    // system does not overcommit memory.
    let sizes = [
      baseBytes + 2 * height * bytesPerLevel, minimumBytes(height: height),
      // The last attempt relies on frames being smaller than the maximum; the guard page stops the
      // program if they are not.
      baseBytes + height * (bytesPerLevel / 4),
    ]
    for size in sizes {
      if run(bytes: size, body) { return }
    }
    stopProgram("There is not enough memory for a stack of \(sizes[2] >> 20) MB")
  }

  /// Returns false if there is no memory for the stack or the system cannot create the thread.
  private static func run(bytes: Int, _ body: @escaping () -> Void) -> Bool {
    let page = Int(getpagesize())
    // Round up to whole pages, and add the guard page.
    let size = (bytes + 2 * page - 1) / page * page
    let memory = mmap(
      // With `MAP_NORESERVE`, the system does not count the pages of the stack as used before they
      // are touched.
      nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
      -1, 0)
    guard let memory, memory != MAP_FAILED else { return false }
    defer { munmap(memory, size) }
    // A guard page: overflowing the stack crashes here instead of overwriting other memory.
    mprotect(memory, page, PROT_NONE)
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard pthread_attr_init(attributes) == 0 else { return false }
    defer { pthread_attr_destroy(attributes) }
    guard pthread_attr_setstack(attributes, memory, size) == 0 else { return false }
    let start = Unmanaged.passRetained(Start(lowEnd: memory + page, body))
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    if failure != 0 {
      // The thread that would consume the reference never started.
      start.release()
      return false
    }
    // Unmap the stack only after the thread has ended.
    pthread_join(thread, nil)
    return true
  }

  /// The argument of a thread's start function.
  private final class Start {
    private let lowEnd: UnsafeMutableRawPointer
    private let body: () -> Void

    init(lowEnd: UnsafeMutableRawPointer, _ body: @escaping () -> Void) {
      self.lowEnd = lowEnd
      self.body = body
    }

    func run() {
      pthread_setspecific(StackThread.lowEnd, lowEnd)
      body()
    }
  }
}
