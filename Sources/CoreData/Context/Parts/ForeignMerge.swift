import Synchronization

/// Changes from outside a context: saves of other contexts and processes, and permanent IDs.
final class ForeignMerge {
  /// Changes of other saves that the context's queue has not merged yet.
  let inbox = ForeignInbox()
  /// Permanent IDs that the root assigned and that the context has not adopted yet.
  let permanentIDs = PermanentIDInbox()
  /// Whether the context merges automatically. Other contexts read this flag on any thread when they save.
  private let mergesByItself = Atomic<Bool>(false)
  /// Objects in live results that adopted permanent IDs. The live results have not reported yet how the new IDs change
  /// the order.
  private var unreportedIDs: [IdentifiedObject] = []
  /// The assignments adopted since `trackingAdoptions` began; nil outside of that method.
  private var adopted: [PermanentIDAssignment]?

  // The order is relaxed, because no other memory access depends on when a thread sees the flag.
  var isAutomatic: Bool { mergesByItself.load(ordering: .relaxed) }

  func setAutomatic(_ isAutomatic: Bool) { mergesByItself.store(isAutomatic, ordering: .relaxed) }

  func noteAdoption(_ assignments: [PermanentIDAssignment]) {
    adopted?.append(contentsOf: assignments)
  }

  func noteUnreported(_ objects: [IdentifiedObject]) { unreportedIDs.append(contentsOf: objects) }

  /// Removes the objects whose new IDs are not reported yet, and returns them.
  func drainUnreportedIDs() -> [IdentifiedObject] { exchange(&unreportedIDs, with: []) }

  /// Runs `body`, and returns the permanent IDs that were adopted during it.
  func trackingAdoptions<Result>(
    _ body: () throws -> Result
  ) rethrows -> (Result, [PermanentIDAssignment]) {
    let outer = adopted
    adopted = []
    // An outer call tracks these IDs as well.
    defer { adopted = outer.map { $0 + (adopted ?? []) } }
    return (try body(), adopted ?? [])
  }

  /// Returns a description of an inconsistency in the inboxes or the unreported IDs, or nil. Changes nothing.
  func checkInvariants() -> String? {
    for (object, temporary) in unreportedIDs where temporary >= 0 {
      return "the new ID of \(object.ownID) replaces \(temporary), which is not a temporary key"
    }
    return inbox.checkInvariants() ?? permanentIDs.checkInvariants()
  }
}
