/// Whether contexts check that they and their objects are used on their queues. Set once, by the
/// initializer of the first context. If false, a check costs a load and a branch.
nonisolated(unsafe) private(set) var checksConcurrency = false

/// Stops the program when a context or one of its objects is used off the context's queue, before
/// the misuse can damage data.
///
/// The check is on in debug builds, except in test runners: test suites written for Apple's platforms, where the
/// check is off by default, often use a context from several threads, one at a time. In all builds, the
/// launch argument `-com.apple.CoreData.ConcurrencyDebug 1` (or `0`) and the environment variable
/// `OPENCOREDATA_CONCURRENCY_DEBUG` override the default.
enum ConcurrencyCheck {
  static let argument = "-com.apple.CoreData.ConcurrencyDebug"
  static let variable = "OPENCOREDATA_CONCURRENCY_DEBUG"

  /// Initializes `checksConcurrency` on first access.
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

  /// Stops the program with a message that states the misuse and the correct call.
  static func stop(_ context: NSManagedObjectContext, _ object: NSManagedObject?) -> Never {
    let what =
      object.map { "an object of entity \($0.layout.name) (\($0.ownID.uriRepresentation()))" }
      ?? "the context"
    let isMain = context.queue.isMain
    let name = context.name.map { " \"\($0)\"" } ?? ""
    stopProgram(
      "\(what) is used off its queue: it belongs to"
        + " \(isMain ? "the main queue" : "the private queue") of the context\(name), and this is"
        + " \(ContextQueue.presentDescription). Use it inside context.perform { … } or"
        + " context.performAndWait { … }\(isMain ? ", or on the main thread" : ""); to use an object"
        + " in another context, pass its objectID, and get the object there with"
        + " existingObject(with:).")
  }
}

extension NSManagedObjectContext {
  /// Stops the program if it uses the context off its queue and checks are on.
  @inline(__always)
  final func requireQueue() {
    if checksConcurrency, !queue.isCurrent { ConcurrencyCheck.stop(self, nil) }
  }
}

extension NSManagedObject {
  /// Stops the program if it uses the object off its context's queue and checks are on.
  @inline(__always)
  final func requireQueue() {
    if checksConcurrency { checkQueue() }
  }

  // Not inlined, so that accessors contain only the load and the branch.
  @inline(never)
  private func checkQueue() {
    if let context = unsafeContext, !context.queue.isCurrent {
      ConcurrencyCheck.stop(context, self)
    }
  }
}
