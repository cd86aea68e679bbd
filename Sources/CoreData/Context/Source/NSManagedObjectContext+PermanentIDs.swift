// Temporary IDs are the same in a parent and its children, and become permanent in all of them at one moment.
//
// The context at the root makes permanent IDs known (`publish`): to the temporary IDs in use, and to all contexts below it,
// each of which finds them in its inbox. A context adopts what is in its inbox, that is, has its objects stand for their rows,
// before it looks an object up by an ID that came from elsewhere. Adopting calls no code of the program, so it may happen
// in the middle of any work; live results report what the new IDs did to their order when changes are processed.

extension NSManagedObjectContext {
  /// Has objects of this context that were saved at the root stand for their rows. On this context's queue, or while it
  /// waits.
  ///
  /// One load where there is nothing to adopt.
  @inline(__always)
  func adoptPermanentIDs() {
    if !foreign.permanentIDs.isEmpty { adoptInbox() }
  }

  @inline(never)
  private func adoptInbox() {
    for list in foreign.permanentIDs.drain() { adopt(list.assignments) }
  }

  /// Has objects stand for their rows.
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

  /// Reports adopted permanent IDs to live results, which may have another order by them.
  func reportPermanentIDs() {
    let objects = foreign.drainUnreportedIDs()
    if objects.isEmpty { return }
    announcing.observers.forEach { $0.objectsDidGetPermanentIDs(objects) }
  }

  /// Runs `body`, and returns what was adopted meanwhile besides its result.
  func trackingPermanentIDs<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, adopted: [PermanentIDAssignment]) {
    try foreign.trackingAdoptions(body)
  }

  /// Makes permanent IDs of this context's objects, which stand for their rows already, known to the contexts below it and to
  /// the temporary IDs in use. Called at the root.
  func publish(_ assignments: [PermanentIDAssignment]) {
    if assignments.isEmpty { return }
    let list = PermanentIDAssignments(assignments)
    var below: [(context: NSManagedObjectContext, isFirst: Bool)] = []
    TemporaryIDs.shared.publish(assignments) { fillInboxes(with: list, &below) }
    for (context, isFirst) in below {
      // A confined context has no queue: it adopts them when its thread uses it.
      if context.queue.isConfined { continue }
      if context.queue.isCurrent {
        context.adoptPermanentIDs()
      } else if isFirst {
        context.performLater { [weak context] in context?.adoptPermanentIDs() }
      }
    }
  }

  /// Whether anything but this context wants to know of its new permanent IDs.
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

  /// The ID by which this context knows an object now. What became known before was adopted, so the object is found by
  /// the key that the ID has.
  func present(_ id: NSManagedObjectID) -> NSManagedObjectID {
    if id.key > 0, foreign.permanentIDs.isEmpty { return id }
    return settled { id.current }
  }

  /// Runs `body`, which finds out what IDs are current, until no permanent IDs became known meanwhile.
  func settled<Result>(_ body: () -> Result) -> Result {
    while true {
      adoptPermanentIDs()
      let result = body()
      if foreign.permanentIDs.isEmpty { return result }
    }
  }

  /// The object of an ID that this context's rows or its source name.
  func object(of id: NSManagedObjectID) -> NSManagedObject {
    let id = present(id)
    return object(id.layout, key: id.key, origin: id.origin, .none)
  }

  /// Sees to it that a child and this context know the same permanent IDs: rows that go from one to the other have one
  /// name in both. On this context's queue, while the child waits.
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
    } while !foreign.permanentIDs.isEmpty
  }

  // MARK: Obtaining permanent IDs

  /// Gives unsaved objects of this context the IDs that they will have.
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
      // What the child saved is an object of this context, which knows what store it was assigned to.
      let own = unsaved.compactMap { registry[$0.layout, $0.primaryKey, .temporary] }
      let keys = Set(own.map(\.primaryKey))
      let others = unsaved.filter { !keys.contains($0.primaryKey) }
      for objects in [own, others] where !objects.isEmpty { try assignPermanentIDs(to: objects) }
      reportPermanentIDs()
      return []
    }
  }
}
