public import Foundation
public import Predicates

/// The kind of an `NSFetchRequestExpression`.
public let NSFetchRequestExpressionType = Predicates.NSExpression.ExpressionType.fetchRequest

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
open class NSFetchRequestExpression: Predicates.NSExpression, @unchecked Sendable {
  /// The expression whose value is the request.
  public let requestExpression: Predicates.NSExpression
  /// The expression whose value is the context.
  public let contextExpression: Predicates.NSExpression
  /// Whether the value is the number of results.
  public let isCountOnlyRequest: Bool

  /// Makes an expression of a fetch.
  ///
  /// - Parameters:
  ///   - fetch: gives an `NSFetchRequest`.
  ///   - context: gives an `NSManagedObjectContext`.
  ///   - countFlag: whether the number of results is wanted.
  public class func expression(
    forFetch fetch: Predicates.NSExpression, context: Predicates.NSExpression,
    countOnly countFlag: Bool
  ) -> Predicates.NSExpression {
    NSFetchRequestExpression(fetch, context, countOnly: countFlag)
  }

  private init(
    _ fetch: Predicates.NSExpression, _ context: Predicates.NSExpression, countOnly: Bool
  ) {
    requestExpression = fetch
    contextExpression = context
    isCountOnlyRequest = countOnly
    super.init(expressionType: .fetchRequest)
  }

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
  /// A mistake in the request stops the program with its message, and so does a part that is no
  /// request or context.
  open override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    do {
      return try fetchedValue(with: object, context: context)
    } catch {
      stopProgram(error.localizedDescription)
    }
  }

  /// Runs the fetch.
  ///
  /// - Throws: as `NSManagedObjectContext.fetch(_:)`, and for a part that is no request or context.
  final func fetchedValue(with object: Any?, context variables: NSMutableDictionary?) throws -> Any
  {
    let request = requestExpression.expressionValue(with: object, context: variables)
    let context = contextExpression.expressionValue(with: object, context: variables)
    guard let request = request as? any FetchExecutable,
      let context = context as? NSManagedObjectContext
    else {
      throw CoreDataError.badRequest("\(self) has no request, or no context to run it in")
    }
    if isCountOnlyRequest {
      return try context.count(for: request.converted(to: .managedObjectResultType))
    }
    return try request.results(in: context)
  }
}

extension NSFetchRequestExpression: FetchExpressionMaking {
  package static func expression(
    request: Predicates.NSExpression, context: Predicates.NSExpression, countsOnly: Bool
  ) -> Predicates.NSExpression {
    expression(forFetch: request, context: context, countOnly: countsOnly)
  }
}
