import CoreData

/// One context of a walk, and its expected state.
final class WalkMember {
  let name: String
  let context: NSManagedObjectContext
  private(set) weak var parent: WalkMember?
  var children: [WalkMember] = []
  var current: NaiveGraph
  /// The expected updated objects, including those with a property set to the value it already had.
  var dirty: Set<Int> = []
  /// Objects that another context deleted while they may have been in use here.
  var deletedByOtherContexts: Set<Int> = []
  /// The objects that the walk retains.
  var held: [Int: NSManagedObject] = [:]
  var history: UndoHistory?
  /// Whether the context merges saves of its parent, or of other contexts of its store, automatically.
  var mergesAutomatically = false
  /// The parent's graph at the time when this graph was last updated from it, if the parent has changed since. The
  /// context waits for the parent's next save, which it merges automatically.
  var behind: NaiveGraph?
  /// Whether the context has yet to merge a save automatically, although its graph already contains the save.
  var mergesLate = false
  /// The IDs of objects that were in use when another context saved, or that a table has read since then.
  var used: Set<NSManagedObjectID> = []
  var controllers: [WalkController] = []
  /// The token of the last transaction that the context has merged from the history.
  var historyToken: NSPersistentHistoryToken?
  /// The objects of a parent's save that the context is merging.
  var merging: Set<Int>?

  /// The graphs before each undo group that can be undone (`past`), and after each one that can be redone (`future`).
  struct UndoHistory {
    let manager: UndoManager
    var past: [NaiveGraph] = []
    var future: [NaiveGraph] = []
    /// The graph and the number of undo groups before the open group.
    var open: (graph: NaiveGraph, count: Int)?
    /// Objects that undo or redo may restore.
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

  /// Marks the objects that the last changes of the naive graph touched as updated.
  func recordTouched() {
    dirty.formUnion(current.touched)
    current.touched = []
    dirty = dirty.filter { current.objects[$0] != nil }
  }
}
