/// The kind of an `NSFetchRequestExpression`.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// What a fetch expression runs its request in: a context of the module above.
package protocol FetchRunning {
  /// The results of a request, or their number.
  ///
  /// - Throws: for what is no request, and as a fetch does.
  func fetchedValue(of request: Any?, countOnly: Bool) throws -> Any
}

/// An expression whose value is what a fetch gives: the results of a request as an array, or their
/// number.
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
/// Evaluate it on the context's queue. As a part of a request's predicate it is evaluated once, when
/// the request is executed.
nonisolated open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
  /// The expression whose value is the request.
  public let requestExpression: NSExpression
  /// The expression whose value is the context.
  public let contextExpression: NSExpression
  /// Whether the value is the number of results.
  public let isCountOnlyRequest: Bool

  /// Makes an expression of a fetch.
  ///
  /// - Parameters:
  ///   - fetch: gives an `NSFetchRequest`.
  ///   - context: gives an `NSManagedObjectContext`.
  ///   - countFlag: whether the number of results is wanted.
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

  /// Makes an expression without a request and a context. It cannot be evaluated.
  public convenience init() { self.init(NSExpression(), NSExpression(), countOnly: false) }

  /// Gives nil: a context cannot be archived.
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

  /// Runs the fetch.
  ///
  /// An error, also of a part that is no request or context, is logged and gives nil.
  open override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    do {
      return BridgedValue.bridged(try fetchedValue(with: object, context: context))
    } catch {
      EvaluationLog.record(error, of: description)
      return nil
    }
  }

  /// Runs the fetch.
  ///
  /// - Throws: as `NSManagedObjectContext.fetch(_:)`, and for a part that is no request or context.
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
