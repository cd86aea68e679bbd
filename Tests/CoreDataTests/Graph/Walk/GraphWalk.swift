import CoreData
import FixtureSupport

/// Makes the same random changes to contexts and to naive graphs, and compares them.
///
/// There is a context with an undo manager, another context on the same coordinator, for SQLite a third one on another
/// coordinator, and children of these. The walk merges the save of each context into the others. It refreshes the
/// children of a changed parent, or they merge automatically when the parent saves. It rolls back unsaved changes
/// that conflict with such a save.
final class GraphWalk {
  let kind: TestedStore
  let folder: TemporaryFolder
  let url: URL
  let model = WalkModel.make()
  private(set) var coordinators: [NSPersistentStoreCoordinator] = []
  private(set) var roots: [WalkMember] = []
  /// The expected content of the store.
  var store = NaiveGraph()
  /// The permanent IDs in the store of the first coordinator.
  var ids: [Int: NSManagedObjectID] = [:]
  /// The IDs of deleted objects.
  var formerIDs: [Int: NSManagedObjectID] = [:]
  var nextUID = 1
  private(set) var log: [String] = []
  private let isTraced: Bool
  let leaks: LeakWatch

  /// Whether the walk holds all queues.
  var isHeld = false
  /// The object IDs of the last saves, in the form of `mergeChanges(fromRemoteContextSave:into:)`.
  var pastSaves: [[AnyHashable: Any]] = []
  /// An object whose deletion some contexts have merged automatically, while the current step restores its row.
  var restoredUID: Int?
  /// Whether most contexts run on the main queue.
  let isOnMainQueue: Bool
  /// The number of `runSteps` calls until the invariants of all contexts are checked.
  private var runsUntilCheck = 4
  /// Whether the store keeps persistent history.
  let keepsHistory: Bool

  /// - Parameter variant: Selects the queues, whether the first context merges automatically, and history tracking.
  init(
    _ kind: TestedStore, variant: Int = 0, leaks: LeakWatch = LeakWatch(), isTraced: Bool = false
  ) throws {
    self.kind = kind
    isOnMainQueue = variant & 1 != 0
    keepsHistory = variant & 2 != 0 && kind == .sqlite
    self.leaks = leaks
    self.isTraced = isTraced
    folder = try TemporaryFolder()
    url = kind == .memorySQLite ? TestedStore.newNamedURL() : kind.url(in: folder)
    let main = try addRoot("main", automatic: variant & 4 != 0)
    let manager = UndoManager()
    manager.groupsByEvent = false
    main.performing { main.context.undoManager = manager }
    main.history = WalkMember.UndoHistory(manager: manager)
    leaks.watch(manager)
    let sibling = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    sibling.persistentStoreCoordinator = coordinators[0]
    sibling.automaticallyMergesChangesFromParent = true
    add(WalkMember("sibling", sibling, parent: nil, store), automatic: true)
    if kind.isSQL { _ = try addRoot("other", automatic: false) }
  }

  private func addRoot(_ name: String, automatic: Bool) throws -> WalkMember {
    var (_, context) = try kind.open(
      model, at: url, options: keepsHistory ? [NSPersistentHistoryTrackingKey: true] : nil)
    if let coordinator = context.persistentStoreCoordinator {
      coordinators.append(coordinator)
      leaks.watch(coordinator)
    }
    if isOnMainQueue {
      let coordinator = context.persistentStoreCoordinator
      context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
    }
    context.automaticallyMergesChangesFromParent = automatic
    let member = WalkMember(name, context, parent: nil, store)
    add(member, automatic: automatic)
    return member
  }

  private func add(_ member: WalkMember, automatic: Bool) {
    member.mergesAutomatically = automatic
    roots.append(member)
    leaks.watch(member.context)
  }

  var members: [WalkMember] { roots.flatMap(\.family) }

  func note(_ text: String) {
    if isTraced { print(text) }
    log.append(text)
  }

  /// Returns the graph that a context's changes are relative to: that of its parent or of the store.
  func base(_ member: WalkMember) -> NaiveGraph { member.parent?.current ?? store }

  // MARK: Running

  /// Runs the steps and returns the first failure, or nil if there is none.
  func run(_ steps: [WalkStep]) -> String? {
    var next = 0
    while next < steps.count {
      let failure =
        steps[next].kind == .hold ? hold(steps, &next) : runSteps(steps, &next)
      if let failure { return failure }
    }
    if let failure = checkAllInvariants() { return "\(failure), at the end" }
    do {
      for member in members {
        prepare(member)
        if let failure = try member.performing({ try compare(member) }) {
          return "\(member.name), at the end: \(failure)"
        }
      }
      return try compareFresh()
    } catch {
      return "at the end: \(error)"
    }
  }

  /// Runs the next steps of one context.
  func runSteps(_ steps: [WalkStep], _ next: inout Int) -> String? {
    let first = steps[next]
    var end = next + 1
    while end < steps.count, steps[end].member == first.member, steps[end].kind != .hold,
      end < next + 6
    { end += 1 }
    let members = members
    let member = members[first.member % members.count]
    prepare(member)
    var position = next
    // A context processes its pending changes when code leaves its queue, so several steps run in one block.
    let failure = member.performing { () -> String? in
      while position < end {
        let step = steps[position]
        position += 1
        do {
          if let failure = try perform(step, member) {
            return "\(member.name), \(step.kind): \(failure)"
          }
        } catch {
          return "\(member.name), \(step.kind): \(error)"
        }
        // The children can merge only after this block leaves the queue.
        if hasMergesInProgress { return nil }
      }
      return nil
    }
    next = position
    if let failure { return failure }
    if !isHeld {
      awaitMerges()
      if members.contains(where: \.mergesLate) { runLateMerges() }
    }
    runsUntilCheck -= 1
    if runsUntilCheck > 0 { return nil }
    runsUntilCheck = 4
    return checkAllInvariants().map { "\($0), after steps of \(member.name)" }
  }

  private func perform(_ step: WalkStep, _ member: WalkMember) throws -> String? {
    var choices = WalkStep.Choices(step)
    var failure = try perform(step.kind, member, &choices)
    if failure == nil, member.children.contains(where: { $0.behind != nil }), choices.once(in: 3) {
      failure = try save(member, &choices)
    }
    if failure != nil { return failure }
    return try spotCheck(member, &choices)
  }

  private func perform(
    _ kind: WalkStep.Kind, _ member: WalkMember, _ choices: inout WalkStep.Choices
  ) throws -> String? {
    if !kind.onlySaves { catchUp(member) }
    switch kind {
    case .insert where member.current.objects.count < 40:
      return try changing(member) { insert(member, &choices) }
    case .setAttribute: return try changing(member) { setAttribute(member, &choices) }
    case .setToOne: return try changing(member) { setToOne(member, &choices) }
    case .setToMany: return try changing(member) { setToMany(member, &choices) }
    case .changeMembers: return try changing(member) { changeMembers(member, &choices) }
    case .delete, .insert: return try changing(member) { delete(member, &choices) }
    case .deleteDenied: return try deleteDenied(member, &choices)
    case .deleteAndInsert: return try changing(member) { deleteAndInsert(member, &choices) }
    case .save: return try save(member, &choices)
    case .saveAgainst: return try saveAgainst(member, &choices)
    case .rollback:
      rollback(member)
      return nil
    case .reset:
      try reset(member)
      return nil
    case .refresh:
      refresh(member, &choices)
      return nil
    case .refreshAll:
      refreshAll(member)
      return nil
    case .obtainIDs: return try obtainIDs(member)
    case .release:
      release(member)
      return nil
    case .fire: return try fire(member, &choices)
    case .fetch: return try fetch(member, &choices)
    case .count: return try count(member, &choices)
    case .dictionaries: return try dictionaries(member, &choices)
    case .lookUp: return try lookUp(member, &choices)
    case .compare: return try compare(member)
    case .compareFresh: return try compareFresh()
    case .process:
      note("\(member.name): process")
      member.context.processPendingChanges()
      return nil
    case .makeChild:
      makeChild(member, &choices)
      return nil
    case .dropChild:
      dropChild(member)
      return nil
    case .undo: return try undo(member)
    case .redo: return try redo(member)
    case .openGroup:
      note("\(member.name): {")
      openGroup(member)
      return nil
    case .closeGroup:
      note("\(member.name): }")
      return closeGroup(member)
    case .makeController:
      try makeController(member, &choices)
      return nil
    case .dropController:
      dropController(member)
      return nil
    case .batch: return try batch(member, &choices)
    // `run` starts a hold. A hold within a hold does nothing.
    case .hold: return nil
    case .saveUp: return try saveUp(member, &choices)
    case .fetchNaming: return try fetchNaming(member, &choices)
    case .saveAgainstDeletion: return try saveAgainstDeletion(member, &choices)
    case .mergeLate: return try mergeLate(member, &choices)
    }
  }

  // MARK: Finding objects

  func object(_ uid: Int, _ member: WalkMember) -> NSManagedObject? {
    if let object = member.held[uid] { return object }
    var object = member.history?.known[uid]
    if object?.managedObjectContext !== member.context { object = nil }
    if object == nil { object = id(uid, member).map(member.context.object(with:)) }
    member.held[uid] = object
    if let object { leaks.watch(object) }
    return object
  }

  func id(_ uid: Int, _ member: WalkMember) -> NSManagedObjectID? {
    if let id = ids[uid] { return id }
    var above = member.parent
    while let next = above {
      if let object = next.held[uid] ?? next.history?.known[uid] {
        return next.performing { object.objectID }
      }
      above = next.parent
    }
    return nil
  }

  /// Records the ID that the first coordinator has for a permanent ID.
  func recordID(_ id: NSManagedObjectID, _ uid: Int) {
    if id.isTemporaryID { return }
    ids[uid] = coordinators[0].managedObjectID(forURIRepresentation: id.uriRepresentation())
  }

  func anyUID(
    _ member: WalkMember, _ choices: inout WalkStep.Choices, of entities: [String]? = nil
  ) -> Int? {
    choices.element(
      member.current.uids.filter {
        entities?.contains(member.current.objects[$0]?.entity ?? "") ?? true
      })
  }

  /// Releases all contexts and coordinators.
  func end() {
    for member in members { member.performing {} }
    roots = []
    coordinators = []
    ids = [:]
    formerIDs = [:]
  }
}
