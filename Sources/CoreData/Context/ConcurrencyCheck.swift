/// Whether contexts and objects are checked to be used on their queues. Set once, before the first
/// context is there; where it is false, the check is a load and a branch.
nonisolated(unsafe) private(set) var checksConcurrency = false

/// Stops the program when a context or one of its objects is used off the context's queue, before
/// anything is damaged.
///
/// On in debug builds, except in test runners: suites that were written for Apple's platforms, where
/// it is off unless asked for, often use a context from any one thread at a time. Whatever the build, the launch argument `-com.apple.CoreData.ConcurrencyDebug 1` (or
/// 0) or the environment variable `OPENCOREDATA_CONCURRENCY_DEBUG` decides.
enum ConcurrencyCheck {
  static let argument = "-com.apple.CoreData.ConcurrencyDebug"
  static let variable = "OPENCOREDATA_CONCURRENCY_DEBUG"

  /// Decides, the first time it is asked for.
  static let isDecided: Bool = {
    checksConcurrency = isOn(
      arguments: ProcessInfo.processInfo.arguments,
      environment: ProcessInfo.processInfo.environment)
    return true
  }()

  static func isOn(arguments: [String], environment: [String: String]) -> Bool {
    if let place = arguments.firstIndex(of: argument) {
      return place + 1 >= arguments.count || isYes(arguments[place + 1])
    }
    if let value = environment[variable] { return isYes(value) }
    #if DEBUG
      return !isTestRunner(arguments.first ?? "")
    #else
      return false
    #endif
  }

  private static func isYes(_ text: String) -> Bool {
    !["0", "no", "false", "off"].contains(text.lowercased())
  }

  private static func isTestRunner(_ program: String) -> Bool {
    let name = URL(fileURLWithPath: program).lastPathComponent
    return name.hasSuffix(".xctest") || name == "xctest" || name.contains("swiftpm-testing-helper")
  }

  /// Stops the program with what is wrong and the call that is right.
  static func stop(_ context: NSManagedObjectContext, _ object: NSManagedObject?) -> Never {
    let what =
      object.map { "an object of entity \($0.layout.name) (\($0.objectID.uriRepresentation()))" }
      ?? "the context"
    let isMain = context.queue.isMain
    let name = context.name.map { " \"\($0)\"" } ?? ""
    stopProgram(
      "\(what) is used off its queue: it belongs to"
        + " \(isMain ? "the main queue" : "the private queue") of the context\(name), and this is"
        + " \(ContextQueue.presentDescription). Use it inside context.perform { … } or"
        + " context.performAndWait { … }\(isMain ? ", or on the main thread" : ""); from one"
        + " context to another pass its objectID, and get the object there with"
        + " existingObject(with:).")
  }
}

extension NSManagedObjectContext {
  /// Stops a program that uses the context off its queue, where that is checked.
  @inline(__always)
  final func requireQueue() {
    if checksConcurrency, !queue.isCurrent { ConcurrencyCheck.stop(self, nil) }
  }
}

extension NSManagedObject {
  /// Stops a program that uses the object off its context's queue, where that is checked.
  @inline(__always)
  final func requireQueue() {
    if checksConcurrency { checkQueue() }
  }

  @inline(never)
  private func checkQueue() {
    if let context = unsafeContext, !context.queue.isCurrent {
      ConcurrencyCheck.stop(context, self)
    }
  }
}
