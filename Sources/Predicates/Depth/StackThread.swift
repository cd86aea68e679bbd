/// A thread whose stack is as large as a step needs.
///
/// `Foundation.Thread` takes a size too, but the system counts all of it as memory in use: on a machine with 2 GB a
/// stack of 3 GB cannot be allocated, and the thread never starts.
enum StackThread {
  /// The room beside the levels of a tree.
  private static let baseBytes = 1 << 20

  /// What a level takes at most in a debug build.
  private static let bytesPerLevel = 12 << 10

  /// The room that a step needs at least.
  static func fewestBytes(height: Int) -> Int { baseBytes + height * bytesPerLevel }

  /// Where the stack of this thread begins, at its low end; zero on a thread that is none of these.
  private static let lowEnd: pthread_key_t = {
    var key = pthread_key_t()
    // Without a key no thread is known to have room, and each step has a thread of its own.
    guard pthread_key_create(&key, nil) == 0 else { return pthread_key_t.max }
    return key
  }()

  /// Whether this thread was made here and has some bytes of its stack left.
  static func hasRoom(_ bytes: Int) -> Bool {
    guard let low = pthread_getspecific(lowEnd) else { return false }
    var here: UInt8 = 0
    return withUnsafeMutablePointer(to: &here) { UnsafeMutableRawPointer($0) - low } > bytes
  }

  /// Runs a step on a thread with room for a tree, and waits for its end.
  static func run(height: Int, _ body: @escaping () -> Void) {
    // Twice the room, so that a step within the step finds enough of it and needs no thread of its own; less where the
    // system does not promise memory that may never be used.
    let sizes = [
      baseBytes + 2 * height * bytesPerLevel, fewestBytes(height: height),
      baseBytes + height * (bytesPerLevel / 4),
    ]
    for size in sizes {
      if run(bytes: size, body) { return }
    }
    stopProgram("There is no memory for a stack of \(sizes[2] >> 20) MB")
  }

  /// Returns false where there is no memory for the stack or no thread.
  private static func run(bytes: Int, _ body: @escaping () -> Void) -> Bool {
    let page = Int(getpagesize())
    let size = (bytes + 2 * page - 1) / page * page
    let memory = mmap(
      nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
      -1, 0)
    guard let memory, memory != MAP_FAILED else { return false }
    defer { munmap(memory, size) }
    // A step that needs more than it has ends here instead of writing over other memory.
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
      start.release()
      return false
    }
    // The memory goes only when the thread has ended.
    pthread_join(thread, nil)
    return true
  }

  /// What a thread begins with.
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
