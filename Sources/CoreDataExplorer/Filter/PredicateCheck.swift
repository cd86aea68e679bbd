import CoreData
import StoreInspection

/// The result of checking a condition while it is typed.
struct PredicateCheck: Encodable {
  let ok: Bool
  var variables: [TemplateVariable] = []
  var error: WebFailure.Content?
  /// Hints about parts of the condition that probably do not mean what the user intends.
  var hints: [ConditionHint] = []

  /// Parses a condition and lets the store translate it, without running it.
  ///
  /// Call it on the context's queue.
  init(_ text: String, of entity: NSEntityDescription, in context: NSManagedObjectContext) {
    do {
      let query = try RowSelection(
        entity: entity, where: text, in: context.persistentStoreCoordinator)
      variables = TemplateVariable.variables(of: query.predicate, entity: entity)
      hints = query.hints
      // Variables without a value cannot be translated.
      if variables.isEmpty { _ = try query.fetching { try context.explain(query.request()) } }
      ok = true
    } catch {
      ok = false
      self.error = WebFailure(Diagnostic(error)).error
    }
  }
}
