import CoreData
import StoreInspection
import Synchronization

/// Changes that pages make: in one context, so that all pages show them, and in the store when a page saves. Tables
/// whose rows they concern move to that context (``LiveTables``).
///
/// Everything happens on the context's queue; the operations of one request are one step of undo. The context merges
/// what other processes save under its own changes, so a save alone would find no conflicts: ``EditBases`` finds them.
final class EditSession: @unchecked Sendable {
  private let store: OpenedStore
  private let context: NSManagedObjectContext
  /// Notified when something is changed, saved or given up.
  private let news: GatheredNews
  private let bases = EditBases()
  private let changed = Mutex(UnsavedRows())
  private let follower = Mutex<@Sendable (UnsavedRows) -> Void>({ _ in })

  /// What is not saved; for those who are on another queue.
  var unsaved: UnsavedRows { changed.withLock { $0 } }

  init(_ store: OpenedStore, _ context: NSManagedObjectContext, _ news: GatheredNews) {
    self.store = store
    self.context = context
    self.news = news
    context.performAndWait {
      context.undoManager = UndoManager()
      context.transactionAuthor = "explorer"
    }
  }

  /// Has a function called each time that rows of other entities than before are not saved.
  func onUnsavedEntities(_ function: @escaping @Sendable (UnsavedRows) -> Void) {
    follower.withLock { $0 = function }
  }

  struct EditResponse: Encodable {
    var pending: UnsavedSummary
    var created: [EditOperation.RowReference] = []
    var problems: [EditProblem] = []
    var saved: Int?
    /// The names that objects have now instead of those from before they were saved.
    var ids: [String: String]?
  }

  /// What a save came to.
  enum Outcome {
    case saved(EditResponse)
    case conflicts(EditConflicts)
    case problems([EditProblem])
  }

  func pending() async -> UnsavedSummary {
    await context.perform { [self] in UnsavedSummary(of: context, bases) }
  }

  // MARK: Changing

  /// Carries operations out, all or none.
  func carryOut(_ operations: [EditOperation]) async throws -> EditResponse {
    let response = try await context.perform { [self] in
      let manager = context.undoManager
      context.processPendingChanges()
      manager?.endEvent()
      let stepsBefore = manager?.undoCount ?? 0
      var change = ObjectChange(store: store, context: context)
      do {
        for operation in operations { try change.carryOut(operation) }
      } catch {
        // Nothing of a request that is refused stays.
        context.processPendingChanges()
        manager?.endEvent()
        if let manager, manager.undoCount > stepsBefore {
          context.undo()
          manager.forgetRedo()
        }
        throw error
      }
      context.processPendingChanges()
      bases.follow(context, in: manager.flatMap { $0.groupingLevel > 0 ? $0 : nil })
      if let manager, manager.groupingLevel > 0 { manager.setActionName(change.name) }
      manager?.endEvent()
      var response = EditResponse(pending: UnsavedSummary(of: context, bases))
      response.created = change.created.map {
        EditOperation.RowReference(
          entity: $0.entity.name ?? "", id: context.newObjects.name(of: $0))
      }
      response.problems = change.problems
      return response
    }
    await notifyPages()
    return response
  }

  func undo() async throws -> EditResponse { try await step { $0.undo() } }
  func redo() async throws -> EditResponse { try await step { $0.redo() } }

  /// Gives up everything that is not saved.
  func discard() async throws -> EditResponse {
    try await step { context in
      context.rollback()
      context.undoManager?.removeAllActions()
      self.bases.forget()
      context.newObjects.forget()
    }
  }

  private func step(_ body: @escaping @Sendable (NSManagedObjectContext) -> Void) async throws
    -> EditResponse
  {
    let context = context
    // In two parts: the first ends what the manager groups by itself.
    await context.perform { body(context) }
    let response = await context.perform { [self] in
      bases.follow(context)
      return EditResponse(pending: UnsavedSummary(of: context, bases))
    }
    await notifyPages()
    return response
  }

  // MARK: Saving

  /// What is to be done about conflicts.
  struct Decision: Decodable {
    enum Preference: String, Decodable {
      /// What is wanted here goes over what others saved. What they deleted cannot be kept.
      case mine
      /// What others saved stays.
      case theirs
      /// Only the changes of what others deleted are given up.
      case present
    }

    let keep: Preference
    /// The conflicts that the page was shown; see ``EditConflicts/state``.
    var state: String?
  }

  /// How often a save is begun again because others saved meanwhile.
  private static let attempts = 4

  /// Saves.
  ///
  /// - Parameter decision: what becomes of the conflicts that the page was shown; nil to return them.
  func save(_ decision: Decision? = nil) async throws -> Outcome {
    let outcome: Outcome = try await context.perform { [self] in
      for _ in 0..<Self.attempts {
        if let left = try settle(decision) { return .conflicts(left) }
        do {
          return .saved(try save())
        } catch let error as NSError {
          let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
          guard let conflicts = conflicts as? [NSMergeConflict], !conflicts.isEmpty else {
            let problems = EditProblem.problems(of: error)
            if problems.isEmpty { throw error }
            return .problems(problems)
          }
          mergeConflictingRows(conflicts)
        }
      }
      throw WebFailure(status: 503, "others save all the time: try again")
    }
    await notifyPages()
    return outcome
  }

  /// Carries a decision out.
  ///
  /// - Returns: what is still to be decided; nil where nothing is.
  private func settle(_ decision: Decision?) throws -> EditConflicts? {
    context.releaseObjectsDeletedElsewhere()
    let conflicts = EditConflicts(bases.conflicts(in: context))
    if conflicts.conflicts.isEmpty { return nil }
    guard let decision, decision.state == conflicts.state else { return conflicts }
    switch decision.keep {
    case .mine:
      guard !conflicts.conflicts.contains(where: { $0.kind == .deletedThere }) else {
        throw WebFailure(status: 409, "what others deleted cannot be kept: give up its changes")
      }
      bases.keepMine(in: context)
    case .theirs:
      try bases.acceptTheirs(in: context)
      context.processPendingChanges()
    case .present:
      bases.discardChangesOfDeletedObjects(in: context)
      let left = EditConflicts(bases.conflicts(in: context))
      return left.conflicts.isEmpty ? nil : left
    }
    return nil
  }

  /// Saves what is pending; whatever is in the way is thrown, and nothing is settled by a policy: one that prefers
  /// these changes would delete rows of others that have the same unique values.
  private func save() throws -> EditResponse {
    let inserted = context.insertedObjects
    // Pages know those of the save before by their rows.
    context.newObjects.forgetSaved()
    for object in inserted { _ = context.newObjects.name(of: object) }
    let count = inserted.count + context.updatedObjects.count + context.deletedObjects.count
    context.mergePolicy = NSMergePolicy.error
    try context.save()
    bases.forget()
    var response = EditResponse(pending: UnsavedSummary(of: context, bases))
    response.saved = count
    response.ids = context.newObjects.savedNames()
    return response
  }

  /// Merges the rows with which a save was in conflict, which another process saved a moment ago.
  private func mergeConflictingRows(_ conflicts: [NSMergeConflict]) {
    let ids = Dictionary(grouping: conflicts) { $0.newVersionNumber == 0 }
      .mapValues { $0.map(\.sourceObject.objectID) }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [
        NSDeletedObjectsKey: ids[true] ?? [], NSUpdatedObjectsKey: ids[false] ?? [],
      ], into: [context])
    context.releaseObjectsDeletedElsewhere()
  }

  /// Has pages ask what is pending.
  private func notifyPages() async {
    await context.perform { [self] in
      let unsaved = UnsavedRows(in: context)
      let isOther = changed.withLock { changed in
        defer { changed = unsaved }
        return changed.entities != unsaved.entities
      }
      if isOther { follower.withLock { $0 }(unsaved) }
    }
    news.noteEdit()
  }
}
