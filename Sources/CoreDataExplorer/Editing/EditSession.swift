import CoreData
import Foundation
import ObjectModel
import StoreInspection
import Synchronization

/// Changes that pages make: in the context of the tables, so that everybody sees them, and in the store when
/// somebody saves.
///
/// Everything happens on the context's queue; each of the calls below is a step that can be undone.
final class EditSession: @unchecked Sendable {
  private let store: OpenedStore
  private let context: NSManagedObjectContext
  /// Told when something is changed, saved or given up.
  private let news: Broadcast
  private var bases = EditBases()
  private let changed = Mutex(false)

  /// Whether something is not saved; for those who are on another queue.
  var hasChanges: Bool { changed.withLock { $0 } }

  init(_ store: OpenedStore, _ context: NSManagedObjectContext, _ news: Broadcast) {
    self.store = store
    self.context = context
    self.news = news
    context.performAndWait {
      context.undoManager = UndoManager()
      context.transactionAuthor = "explorer"
    }
  }

  struct Answer: Encodable {
    struct Created: Encodable {
      let entity: String
      let id: String
    }

    var pending: PendingChanges
    var created: [Created] = []
    var problems: [EditProblem] = []
    var saved: Int?
    /// The names that objects have now instead of those from before they were saved.
    var ids: [String: String]?
  }

  /// What a save came to.
  enum Outcome {
    case saved(Answer)
    case conflicts([EditConflict])
    case problems([EditProblem])
  }

  func pending() async -> PendingChanges {
    await context.perform { [self] in PendingChanges(of: context, bases) }
  }

  // MARK: Changing

  /// Carries operations out, all or none.
  func carryOut(_ operations: [EditOperation]) async throws -> Answer {
    let answer = try await context.perform { [self] in
      let manager = context.undoManager
      context.processPendingChanges()
      manager?.endEvent()
      let stepsBefore = manager?.undoCount ?? 0
      var change = ObjectChange(store: store, context: context, bases: bases)
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
      bases = change.bases
      context.processPendingChanges()
      if let manager, manager.groupingLevel > 0 { manager.setActionName(change.name) }
      manager?.endEvent()
      var answer = Answer(pending: PendingChanges(of: context, bases))
      answer.created = change.created.map {
        Answer.Created(entity: $0.entity.name ?? "", id: context.newObjects.name(of: $0))
      }
      answer.problems = change.problems
      return answer
    }
    await tell()
    return answer
  }

  func undo() async throws -> Answer { try await step { $0.undo() } }
  func redo() async throws -> Answer { try await step { $0.redo() } }

  /// Gives up everything that is not saved.
  func discard() async throws -> Answer {
    try await step { context in
      context.rollback()
      context.undoManager?.removeAllActions()
      self.bases.forget()
      context.newObjects.forget()
    }
  }

  private func step(_ body: @escaping @Sendable (NSManagedObjectContext) -> Void) async throws
    -> Answer
  {
    let context = context
    // In two parts: the first ends what the manager groups by itself.
    await context.perform { body(context) }
    let answer = await context.perform { [self] in
      Answer(pending: PendingChanges(of: context, bases))
    }
    await tell()
    return answer
  }

  // MARK: Saving

  enum Preference: String, Decodable { case mine, theirs }

  /// Saves.
  ///
  /// - Parameter keeping: whose values win where somebody else changed the same ones; nil to be told of them.
  func save(keeping: Preference? = nil) async throws -> Outcome {
    let outcome: Outcome = try await context.perform { [self] in
      if keeping == nil {
        let conflicts = bases.conflicts(in: context)
        guard conflicts.isEmpty else { return .conflicts(conflicts) }
      }
      if keeping == .theirs { try bases.takeTheirs(in: context) }
      let inserted = context.insertedObjects
      for object in inserted { _ = context.newObjects.name(of: object) }
      let count = inserted.count + context.updatedObjects.count + context.deletedObjects.count
      context.mergePolicy =
        switch keeping {
        case nil: NSMergePolicy.error
        case .mine?: NSMergePolicy.mergeByPropertyObjectTrump
        case .theirs?: NSMergePolicy.mergeByPropertyStoreTrump
        }
      defer { context.mergePolicy = NSMergePolicy.error }
      do {
        try context.save()
      } catch let error as NSError {
        return try Self.outcome(of: error)
      }
      bases.forget()
      var answer = Answer(pending: PendingChanges(of: context, bases))
      answer.saved = count
      answer.ids = context.newObjects.savedNames()
      return .saved(answer)
    }
    await tell()
    return outcome
  }

  /// What a save that did not succeed is told as.
  private static func outcome(of error: NSError) throws -> Outcome {
    let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
    if let conflicts, !conflicts.isEmpty { return .conflicts(conflicts.map(EditConflict.init)) }
    let problems = EditProblem.problems(of: error)
    if problems.isEmpty { throw error }
    return .problems(problems)
  }

  /// Has pages ask what is pending.
  private func tell() async {
    await context.perform { [self] in
      let isChanged = context.hasChanges
      changed.withLock { $0 = isChanged }
    }
    Self.tell(news)
  }

  static func tell(_ news: Broadcast) {
    guard let event = try? EventText.event("edit", [String: Int]()) else { return }
    news.send(event)
  }
}
