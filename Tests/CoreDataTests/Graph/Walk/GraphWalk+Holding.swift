@testable import CoreData

/// Steps that run while all queues are held: a block that is enqueued for a context waits until the last step has run,
/// as it does while the main thread is busy.
extension GraphWalk {
  /// Runs some steps while all queues are held, and then lets the queues run their blocks.
  func hold(_ steps: [WalkStep], _ next: inout Int) -> String? {
    var choices = WalkStep.Choices(steps[next])
    let end = min(steps.count, next + 4 + choices.below(20))
    next += 1
    var position = next
    drainQueues()
    note("hold")
    isHeld = true
    let failure = holding(members[...]) {
      while position < end {
        if let failure = runSteps(Array(steps[..<end]), &position) { return failure }
      }
      for member in members { catchUp(member) }
      recordRegisteredObjects()
      return nil
    }
    isHeld = false
    next = position
    if let failure { return failure }
    note("release the queues")
    runLateMerges()
    return nil
  }

  /// Runs the automatic merges that are late because the queues were held. The naive graphs already contain these
  /// saves.
  func runLateMerges() {
    drainQueues()
    for member in members where member.mergesLate {
      member.mergesLate = false
      member.performing {
        removeUndoSteps(member)
        recordMoods(member)
      }
    }
  }

  private func holding(_ members: ArraySlice<WalkMember>, _ body: () -> String?) -> String? {
    guard let first = members.first else { return body() }
    return first.performing { holding(members.dropFirst(), body) }
  }

  /// Waits until the queues have run their blocks and the blocks that these enqueue. The caller must not be on a queue.
  private func drainQueues() {
    for _ in 1...3 { for member in members { member.performing {} } }
  }

  /// Saves a context; while the queues are held, saves its ancestors too.
  func saveUp(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    var next: WalkMember? = member
    while let saving = next {
      if let failure = try saving.performing({ try save(saving, &choices) }) { return failure }
      next = isHeld ? saving.parent : nil
    }
    return nil
  }

  /// Returns whether a context merges a coordinator's save before the walk's next step on the context's queue. If not,
  /// because the queue is held, records that the context merges the save later.
  func mergesNow(_ member: WalkMember, from coordinator: NSPersistentStoreCoordinator?) -> Bool {
    guard member.mergesAutomatically, member.context.persistentStoreCoordinator === coordinator
    else { return false }
    // All main queue contexts share a queue, so none of them can merge while the walk runs on it.
    guard isHeld || member.context.queue.isCurrent else { return true }
    member.mergesLate = true
    return false
  }

  /// Removes the moods that a late merge has cleared in objects without changes. A context that merges automatically
  /// receives the save of another coordinator when the coordinator polls the file. On a busy machine that can happen
  /// after the context's own next save.
  func recordLateRefreshes(_ member: WalkMember) {
    var root = member
    while let parent = root.parent { root = parent }
    guard kind.isSQL, root.mergesAutomatically else { return }
    for uid in member.current.uids
    where base(member).objects[uid] != nil && !member.dirty.contains(uid) {
      guard let naive = member.current.objects[uid], (naive.mood ?? nil) != nil else { continue }
      let object = id(uid, member).flatMap(member.context.registeredObject)
      let mood: String? = object.flatMap { $0.isFault ? nil : $0["mood"] }
      if mood == nil { member.current.objects[uid]?.mood = nil }
    }
  }

  /// Copies the moods of objects without changes into the graph. The objects that a merge refreshes depend on the kind
  /// of merge and on the state of the context.
  func recordMoods(_ member: WalkMember) {
    for uid in member.current.uids
    where base(member).objects[uid] != nil && !member.dirty.contains(uid) {
      var mood: String?
      if let object = id(uid, member).flatMap(member.context.registeredObject), !object.isFault {
        mood = object["mood"]
      }
      member.current.objects[uid]?.mood = mood == nil ? nil : .some(mood)
    }
  }
}
