import Foundation

/// Reports SIGINT, SIGTERM and SIGHUP (the terminal was closed) to a handler, instead of letting them end the process,
/// for the lifetime of this object. A SIGHUP that the process was started to ignore, as with `nohup`, stays ignored.
final class EndingSignals {
  private var sources: [Int32: any DispatchSourceSignal] = [:]

  init(_ handler: @escaping @Sendable () -> Void) {
    for number in Self.all {
      // On Apple's systems, a dispatch source only observes a signal, so the default action would still end the
      // process. On Linux, the source replaces the action.
      let former = signal(number, SIG_IGN)
      if number == Self.hangUp, Self.isIgnoring(former) { continue }
      #if os(Linux)
        // Until the source is registered, a signal ends the process, because an ignored one would be lost.
        signal(number, SIG_DFL)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: handler)
      let isRegistered = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isRegistered.signal() }
      source.activate()
      isRegistered.wait()
      sources[number] = source
    }
  }

  deinit {
    for (number, source) in sources {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }

  #if os(Windows)
    private static let hangUp: Int32? = nil
    private static let all = [SIGINT, SIGTERM]
  #else
    private static let hangUp: Int32? = SIGHUP
    private static let all = [SIGINT, SIGTERM, SIGHUP]
  #endif

  /// Returns whether `signal` returned SIG_IGN. Swift cannot compare C functions, so this compares their addresses.
  private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
    unsafeBitCast(handler, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
  }
}
