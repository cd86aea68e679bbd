import CoreData

/// One context of a walk, and what it has to show.
final class WalkMember {
  let name: String
  let context: NSManagedObjectContext
  private(set) weak var parent: WalkMember?
  var children: [WalkMember] = []
  var current: NaiveGraph
  /// Objects that are to be updated, also those of which a property was set to what it was.
  var dirty: Set<Int> = []
  /// Objects that another context's save deleted while they may have been in use here.
  var deletedElsewhere: Set<Int> = []
  /// Objects that are in use.
  var held: [Int: NSManagedObject] = [:]
  var history: UndoHistory?
  /// Whether saves of others, or of the parent, are merged without being told to.
  var mergesAutomatically = false
  /// What the parent had when this context last followed, if it has not followed since: it merges
  /// the parent's next save by itself.
  var behind: NaiveGraph?
  /// Whether it merges by itself, later, what it was shown already.
  var mergesLate = false
  /// The IDs of objects that were in use when others saved.
  var used: Set<NSManagedObjectID> = []
  var controllers: [WalkController] = []
  /// Up to where the store's history was merged.
  var historyToken: NSPersistentHistoryToken?
  /// The objects of a save of the parent that is being merged.
  var merging: Set<Int>?

  /// The graphs before each group that can be taken back, and after each that can be redone.
  struct UndoHistory {
    let manager: UndoManager
    var past: [NaiveGraph] = []
    var future: [NaiveGraph] = []
    /// The graph and count of groups before the group that is open.
    var open: (graph: NaiveGraph, count: Int)?
    /// Objects that undo or redo may bring back.
    var known: [Int: NSManagedObject] = [:]
  }

  init(
    _ name: String, _ context: NSManagedObjectContext, parent: WalkMember?, _ graph: NaiveGraph
  ) {
    self.name = name
    self.context = context
    self.parent = parent
    current = graph
    context.name = name
  }

  var depth: Int { (parent?.depth ?? 0) + (parent == nil ? 0 : 1) }
  var family: [WalkMember] { [self] + children.flatMap(\.family) }

  func performing<Result>(_ body: () throws -> Result) rethrows -> Result {
    try context.performAndWait(body)
  }

  // MARK: Sets

  func inserted(on base: NaiveGraph) -> Set<Int> {
    Set(current.objects.keys.filter { base.objects[$0] == nil })
  }

  func deleted(on base: NaiveGraph) -> Set<Int> {
    Set(base.objects.keys.filter { current.objects[$0] == nil })
  }

  func updated(on base: NaiveGraph) -> Set<Int> {
    dirty.filter { current.objects[$0] != nil && base.objects[$0] != nil }
  }

  /// Takes over which objects the naive graph's last changes touched.
  func noteTouched() {
    dirty.formUnion(current.touched)
    current.touched = []
    dirty = dirty.filter { current.objects[$0] != nil }
  }
}
