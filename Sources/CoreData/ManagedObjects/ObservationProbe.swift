import CSwiftRuntime
import Observation
import Synchronization

/// Determines whether the current thread tracks reads, which Observation has no API for.
///
/// Every read of a property makes this check. Observation stores its access list in a thread-local
/// variable. If that variable was found (`TrackingVariable`), the check takes a nanosecond. Otherwise the
/// probe reads a property of its own through the public API, which takes eight nanoseconds. Without
/// tracking, that read does nothing. With tracking, Observation inserts the property's key path into a
/// set, and the probe counts how often the key path is hashed.
final class ObservationProbe: Sendable {
  static let shared = ObservationProbe(variable: TrackingVariable.find())
  private let registrar = ObservationRegistrar()
  // The subject is of an empty type, so reading it retains nothing.
  private nonisolated(unsafe) let keyPath: KeyPath<Subject, Int>
  private let count: HashCount
  /// The offset of Observation's variable; 0 if it was not found.
  private let variable: Int

  /// - Parameter variable: The offset of Observation's variable; 0 to use the public API.
  init(variable: Int) {
    self.variable = variable
    count = HashCount()
    keyPath = \Subject[Key(count: count)]
  }

  /// Whether the current thread tracks reads. In rare cases it is also true because another thread, which tracks reads,
  /// makes the same check at this moment. That is harmless.
  @inline(__always)
  var isTracking: Bool { variable != 0 ? thread_word(variable) != 0 : readIsTracked }

  @inline(never)
  private var readIsTracked: Bool {
    let before = count.value.load(ordering: .relaxed)
    registrar.access(Subject(), keyPath: keyPath)
    return count.value.load(ordering: .relaxed) != before
  }

  private struct Subject: Observable {
    subscript(_: Key) -> Int { 0 }
  }

  /// Counts how often a key was hashed.
  private final class HashCount: Sendable {
    let value = Atomic<Int>(0)
  }

  private struct Key: Hashable {
    let count: HashCount
    static func == (one: Key, other: Key) -> Bool { one.count === other.count }
    func hash(into hasher: inout Hasher) { count.value.add(1, ordering: .relaxed) }
  }
}

/// Finds the thread-local variable in which Observation stores that it tracks reads.
///
/// The variable is not exported, so it is found by its behavior: of all words in the static
/// thread-local storage, it is the only one that is 0 except during tracking. At least two threads
/// are examined, and more if other words behave the same way by chance. If several words remain,
/// the variable counts as not found.
///
/// It is not found on systems other than Linux with glibc on x86-64 or ARM64, nor if Observation's
/// library was loaded after the program started. ``ObservationProbe`` then uses the public API.
enum TrackingVariable {
  /// Returns the offset of the variable in the thread-local storage; 0 if it is not found.
  static func find() -> Int {
    var common = Set(candidates())
    for _ in 0..<moreThreads {
      common.formIntersection(candidates())
      if common.count <= 1 { break }
    }
    return common.count == 1 ? common.first ?? 0 : 0
  }

  private static let moreThreads = 4
  /// How long to wait for a new thread, in seconds. On a busy machine, it may not run for a while.
  private static let patience: TimeInterval = 20

  /// Passes the offsets that a thread found to the thread that waits for them.
  private final class Found: Sendable {
    let distances = Mutex<[Int]>([])
  }

  /// Returns the offsets of the words that behave like the variable, from a new thread.
  private static func candidates() -> [Int] {
    let found = Found()
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let distances = candidatesOfThisThread()
      found.distances.withLock { $0 = distances }
      ended.signal()
    }
    // If no thread can be created, or it does not run in time, nothing is found.
    guard ended.wait(timeout: .now() + patience) == .success else { return [] }
    return found.distances.withLock { $0 }
  }

  private static func candidatesOfThisThread() -> [Int] {
    let distances = [Int](unsafeUninitializedCapacity: 8192) { words, count in
      let found = thread_words(words.baseAddress, words.count)
      count = found <= words.count ? found : 0
    }
    let before = distances.map(thread_word)
    // Observation sets its variable while this closure runs.
    let during = withObservationTracking({ distances.map(thread_word) }, onChange: {})
    let after = distances.map(thread_word)
    return distances.indices.filter { before[$0] == 0 && during[$0] != 0 && after[$0] == 0 }
      .map { distances[$0] }
  }
}
