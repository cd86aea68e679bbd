import CoreData
import StoreInspection

/// What is to be said of a condition while it is being typed.
struct PredicateCheck: Encodable {
  let ok: Bool
  var variables: [TemplateVariable] = []
  var error: WebFailure.Content?
  /// What it probably does not mean.
  var hints: [ConditionHint] = []

  /// Reads a condition and has the store translate it, without running anything.
  ///
  /// To be made on the context's queue.
  init(_ text: String, of entity: NSEntityDescription, in context: NSManagedObjectContext) {
    do {
      let query = try RowSelection(
        entity: entity, where: text, in: context.persistentStoreCoordinator)
      variables = TemplateVariable.variables(of: query.predicate, entity: entity)
      hints = query.hints
      // What has no value yet cannot be translated.
      if variables.isEmpty { _ = try query.fetching { try context.explain(query.request()) } }
      ok = true
    } catch {
      ok = false
      self.error = WebFailure(Diagnostic(error)).error
    }
  }
}
