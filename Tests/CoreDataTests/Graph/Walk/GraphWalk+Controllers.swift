import CoreData

/// Fetched results controllers of the contexts.
extension GraphWalk {
  func makeController(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws {
    // Only contexts without a parent have controllers: a child's controller reads from the parent on the child's queue,
    // and in the walk the parent waits for the child.
    guard member.parent == nil, member.controllers.count < 3 else { return }
    var generator = choices.generator
    let query = WalkQuery(&generator)
    let batchSize = choices.once(in: 3) ? 2 : 0
    note("\(member.name): controller of \(query)\(batchSize > 0 ? " in batches" : "")")
    member.context.processPendingChanges()
    // The table may read a row whose deletion the context has not merged yet.
    let controller = try WalkController(query, batchSize: batchSize, in: member.context) {
      [weak member] in member?.used.insert($0)
    }
    leaks.watch(controller.controller)
    member.controllers.append(controller)
  }

  func dropController(_ member: WalkMember) {
    if member.controllers.popLast() != nil { note("\(member.name): drop a controller") }
  }

  /// Fetches again with all controllers of a context.
  func fetchAgain(_ member: WalkMember) throws {
    member.context.processPendingChanges()
    for controller in member.controllers { try controller.fetchAgain() }
  }

  func compareControllers(_ member: WalkMember) throws -> String? {
    if member.controllers.isEmpty { return nil }
    member.context.processPendingChanges()
    for controller in member.controllers {
      let broken = controller.controller.findBrokenInvariant()
      if let failure = broken ?? controller.difference(from: member.current) { return failure }
    }
    return nil
  }
}
