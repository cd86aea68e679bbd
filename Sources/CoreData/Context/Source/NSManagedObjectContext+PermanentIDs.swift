// An object has the same temporary ID in a parent and its children. It gets its permanent ID in all
// of them at the same time.
//
// The root context publishes permanent IDs (`publish`) to the temporary IDs in use and to the
// inboxes of all contexts below it. A context adopts the IDs in its inbox, that is, registers its
// objects under their new keys, before it looks up an object by an ID that it did not create. Adopting
// calls no code of the program, so it may happen during any work. Live results report how the new
// IDs change their order when changes are processed.

extension NSManagedObjectContext {
  /// Registers objects under their permanent IDs after the root has saved them. Call it on this context's
  /// queue, or while the queue waits.
  ///
  /// Costs one load if there is nothing to adopt.
  @inline(__always)
  func adoptPermanentIDs() {
    if !foreign.permanentIDs.isEmpty { adoptInbox() }
  }

  @inline(never)
  private func adoptInbox() {
    for list in foreign.permanentIDs.drain() { adopt(list.assignments) }
  }

  /// Registers objects under their permanent IDs.
  private func adopt(_ assignments: [PermanentIDAssignment]) {
    var objects: [IdentifiedObject] = []
    for assignment in assignments {
      if let object = registry[assignment.layout, assignment.temporary, .temporary] {
        objects.append((object, assignment.temporary))
        identify(object, key: assignment.key, origin: assignment.origin)
      } else if announcing.observers.show(assignment.temporary, .temporary) {
        let object = object(
          assignment.layout, key: assignment.key, origin: assignment.origin, .none)
        objects.append((object, assignment.temporary))
      }
    }
    foreign.noteAdoption(assignments)
    if announcing.observers.isEmpty { return }
    announcing.observers.forEach { $0.adoptPermanentIDs(objects) }
    foreign.noteUnreported(objects)
    scheduleProcessing()
  }

  /// Reports adopted permanent IDs to live results, whose order may change.
  func reportPermanentIDs() {
    let objects = foreign.drainUnreportedIDs()
    if objects.isEmpty { return }
    announcing.observers.forEach { $0.objectsDidGetPermanentIDs(objects) }
  }

  /// Runs `body`, and returns its result and the IDs that were adopted during it.
  func trackingPermanentIDs<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, adopted: [PermanentIDAssignment]) {
    try foreign.trackingAdoptions(body)
  }

  /// Publishes permanent IDs to the contexts below and to the temporary IDs in use. This context has already
  /// registered its objects under them. Called at the root.
  func publish(_ assignments: [PermanentIDAssignment]) {
    if assignments.isEmpty { return }
    let list = PermanentIDAssignments(assignments)
    var below: [(context: NSManagedObjectContext, isFirst: Bool)] = []
    TemporaryIDs.shared.publish(assignments) { fillInboxes(with: list, &below) }
    for (context, isFirst) in below {
      // A confined context has no queue. It adopts the IDs when its thread next uses the context.
      if context.queue.isConfined { continue }
      if context.queue.isCurrent {
        context.adoptPermanentIDs()
      } else if isFirst {
        // The first IDs in an empty inbox schedule this call, which adopts all IDs that have
        // arrived when it runs.
        context.performLater { [weak context] in context?.adoptPermanentIDs() }
      }
    }
  }

  /// Whether children or temporary IDs in use need this context's new permanent IDs.
  var publishesPermanentIDs: Bool { !children.current.isEmpty || !TemporaryIDs.shared.isEmpty }

  private func fillInboxes(
    with list: PermanentIDAssignments,
    _ below: inout [(context: NSManagedObjectContext, isFirst: Bool)]
  ) {
    for child in children.current {
      below.append((child, child.foreign.permanentIDs.add(list)))
      child.fillInboxes(with: list, &below)
    }
  }

  // MARK: Looking objects up

  /// Adopts permanent IDs, then returns the current ID of an object. If the object is registered here, it is
  /// registered under the key of this ID.
  func currentID(of id: NSManagedObjectID) -> NSManagedObjectID {
    if id.key > 0, foreign.permanentIDs.isEmpty { return id }
    return resolvingIDs { id.current }
  }

  /// Runs `body`, which resolves IDs, and repeats it as long as permanent IDs are published during it.
  func resolvingIDs<Result>(_ body: () -> Result) -> Result {
    while true {
      adoptPermanentIDs()
      let result = body()
      if foreign.permanentIDs.isEmpty { return result }
    }
  }

  /// Returns the object for an ID from a row of this context or from its source.
  func object(of id: NSManagedObjectID, declared: EntityLayout? = nil) -> NSManagedObject {
    let id = currentID(of: id)
    return object(id.layout, key: id.key, origin: id.origin, .none, declared: declared)
  }

  /// Ensures that a child and this context have adopted the same permanent IDs, so that rows have
  /// the same IDs in both. Call it on this context's queue, while the child waits.
  @inline(__always)
  func align(_ child: NSManagedObjectContext) {
    if !foreign.permanentIDs.isEmpty || !child.foreign.permanentIDs.isEmpty {
      adoptTogether(with: child)
    }
  }

  @inline(never)
  private func adoptTogether(with child: NSManagedObjectContext) {
    repeat {
      adoptPermanentIDs()
      child.adoptPermanentIDs()
      // IDs that are published between the two calls would be adopted by the child alone.
    } while !foreign.permanentIDs.isEmpty
  }

  // MARK: Obtaining permanent IDs

  /// Assigns permanent IDs to unsaved objects of this context.
  func assignPermanentIDs(to objects: [NSManagedObject]) throws {
    guard let source else { throw noCoordinator }
    let assignments = try source.assignPermanentIDs(to: objects, for: self)
    if isChild { return adoptPermanentIDs() }
    adopt(assignments)
    publish(assignments)
  }

  func assignPermanentIDs(
    to objects: [NSManagedObject], for requester: NSManagedObjectContext
  ) throws -> [PermanentIDAssignment] {
    try serve(requester) {
      let unsaved = objects.filter { $0.primaryKey < 0 }
      // Objects that the child saved exist here, and this context knows the stores assigned to them.
      let own = unsaved.compactMap { registry[$0.layout, $0.primaryKey, .temporary] }
      let keys = Set(own.map(\.primaryKey))
      let others = unsaved.filter { !keys.contains($0.primaryKey) }
      for objects in [own, others] where !objects.isEmpty { try assignPermanentIDs(to: objects) }
      reportPermanentIDs()
      return []
    }
  }
}
