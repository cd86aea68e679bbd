/// The type of an `NSFetchRequestExpression`.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// Executes the request of a fetch expression. The module CoreData makes `NSManagedObjectContext` conform.
package protocol FetchRunning {
  /// Returns the results of a request, or their number.
  ///
  /// - Throws: An error if the value is not a request, and the errors of a fetch.
  func fetchedValue(of request: Any?, countOnly: Bool) throws -> Any
}

/// An expression whose value is the result of a fetch: the results of a request as an array, or their number.
///
/// ```swift
/// let request = NSExpression(forConstantValue: NSFetchRequest<NSManagedObject>(entityName: "Team"))
/// let all = NSFetchRequestExpression.expression(
///   forFetch: request, context: NSExpression(forConstantValue: context), countOnly: false)
/// let people = NSComparisonPredicate(
///   leftExpression: NSExpression(forKeyPath: "team"), rightExpression: all, modifier: .direct,
///   type: .in)
/// ```
///
/// Evaluate it on the context's queue. In the predicate of a request, it is evaluated when the request is executed, not
/// again for each row.
nonisolated open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
  /// The expression whose value is the request.
  public let requestExpression: NSExpression
  /// The expression whose value is the context.
  public let contextExpression: NSExpression
  /// Whether the value is the number of results.
  public let isCountOnlyRequest: Bool

  /// Creates an expression that executes a fetch.
  ///
  /// - Parameters:
  ///   - fetch: An expression whose value is an `NSFetchRequest`.
  ///   - context: An expression whose value is an `NSManagedObjectContext`.
  ///   - countFlag: Whether the value is the number of results.
  public class func expression(
    forFetch fetch: NSExpression, context: NSExpression,
    countOnly countFlag: Bool
  ) -> NSExpression {
    NSFetchRequestExpression(fetch, context, countOnly: countFlag)
  }

  init(_ fetch: NSExpression, _ context: NSExpression, countOnly: Bool) {
    requestExpression = fetch
    contextExpression = context
    isCountOnlyRequest = countOnly
    super.init(expressionType: .fetchRequest)
  }

  /// Creates an expression without a request or a context. It cannot be evaluated.
  public convenience init() { self.init(NSExpression(), NSExpression(), countOnly: false) }

  /// Always returns nil: a context cannot be archived.
  public required init?(coder: NSCoder) { return nil }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchRequestExpression else { return false }
    return requestExpression == other.requestExpression
      && contextExpression == other.contextExpression
      && isCountOnlyRequest == other.isCountOnlyRequest
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(requestExpression)
    hasher.combine(contextExpression)
    hasher.combine(isCountOnlyRequest)
    return hasher.finalize()
  }

  open override var description: String {
    "FETCH(\(requestExpression), \(contextExpression), \(isCountOnlyRequest ? "YES" : "NO"))"
  }

  /// Executes the fetch.
  ///
  /// If the fetch fails, or if the values of the two expressions are not a request and a context, this method logs the
  /// error and returns nil.
  open override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    do {
      return BridgedValue.bridged(try fetchedValue(with: object, context: context))
    } catch {
      EvaluationLog.record(error, of: description)
      return nil
    }
  }

  /// Executes the fetch.
  ///
  /// - Throws: The errors of `NSManagedObjectContext.fetch(_:)`, and an error if the values of the two expressions are
  ///   not a request and a context.
  package final func fetchedValue(
    with object: Any?, context variables: NSMutableDictionary?
  ) throws -> Any {
    let request = try requestExpression.value(with: object, context: variables)
    let context = try contextExpression.value(with: object, context: variables)
    guard let context = context as? any FetchRunning else {
      throw NSError(
        domain: NSCocoaErrorDomain, code: 134060,
        userInfo: [NSLocalizedDescriptionKey: "\(self) has no context to run a request in"])
    }
    return try context.fetchedValue(of: request, countOnly: isCountOnlyRequest)
  }
}
