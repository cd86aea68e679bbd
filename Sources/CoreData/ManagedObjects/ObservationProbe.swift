import CSwiftRuntime
import Observation
import Synchronization

/// Tells whether the present thread tracks what is read, which Observation itself does not say.
///
/// Every read of a property asks. Observation notes in a variable of the thread where it keeps the list
/// of what is read; where that variable is found (`TrackingVariable`), asking takes a nanosecond. Else
/// the probe is read in the documented way, which takes eight: that does nothing while nothing is
/// tracked; else the key path is put into a set, for which it is hashed, and so the probe is told.
final class ObservationProbe: Sendable {
  static let shared = ObservationProbe(variable: TrackingVariable.find())
  private let registrar = ObservationRegistrar()
  // What is read is of a type without contents: nothing is retained for it.
  private nonisolated(unsafe) let keyPath: KeyPath<Subject, Int>
  private let count: HashCount
  /// The distance of Observation's variable; 0 where it was not found.
  private let variable: Int

  /// - Parameter variable: the distance of Observation's variable; 0 to do without.
  init(variable: Int) {
    self.variable = variable
    count = HashCount()
    keyPath = \Subject[Key(count: count)]
  }

  /// Rarely also true because another thread tracks something at this moment, which does no harm.
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

  /// How often a key was hashed.
  private final class HashCount: Sendable {
    let value = Atomic<Int>(0)
  }

  private struct Key: Hashable {
    let count: HashCount
    static func == (one: Key, other: Key) -> Bool { one.count === other.count }
    func hash(into hasher: inout Hasher) { count.value.add(1, ordering: .relaxed) }
  }
}

/// The thread's variable in which Observation notes that it tracks.
///
/// It has no name outside its library, so it is found by what it does: of all variables that a thread
/// has from its beginning, it is the one word that is 0, and is not while something is tracked. At least two
/// threads are examined, and more while other words behave the same way by chance; where no single word remains, it
/// counts as not found.
///
/// It is not found on systems other than Linux with glibc on x86-64 or ARM64, nor where Observation's library was
/// loaded after the program began. ``ObservationProbe`` then reads in the documented way.
enum TrackingVariable {
  /// The distance of the variable from where a thread's variables are kept; 0 where it is not found.
  static func find() -> Int {
    var common = Set(candidates())
    for _ in 0..<moreThreads {
      common.formIntersection(candidates())
      if common.count <= 1 { break }
    }
    return common.count == 1 ? common.first ?? 0 : 0
  }

  private static let moreThreads = 4
  /// Seconds; a machine may be so busy that a new thread does not run for a while.
  private static let patience: TimeInterval = 20

  /// The distances that a thread found, for the thread that waits for them.
  private final class Found: Sendable {
    let distances = Mutex<[Int]>([])
  }

  /// The distances of the words that behave as the variable does, on a thread of their own.
  private static func candidates() -> [Int] {
    let found = Found()
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let distances = candidatesOfThisThread()
      found.distances.withLock { $0 = distances }
      ended.signal()
    }
    // Where no thread can be made, nothing is found.
    guard ended.wait(timeout: .now() + patience) == .success else { return [] }
    return found.distances.withLock { $0 }
  }

  private static func candidatesOfThisThread() -> [Int] {
    let distances = [Int](unsafeUninitializedCapacity: 8192) { words, count in
      let found = thread_words(words.baseAddress, words.count)
      count = found <= words.count ? found : 0
    }
    let before = distances.map(thread_word)
    let during = withObservationTracking({ distances.map(thread_word) }, onChange: {})
    let after = distances.map(thread_word)
    return distances.indices.filter { before[$0] == 0 && during[$0] != 0 && after[$0] == 0 }
      .map { distances[$0] }
  }
}
