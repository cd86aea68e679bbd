/// The kind of queue that a context uses.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// No queue. The program must use the context from one thread at a time.
  ///
  /// Compared to Apple's Core Data: `perform` and `performAndWait` run their blocks immediately, on the calling thread.
  /// Apple's methods raise an exception.
  @available(*, deprecated, message: "Use another NSManagedObjectContextConcurrencyType")
  case confinementConcurrencyType = 0
  /// A private queue. Use the context in `perform` and `performAndWait`.
  case privateQueueConcurrencyType = 1
  /// The main queue. The context may also be used directly on the main thread.
  case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContextConcurrencyType {
  /// A private queue.
  public static var privateQueue: Self { .privateQueueConcurrencyType }
  /// The main queue.
  public static var mainQueue: Self { .mainQueueConcurrencyType }
}

extension NSManagedObjectContext {
  /// The kind of queue that a context uses.
  public typealias ConcurrencyType = NSManagedObjectContextConcurrencyType
}
