import Foundation

// Temporary IDs are the same in a parent and its children, and become permanent in all of them at one moment.
//
// The context at the root makes identities known (`publish`): to the temporary IDs in use, and to all contexts below it,
// each of which finds them in its box. A context adopts what is in its box, that is, has its objects stand for their rows,
// before it looks an object up by an ID that came from elsewhere. Adopting calls no code of the program, so it may happen
// in the middle of any work; live results report what the new IDs did to their order when changes are processed.

extension NSManagedObjectContext {
  /// Has objects of this context that were saved at the root stand for their rows. On this context's queue, or while it
  /// waits.
  ///
  /// One load where there is nothing to adopt.
  @inline(__always)
  func adoptIdentities() {
    if !newIdentities.isEmpty { adoptNewIdentities() }
  }

  @inline(never)
  private func adoptNewIdentities() {
    for list in newIdentities.drain() { adopt(list.identities) }
  }

  /// Has objects stand for their rows.
  private func adopt(_ identities: [Identity]) {
    var objects: [NewID] = []
    for identity in identities {
      if let object = registry[identity.layout, identity.temporary, .temporary] {
        objects.append((object, identity.temporary))
        identify(object, key: identity.key, origin: identity.origin)
      } else if observers.show(identity.temporary, .temporary) {
        let object = object(
          identity.layout, key: identity.key, origin: identity.origin, .none)
        objects.append((object, identity.temporary))
      }
    }
    adoptedIdentities?.append(contentsOf: identities)
    if observers.isEmpty { return }
    observers.forEach { $0.adoptPermanentIDs(objects) }
    unreportedIdentities.append(contentsOf: objects)
    scheduleProcessing()
  }

  /// Reports adopted identities to live results, which may have another order by them.
  func reportIdentities() {
    if unreportedIdentities.isEmpty { return }
    let objects = unreportedIdentities
    unreportedIdentities = []
    observers.forEach { $0.objectsDidGetPermanentIDs(objects) }
  }

  /// Runs `body`, and returns what was adopted meanwhile besides its result.
  func followingIdentities<Result>(
    _ body: () throws -> Result
  ) rethrows -> (result: Result, adopted: [Identity]) {
    let outer = adoptedIdentities
    adoptedIdentities = []
    defer { adoptedIdentities = outer.map { $0 + (adoptedIdentities ?? []) } }
    return (try body(), adoptedIdentities ?? [])
  }

  /// Makes identities of this context's objects, which stand for their rows already, known to the contexts below it and to
  /// the temporary IDs in use. Called at the root.
  func publish(_ identities: [Identity]) {
    if identities.isEmpty { return }
    let list = IdentityList(identities)
    var below: [(context: NSManagedObjectContext, isFirst: Bool)] = []
    TemporaryIDs.shared.publish(identities) { fillBoxes(with: list, &below) }
    for (context, isFirst) in below {
      // A confined context has no queue: it adopts them when its thread uses it.
      if context.queue.isConfined { continue }
      if context.queue.isCurrent {
        context.adoptIdentities()
      } else if isFirst {
        context.performLater { [weak context] in context?.adoptIdentities() }
      }
    }
  }

  /// Whether anything but this context wants to know of its new identities.
  var publishesIdentities: Bool { !children.current.isEmpty || !TemporaryIDs.shared.isEmpty }

  private func fillBoxes(
    with list: IdentityList, _ below: inout [(context: NSManagedObjectContext, isFirst: Bool)]
  ) {
    for child in children.current {
      below.append((child, child.newIdentities.add(list)))
      child.fillBoxes(with: list, &below)
    }
  }

  // MARK: Looking objects up

  /// The ID by which this context knows an object now. What became known before was adopted, so the object is found by
  /// the key that the ID has.
  func present(_ id: NSManagedObjectID) -> NSManagedObjectID {
    if id.key > 0, newIdentities.isEmpty { return id }
    return settled { id.current }
  }

  /// Runs `body`, which finds out what IDs are current, until no identities became known meanwhile.
  func settled<Result>(_ body: () -> Result) -> Result {
    while true {
      adoptIdentities()
      let result = body()
      if newIdentities.isEmpty { return result }
    }
  }

  /// The object of an ID that this context's rows or its source name.
  func object(of id: NSManagedObjectID) -> NSManagedObject {
    let id = present(id)
    return object(id.layout, key: id.key, origin: id.origin, .none)
  }

  /// Sees to it that a child and this context know the same identities: rows that go from one to the other have one
  /// name in both. On this context's queue, while the child waits.
  @inline(__always)
  func align(_ child: NSManagedObjectContext) {
    if !newIdentities.isEmpty || !child.newIdentities.isEmpty { adoptTogether(with: child) }
  }

  @inline(never)
  private func adoptTogether(with child: NSManagedObjectContext) {
    repeat {
      adoptIdentities()
      child.adoptIdentities()
    } while !newIdentities.isEmpty
  }

  // MARK: Obtaining permanent IDs

  /// Gives unsaved objects of this context the IDs that they will have.
  func obtainIdentities(for objects: [NSManagedObject]) throws {
    guard let source else { throw noCoordinator }
    let identities = try source.permanentIdentities(for: objects, of: self)
    if isChild { return adoptIdentities() }
    adopt(identities)
    publish(identities)
  }

  func permanentIdentities(
    for objects: [NSManagedObject], of requester: NSManagedObjectContext
  ) throws -> [Identity] {
    try serve(requester) {
      let unsaved = objects.filter { $0.identifiedKey < 0 }
      // What the child saved is an object of this context, which knows what store it was assigned to.
      let own = unsaved.compactMap { registry[$0.layout, $0.identifiedKey, .temporary] }
      let keys = Set(own.map(\.identifiedKey))
      let others = unsaved.filter { !keys.contains($0.identifiedKey) }
      for objects in [own, others] where !objects.isEmpty { try obtainIdentities(for: objects) }
      reportIdentities()
      return []
    }
  }
}
