@testable import CoreData

/// Steps between which no queue gets a turn: what is enqueued for a context waits until the last of them was taken,
/// as it does while the main thread does one thing after the other.
extension GraphWalk {
  /// Takes some steps with all queues held, and gives them their turn.
  func hold(_ steps: [WalkStep], _ next: inout Int) -> String? {
    var choices = WalkStep.Choices(steps[next])
    let end = min(steps.count, next + 4 + choices.below(20))
    next += 1
    var position = next
    giveTurn()
    note("hold")
    isHeld = true
    let fault = holding(members[...]) {
      while position < end {
        if let fault = takeSome(Array(steps[..<end]), &position) { return fault }
      }
      for member in members { catchUp(member) }
      noteUse()
      return nil
    }
    isHeld = false
    next = position
    if let fault { return fault }
    note("turn")
    mergeLateOnes()
    return nil
  }

  /// Lets contexts merge what they were shown before their queues had a turn.
  func mergeLateOnes() {
    giveTurn()
    for member in members where member.mergesLate {
      member.mergesLate = false
      member.performing {
        forgetUndo(member)
        noteMoods(member)
      }
    }
  }

  private func holding(_ members: ArraySlice<WalkMember>, _ body: () -> String?) -> String? {
    guard let first = members.first else { return body() }
    return first.performing { holding(members.dropFirst(), body) }
  }

  /// Lets the queues do what was enqueued, and what that enqueues. Nobody is on a queue.
  private func giveTurn() {
    for _ in 1...3 { for member in members { member.performing {} } }
  }

  /// Saves a context and those above it.
  func saveUp(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    var next: WalkMember? = member
    while let saving = next {
      if let fault = try saving.performing({ try save(saving, &choices) }) { return fault }
      next = isHeld ? saving.parent : nil
    }
    return nil
  }

  /// Whether a context has merged what was saved through a coordinator when its queue is entered; where queues are
  /// held, it will later.
  func mergesNow(_ member: WalkMember, from coordinator: NSPersistentStoreCoordinator?) -> Bool {
    guard member.mergesAutomatically, member.context.persistentStoreCoordinator === coordinator
    else { return false }
    // Contexts of the main queue share it: who is on the queue of one has no turn to give to another.
    guard isHeld || member.context.queue.isCurrent else { return true }
    member.mergesLate = true
    return false
  }

  /// Takes over which objects without changes have lost a transient value by a merge that came late. What another
  /// coordinator saved reaches a context that merges by itself when the file is looked at; on a busy machine that is
  /// after the context's own next save.
  func noteLateRefreshes(_ member: WalkMember) {
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

  /// Takes over which transient values objects without changes have: which of them a merge has refreshed depends on how
  /// it was made, and on what the context had already.
  func noteMoods(_ member: WalkMember) {
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
