import StoreEngine

/// Determines when to poll a SQLite store for writes by another process or coordinator.
///
/// The system notifies this process when the file or its log is written (`FileWatch`). `PRAGMA data_version` on the
/// store's writing connection then shows whether another connection wrote and committed. The log is written *before*
/// the commit takes effect, often by milliseconds and on a slow disk by seconds, and the system does not report the
/// commit. Therefore, the store is polled for some seconds after an event, and once a second as long as nothing
/// happens. A poll (`SQLiteStore.poll(since:)`) takes some microseconds and waits for no lock. If the system does not
/// report writes, the store is always polled, 20 times a second. If an option sets a polling interval, the store is
/// always polled at that interval.
///
/// The state of the watch is confined to its queue, which also runs the closure.
final class StoreWatch: EngineWatch, @unchecked Sendable {
  private let queue = DispatchQueue(label: "CoreData.watch")
  private let pollingInterval: Double?
  private let wake: @Sendable () -> Void
  private let timer: any DispatchSourceTimer
  /// The number of polls since the last event.
  private var step = 0
  private var lastEvent = DispatchTime.now()
  private var polls = 0
  #if os(Linux) || os(Android)
    private var interest: FileWatch.Interest?
    private let path: String
  #endif
  private var isPolling = false

  /// The times of the polls after an event, in milliseconds. They are close together for as long as a commit may
  /// take.
  static let pollDelays = [0, 2, 5, 10, 20, 40, 70] + stride(from: 110, through: 3000, by: 45)
  /// The interval in milliseconds while nothing happens.
  private static let idleInterval = 1000
  private static let usualPolling = 0.05

  /// Begins to watch. The first poll is due immediately.
  ///
  /// - Parameter wake: Called each time that the store should be polled.
  init(_ store: SQLiteStore, _ wake: @escaping @Sendable () -> Void) {
    self.wake = wake
    pollingInterval = store.pool.options.pollingInterval
    #if os(Linux) || os(Android)
      path = store.url.path
    #endif
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.poll() }
    timer.schedule(deadline: .now())
    // Set up on the queue, because an event may arrive before the setup is complete.
    queue.sync {
      listen(to: store)
      timer.activate()
    }
  }

  deinit {
    timer.cancel()
  }

  var pollCount: Int { queue.sync { polls } }
  /// Whether the store is always polled, because the system does not report changes or an option sets an interval.
  var isPollingNow: Bool { queue.sync { isPolling } }

  private func listen(to store: SQLiteStore) {
    if let database = store.pool.sharedDatabase {
      return database.listen(self) { [weak self] in self?.noteEvent() }
    }
    // Other processes cannot use a store in memory.
    if StoreLocation(store.url).isInMemory { return }
    let path = store.url.path
    if store.pool.isImmutable {
      Log.storeNotice(
        "\(path): changes by other processes are not seen, because the store is opened with immutableStoreOption, or"
          + " the file or its folder is not writable")
    }
    isPolling = true
    guard pollingInterval == nil else { return }
    #if os(Linux) || os(Android)
      if FileSystem.isShared(path) { return }
      observeFolder()
    #endif
  }

  #if os(Linux) || os(Android)
    /// Whether the system notifies this watch of changes.
    var isNotified: Bool { queue.sync { interest?.isActive == true } }

    private func observeFolder() {
      interest = FileWatch.shared.interest(in: path) { [weak self] in self?.noteEvent() }
      isPolling = interest == nil
    }

    /// Observes the folder again if it was removed and exists again. A store whose file was moved away can be used
    /// again when the file is back.
    private func renewInterest() {
      guard let interest, !interest.isActive,
        FileManager.default.fileExists(
          atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
      else { return }
      observeFolder()
    }
  #endif

  /// Called on any thread after any process has written.
  private func noteEvent() {
    queue.async { [self] in
      lastEvent = .now()
      step = 0
      schedule()
    }
  }

  private func schedule() {
    if isPolling {
      let interval = max(0.001, pollingInterval ?? Self.usualPolling)
      return timer.schedule(deadline: .now() + interval)
    }
    if step < Self.pollDelays.count {
      // Measure the delay from the event, so that a slow poll does not delay the following ones.
      let time = lastEvent + .milliseconds(Self.pollDelays[step])
      timer.schedule(deadline: max(time, .now()))
    } else {
      timer.schedule(
        deadline: .now() + .milliseconds(Self.idleInterval), leeway: .milliseconds(100))
    }
  }

  private func poll() {
    step = min(step + 1, Self.pollDelays.count)
    polls += 1
    #if os(Linux) || os(Android)
      // Renew the watch before the store is read, so that the read notices each earlier change, and an event reports
      // each later one.
      renewInterest()
    #endif
    wake()
    schedule()
  }
}
