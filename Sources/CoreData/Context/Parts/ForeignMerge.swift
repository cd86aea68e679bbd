import Synchronization

/// What a context has to learn of others: saves of other contexts and processes, and IDs that became permanent.
final class ForeignMerge {
  /// What others saved, until the context's queue merges it.
  let inbox = ForeignInbox()
  /// What unsaved objects became at the root, until the context adopts it.
  let permanentIDs = PermanentIDInbox()
  /// Whether the context merges by itself; asked on any thread by those who save.
  private let mergesByItself = Atomic<Bool>(false)
  /// Objects with new IDs that live results know, and what these did to their order is not reported yet.
  private var unreportedIDs: [IdentifiedObject] = []
  /// What was adopted since `trackingPermanentIDs` began; nil outside of it.
  private var adopted: [PermanentIDAssignment]?

  var isAutomatic: Bool {
    get { mergesByItself.load(ordering: .relaxed) }
    set { mergesByItself.store(newValue, ordering: .relaxed) }
  }

  func noteAdoption(_ assignments: [PermanentIDAssignment]) {
    adopted?.append(contentsOf: assignments)
  }

  func noteUnreported(_ objects: [IdentifiedObject]) { unreportedIDs.append(contentsOf: objects) }

  /// Removes the objects whose new IDs were not reported yet and returns them.
  func drainUnreportedIDs() -> [IdentifiedObject] { exchange(&unreportedIDs, with: []) }

  /// Runs `body`, and returns the permanent IDs that were adopted meanwhile.
  func trackingAdoptions<Result>(
    _ body: () throws -> Result
  ) rethrows -> (Result, [PermanentIDAssignment]) {
    let outer = adopted
    adopted = []
    defer { adopted = outer.map { $0 + (adopted ?? []) } }
    return (try body(), adopted ?? [])
  }
}
