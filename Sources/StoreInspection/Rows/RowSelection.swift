package import CoreData

/// The rows that a command works on: an entity and a condition, as given by the user.
package struct RowSelection {
  package let entity: NSEntityDescription
  /// The text of `--where`.
  package let condition: String?
  /// The parsed condition; nil for all rows.
  package private(set) var predicate: NSPredicate?

  /// Parses the condition.
  package init(entity: NSEntityDescription, where condition: String?) throws(Diagnostic) {
    self.entity = entity
    self.condition = condition
    if let condition, condition.allSatisfy(\.isWhitespace) {
      throw Diagnostic(
        .usage, "--where has no condition",
        details: ["Add one, such as \"age > 30\", or omit --where to select all rows."])
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

  /// Parses a condition in which rows may be given by their IDs. May be called on any queue.
  ///
  /// - Parameter coordinator: The coordinator whose store is queried for the rows; nil if the
  ///   condition contains no row's ID.
  /// - Throws: ``Diagnostic`` if the condition cannot be parsed, or an ID's row does not exist.
  package init(
    entity: NSEntityDescription, where condition: String?,
    in coordinator: NSPersistentStoreCoordinator?
  ) throws {
    try self.init(entity: entity, where: condition)
    if let coordinator, let predicate {
      self.predicate = try ReferenceResolver(coordinator: coordinator).resolving(
        predicate, of: entity)
    }
  }

  /// Parses a condition in which rows may be given by their IDs, and a list of IDs that restricts the selection.
  ///
  /// - Parameters:
  ///   - ids: The text of `--id`, references separated by commas; nil for all rows.
  ///   - context: A context on whose queue this is called; its store is queried for the rows of `ids`.
  /// - Throws: ``Diagnostic`` if the text cannot be parsed, or an ID's row does not exist.
  package init(
    entity: NSEntityDescription, where condition: String?, ids: String?,
    in context: NSManagedObjectContext
  ) throws {
    let coordinator = context.persistentStoreCoordinator
    try self.init(entity: entity, where: condition, in: coordinator)
    guard let ids, let coordinator else { return }
    let references = try ObjectReference.parseList(ids, for: "--id")
    if references.isEmpty { throw Diagnostic(.usage, "--id contains no row's ID") }
    let named = try ReferenceResolver(coordinator: coordinator).condition(
      references, of: entity, in: context)
    predicate =
      predicate.map { NSCompoundPredicate(andPredicateWithSubpredicates: [$0, named]) } ?? named
  }

  /// Makes a request for the rows, without sort descriptors.
  package func request() -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.entity = entity
    request.predicate = predicate
    return request
  }

  /// Hints about parts of the condition that probably do not mean what the user intends.
  package var hints: [ConditionHint] {
    guard let condition, let predicate else { return [] }
    return ConditionHints.hints(at: condition, predicate, of: entity)
  }

  /// Runs a block that fetches, and converts its errors to diagnostics; those about the condition quote it.
  package func fetching<Result>(_ body: () throws -> Result) throws(Diagnostic) -> Result {
    try Self.reporting(condition, body)
  }

  /// Runs a block that fetches with the condition, and converts its errors to diagnostics; those about the condition
  /// quote it.
  package static func reporting<Result>(
    _ condition: String?, _ body: () throws -> Result
  ) throws(Diagnostic) -> Result {
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
