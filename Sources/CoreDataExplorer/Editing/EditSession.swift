import CoreData
import StoreInspection
import Synchronization

/// The unsaved changes of all pages. They are in one context, so all pages show them, and each page can save them.
/// Tables with affected rows move to that context (``LiveTables``).
///
/// All work runs on the context's queue; the operations of one request are one undo step. The context merges saves of
/// other processes and keeps its own changes, so a save alone would detect no conflicts; ``EditBases`` detects them.
final class EditSession: @unchecked Sendable {
  private let store: OpenedStore
  private let context: NSManagedObjectContext
  /// Notifies pages of changes, saves and discards.
  private let news: GatheredNews
  private let bases = EditBases()
  private let problems = FoundProblems()
  private let changed = Mutex(UnsavedRows())
  private let follower = Mutex<@Sendable (UnsavedRows) -> Void>({ _ in })

  /// The unsaved rows, for use on other queues.
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

  /// Sets a function to call whenever the set of entities with unsaved rows changes.
  func onUnsavedEntities(_ function: @escaping @Sendable (UnsavedRows) -> Void) {
    follower.withLock { $0 = function }
  }

  struct EditResponse: Encodable {
    var pending: UnsavedSummary
    var created: [EditOperation.RowReference] = []
    var saved: Int?
    /// The new names of saved objects, by the names that pages used before the save.
    var ids: [String: String]?
  }

  /// The reasons why a save failed.
  struct Refusal: Encodable {
    let problems: [EditProblem]
    let pending: UnsavedSummary
  }

  /// The result of a save.
  enum Outcome {
    case saved(EditResponse)
    case conflicts(EditConflicts)
    case refused(Refusal)
  }

  func pending() async -> UnsavedSummary {
    await context.perform { [self] in summary() }
  }

  private func summary() -> UnsavedSummary {
    UnsavedSummary(of: context, bases, problems.current)
  }

  // MARK: Changing

  /// Performs all operations, or none if one fails.
  func carryOut(_ operations: [EditOperation]) async throws -> EditResponse {
    let response = try await context.perform { [self] in
      let manager = context.undoManager
      context.processPendingChanges()
      manager?.endEvent()
      // Earlier changes are in a closed undo group now, so an undo reverts only this request.
      let stepsBefore = manager?.undoCount ?? 0
      var change = ObjectChange(store: store, context: context)
      do {
        for operation in operations { try change.carryOut(operation) }
      } catch {
        // A request that fails must leave no changes.
        context.processPendingChanges()
        manager?.endEvent()
        if let manager, manager.undoCount > stepsBefore {
          context.undo()
          // The user must not be able to redo the changes of a failed request.
          manager.forgetRedo()
        }
        throw error
      }
      context.processPendingChanges()
      bases.follow(context, in: manager.flatMap { $0.groupingLevel > 0 ? $0 : nil })
      if let manager, manager.groupingLevel > 0 { manager.setActionName(change.name) }
      manager?.endEvent()
      for found in change.invalid { problems.note(found.key, of: found.object) }
      var response = EditResponse(pending: summary())
      response.created = change.created.map {
        EditOperation.RowReference(
          entity: $0.entity.name ?? "", id: context.newObjects.name(of: $0))
      }
      return response
    }
    await notifyPages()
    return response
  }

  func undo() async throws -> EditResponse { try await step { $0.undo() } }
  func redo() async throws -> EditResponse { try await step { $0.redo() } }

  /// Discards all unsaved changes.
  func discard() async throws -> EditResponse {
    try await step { context in
      context.rollback()
      context.undoManager?.removeAllActions()
      self.bases.forget()
      self.problems.forget()
      context.newObjects.forget()
    }
  }

  private func step(_ body: @escaping @Sendable (NSManagedObjectContext) -> Void) async throws
    -> EditResponse
  {
    let response = try await context.perform { [self] in
      body(context)
      context.processPendingChanges()
      // Changes of later blocks must not join an undo group that this block has opened.
      context.undoManager?.endEvent()
      try bases.followReversal(in: context)
      return EditResponse(pending: summary())
    }
    await notifyPages()
    return response
  }

  // MARK: Saving

  /// The user's decision about conflicts.
  struct Decision: Decodable {
    enum Preference: String, Decodable {
      /// Keeps the user's changes. Not possible for objects that another process deleted.
      case mine
      /// Keeps the changes by other processes.
      case theirs
      /// Discards only the changes to objects that another process deleted.
      case present
    }

    let keep: Preference
    /// The conflicts that the page showed; see ``EditConflicts/state``.
    var state: String?
  }

  /// How many times a save is attempted. An attempt fails if another process saves the same objects at the same time.
  private static let attempts = 4

  /// Saves the changes, unless there are unresolved conflicts.
  ///
  /// - Parameter decision: The decision about the conflicts that the page showed; nil to return conflicts.
  func save(_ decision: Decision? = nil) async throws -> Outcome {
    let outcome: Outcome = try await context.perform { [self] in
      for _ in 0..<Self.attempts {
        if let left = try settle(decision) { return .conflicts(left) }
        do {
          return .saved(try save())
        } catch let error as NSError {
          let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
          guard let conflicts = conflicts as? [NSMergeConflict], !conflicts.isEmpty else {
            let found = EditProblem.problems(of: error)
            if found.isEmpty { throw error }
            problems.note(ofSave: found)
            return .refused(Refusal(problems: found, pending: summary()))
          }
          mergeConflictingRows(conflicts)
        }
      }
      throw WebFailure(
        status: 503, "other processes keep saving changes to the same objects: save again later")
    }
    await notifyPages()
    return outcome
  }

  /// Applies a decision.
  ///
  /// - Returns: The remaining conflicts; nil if there are none.
  private func settle(_ decision: Decision?) throws -> EditConflicts? {
    context.releaseObjectsDeletedElsewhere()
    let conflicts = EditConflicts(bases.conflicts(in: context))
    if conflicts.conflicts.isEmpty { return nil }
    guard let decision, decision.state == conflicts.state else { return conflicts }
    switch decision.keep {
    case .mine:
      guard !conflicts.conflicts.contains(where: { $0.kind == .deletedThere }) else {
        throw WebFailure(
          status: 409,
          "changes to objects that another process deleted cannot be kept: discard them")
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

  /// Saves the changes and throws on conflicts. No merge policy resolves them, because a policy that prefers these
  /// changes would delete other rows with the same unique values.
  private func save() throws -> EditResponse {
    let inserted = context.insertedObjects
    // Pages now refer to the objects of the previous save by the names of their rows.
    context.newObjects.forgetSaved()
    for object in inserted { _ = context.newObjects.name(of: object) }
    let count = inserted.count + context.updatedObjects.count + context.deletedObjects.count
    context.mergePolicy = NSMergePolicy.error
    try context.save()
    bases.noteSave(of: inserted, in: context)
    problems.forget()
    var response = EditResponse(pending: summary())
    response.saved = count
    response.ids = context.newObjects.savedNames()
    return response
  }

  /// Merges the rows that conflicted with a save. Another process saved them just before.
  private func mergeConflictingRows(_ conflicts: [NSMergeConflict]) {
    // Version 0 means that the row no longer exists.
    let ids = Dictionary(grouping: conflicts) { $0.newVersionNumber == 0 }
      .mapValues { $0.map(\.sourceObject.objectID) }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [
        NSDeletedObjectsKey: ids[true] ?? [], NSUpdatedObjectsKey: ids[false] ?? [],
      ], into: [context])
    context.releaseObjectsDeletedElsewhere()
  }

  /// Notifies pages that they should read the pending changes.
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
