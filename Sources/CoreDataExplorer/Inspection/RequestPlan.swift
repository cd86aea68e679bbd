import CoreData
import StoreInspection

/// The statement and the plan with which the store answers a table's request.
struct RequestPlan: Encodable {
  let sql: String
  let plan: [RequestLog.Step]

  /// Call it on the context's queue.
  init(_ query: TableQuery, of entity: NSEntityDescription, in context: NSManagedObjectContext)
    throws
  {
    let explanations = try context.explain(
      try query.request(of: entity, in: context.persistentStoreCoordinator))
    sql = explanations.map(\.formattedSQL).joined(separator: "\n\n")
    plan = explanations.flatMap { Self.steps($0.plan, depth: 0) }
  }

  private static func steps(
    _ steps: [FetchExplanation.Step], depth: Int
  ) -> [RequestLog.Step] {
    steps.flatMap { step in
      [RequestLog.Step(depth: depth, text: step.text)] + self.steps(step.children, depth: depth + 1)
    }
  }
}
