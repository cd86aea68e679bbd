package import CoreData

/// Which rows a command works on: an entity and a condition, both as they were typed.
package struct RowQuery {
  package let entity: NSEntityDescription
  /// The text of `--where`.
  package let condition: String?
  /// The condition, read; nil for all rows.
  package let predicate: NSPredicate?

  /// Reads the condition.
  package init(entity: NSEntityDescription, where condition: String?) throws(Diagnostic) {
    self.entity = entity
    self.condition = condition
    if let condition, condition.allSatisfy(\.isWhitespace) {
      throw Diagnostic(
        .usage, "--where has no condition",
        details: ["Say one, such as \"age > 30\", or leave out --where to mean all rows."])
    }
    do {
      predicate = try condition.map { try NSPredicate(validating: $0) }
    } catch let error as InvalidPredicateError {
      throw Diagnostic.predicate(
        error.message.withoutFullStop, in: condition ?? "", at: error.position)
    } catch {
      throw Diagnostic(error)
    }
  }

  /// A request for the rows, without an order.
  package func request() -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.entity = entity
    request.predicate = predicate
    return request
  }

  /// Runs a block that fetches, and tells of mistakes in the condition with the condition.
  package func fetching<Result>(_ body: () throws -> Result) throws(Diagnostic) -> Result {
    do {
      return try body()
    } catch let error as NSError
      where error.domain == NSCocoaErrorDomain && error.code == NSCoreDataError
    {
      let message = error.localizedDescription.withoutFullStop
      guard let condition else { throw Diagnostic(.usage, message) }
      throw Diagnostic.predicate(
        message, in: condition, at: ConditionText.place(of: message, in: condition))
    } catch {
      throw Diagnostic(error)
    }
  }
}
