import CoreDataTestSupport
import FixtureSupport
import Foundation
import Testing

@testable import CoreData

/// Live results of one context, while it, a child, another context of the store and batch requests change
/// the rows at random. After each step, a table that applied the reports must equal a new fetch.
final class ResultsWalk {
  private let stack: SampleStack
  private let context: NSManagedObjectContext
  private let other: NSManagedObjectContext
  private let child: NSManagedObjectContext
  private var random: SeededGenerator
  private var lives: [Live] = []
  private var lastAction = ""
  /// Whether the steps include batch requests on objects that rows refer to, and results of the child.
  private let isWide: Bool
  /// The number of saves that failed because of conflicts or delete rules.
  private(set) var refusals = 0

  private final class Live {
    var setting: ResultsSetting
    let controller: NSFetchedResultsController<NSManagedObject>
    let table = RecordingTable(traps: false)
    /// A table of the rows' values, which detects missing and wrong updates.
    let texts: CoreDataTestSupport.RecordingTable<[String]>
    private let textController: NSFetchedResultsController<NSManagedObject>

    init(_ setting: ResultsSetting, _ context: NSManagedObjectContext) {
      self.setting = setting
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      setting.apply(to: request)
      controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context,
        sectionNameKeyPath: setting.section, cacheName: nil)
      let other = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context,
        sectionNameKeyPath: setting.section, cacheName: nil)
      textController = other
      texts = CoreDataTestSupport.RecordingTable(traps: false) { [unowned other] in
        (other.sections ?? []).map { section in
          .init(
            name: section.name,
            rows: (section.objects ?? []).compactMap { $0 as? NSManagedObject }.map(Self.text))
        }
      }
    }

    private static func text(_ player: NSManagedObject) -> [String] {
      ["age", "name", "number", "isActive"].map { "\(player.value(forKey: $0) ?? "nil")" }
    }

    func begin() throws {
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      try textController.performFetch()
      texts.reloadData()
      textController.keepUpdated(texts)
    }

    /// Fetches with the changed request, and notifies the tables.
    func fetchAgain() throws {
      setting.apply(to: controller.fetchRequest)
      try controller.performFetch(notifyingDelegate: true)
      try textController.performFetch(notifyingDelegate: true)
    }
  }

  init(round: Int, _ random: SeededGenerator, isWide: Bool = true) throws {
    self.random = random
    self.isWide = isWide
    stack = try SampleStack(.round(round))
    context = stack.context
    other = stack.newContext()
    child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = context
    for context in [context, other, child] {
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    }
    if round % 3 == 1 { context.undoManager = UndoManager() }
    try context.performAndWait {
      for name in ["A", "B", "C"] { _ = context.insert("Team", ["name": name]) }
      for label in ["x", "y"] { _ = context.insert("Tag", ["label": label]) }
      for _ in 0..<Int.random(in: 0...14, using: &self.random) { try insertPlayer(context) }
      try context.save()
      for _ in 0..<Int.random(in: 1...3, using: &self.random) {
        let live = Live(ResultsSetting(&self.random), context)
        try live.begin()
        lives.append(live)
      }
    }
  }

  /// Makes a random step, and returns a description of what is wrong afterwards, or nil.
  func step() throws -> String? {
    do { try act() } catch { return "\(lastAction) threw \(error)" }
    return try context.performAndWait {
      context.processPendingChanges()
      if let problem = context.checkInvariants() { return "\(problem)\nafter \(lastAction)" }
      for live in lives {
        if let problem = try check(live, in: context) ?? checkSaved(live) {
          return describe(problem, of: live)
        }
      }
      return nil
    }
  }

  private func describe(_ problem: String, of live: Live) -> String {
    "\(problem)\n\(live.setting)\nafter \(lastAction), reported \(live.table.calls.suffix(30))"
      + " and \(live.texts.calls.suffix(30))"
  }

  private func check(_ live: Live, in context: NSManagedObjectContext) throws -> String? {
    let (table, controller) = (live.table, live.controller)
    if let problem = table.violations.first ?? live.texts.violations.first { return problem }
    if let problem = controller.findBrokenInvariant() ?? context.findBrokenInvariant() {
      return problem
    }
    let expected = try live.setting.expected(in: context)
    guard table.sections.map(\.name) == expected.map(\.name),
      table.sections.map(\.rows) == expected.map(\.rows)
    else {
      func text(_ sections: [(String, [NSManagedObject])]) -> String {
        sections.map {
          "\($0.0): \($0.1.map { "\($0.objectID.uriRepresentation().lastPathComponent)" })"
        }
        .joined(separator: "; ")
      }
      return "shown \(text(table.sections.map { ($0.name, $0.rows) })), expected \(text(expected))"
    }
    for (section, rows) in expected.enumerated() {
      for (row, object) in rows.rows.enumerated() {
        let path = IndexPath(row: row, section: section)
        if controller.indexPath(forObject: object) != path {
          return "wrong index path, not \(path)"
        }
        if controller.object(at: path) !== object { return "another object at \(path)" }
      }
    }
    table.clear()
    live.texts.clear()
    return nil
  }

  /// After a save, expects that a new context fetches the same rows.
  private func checkSaved(_ live: Live) throws -> String? {
    if context.hasChanges || lastAction != "save" { return nil }
    let shown = live.table.sections.map { $0.rows.map(\.objectID) }
    let fresh = stack.newContext()
    let setting = live.setting
    let stored = try fresh.performAndWait {
      try setting.expected(in: fresh).map { $0.rows.map(\.objectID) }
    }
    return shown == stored ? nil : "shown \(shown), in the store \(stored)"
  }

  // MARK: Actions

  private func act() throws {
    if isWide {
      switch Int.random(in: 0..<30, using: &random) {
      case 0: return try runBatchOfReferences()
      case 1, 2: return try followChild()
      default: break
      }
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8:
      lastAction = "changes"
      try context.performAndWait { try change(context, 4) }
    case 8:
      lastAction = "many changes"
      try context.performAndWait { try change(context, 40) }
    case 9, 10:
      lastAction = "save"
      context.performAndWait { save(context) }
    case 11:
      lastAction = "rollback"
      context.performAndWait { context.rollback() }
    case 12, 13: try mergeOther()
    case 14, 15:
      lastAction = "a child's save"
      try child.performAndWait {
        try change(child, 4)
        save(child)
        if Bool.random(using: &random) { child.reset() }
      }
    case 16: try undo()
    case 17: try runBatch()
    case 18:
      lastAction = "refresh"
      try context.performAndWait {
        if Bool.random(using: &random) {
          context.refreshAllObjects()
        } else if let player = try pick("Player", context), !player.objectID.isTemporaryID {
          // Discarding a change to a relationship keeps the change to the inverse, as in Apple's Core Data.
          let changed = player.changedValues()
          context.refresh(
            player,
            mergeChanges: changed["team"] != nil || changed["tags"] != nil
              || Bool.random(using: &random))
        }
      }
    case 19 where Int.random(in: 0..<4, using: &random) == 0: try reset()
    default: try fetchAgain()
    }
  }

  private func save(_ context: NSManagedObjectContext) {
    do { try context.save() } catch {
      refusals += 1
      context.rollback()
    }
  }

  /// Saves random changes in another context, and merges them.
  private func mergeOther() throws {
    lastAction = "a merge"
    nonisolated(unsafe) var notes: [Notification] = []
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: other, queue: nil
    ) { notes.append($0) }
    defer { NotificationCenter.default.removeObserver(token) }
    try other.performAndWait {
      other.reset()
      try change(other, 4)
      save(other)
    }
    context.performAndWait {
      for note in notes { context.mergeChanges(fromContextDidSave: note) }
    }
  }

  private func undo() throws {
    try context.performAndWait {
      guard let manager = context.undoManager else { return try change(context, 2) }
      lastAction = "undo"
      context.processPendingChanges()
      if Bool.random(using: &random), manager.canRedo {
        context.redo()
      } else if manager.canUndo {
        context.undo()
      }
    }
  }

  /// Executes a batch request, and merges its result.
  private func runBatch() throws {
    // Other stores have no batch requests.
    guard stack.coordinator.persistentStores[0].type == NSSQLiteStoreType else { return }
    lastAction = "a batch request"
    let saved: [AnyHashable: Any] = try other.performAndWait {
      let age = Int.random(in: 0..<6, using: &random)
      let number = Int.random(in: 0..<6, using: &random)
      let predicate = NSPredicate(format: "age == %d", age)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let request = NSBatchUpdateRequest(entityName: "Player")
        request.predicate = predicate
        request.propertiesToUpdate = ["age": number]
        request.resultType = .updatedObjectIDsResultType
        let result = try other.execute(request) as? NSBatchUpdateResult
        return [NSUpdatedObjectsKey: result?.result ?? []]
      case 1:
        let request = NSBatchInsertRequest(
          entityName: "Player", objects: [["age": age, "name": "a"], ["age": number]])
        request.resultType = .objectIDs
        let result = try other.execute(request) as? NSBatchInsertResult
        return [NSInsertedObjectsKey: result?.result ?? []]
      default:
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
        fetch.predicate = NSPredicate(format: "age == %d AND number == %d", age, number)
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .resultTypeObjectIDs
        let result = try other.execute(request) as? NSBatchDeleteResult
        return [NSDeletedObjectsKey: result?.result ?? []]
      }
    }
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: saved, into: [context])
  }

  /// Executes a batch request on objects that rows refer to. The result does not contain the IDs of rows that referred
  /// to deleted objects.
  private func runBatchOfReferences() throws {
    guard stack.coordinator.persistentStores[0].type == NSSQLiteStoreType else { return }
    lastAction = "a batch request over teams or tags"
    let (entity, key) = Bool.random(using: &random) ? ("Team", "name") : ("Tag", "label")
    let ids: [AnyHashable: Any] = try other.performAndWait {
      let present = try other.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
        .map(\.objectID).sorted { $0.uriRepresentation().path < $1.uriRepresentation().path }
      guard let id = present.randomElement(using: &random) else { return [:] }
      let predicate = NSPredicate(format: "SELF == %@", id)
      if present.count > 1, Int.random(in: 0..<3, using: &random) > 0 {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        fetch.predicate = predicate
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .resultTypeObjectIDs
        let result = try other.execute(request) as? NSBatchDeleteResult
        return [NSDeletedObjectsKey: result?.result ?? []]
      }
      let request = NSBatchUpdateRequest(entityName: entity)
      request.predicate = predicate
      request.propertiesToUpdate = [key: ["A", "B", "x"].randomElement(using: &random) ?? ""]
      request.resultType = .updatedObjectIDsResultType
      let result = try other.execute(request) as? NSBatchUpdateResult
      return [NSUpdatedObjectsKey: result?.result ?? []]
    }
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: ids, into: [context])
  }

  /// Checks results of the child, including its parent's unsaved objects, while first the child and then its parent
  /// saves.
  private func followChild() throws {
    lastAction = "results of a child"
    let live = try child.performAndWait {
      child.reset()
      var setting = ResultsSetting(&random)
      // When an object of the parent gets its permanent ID, the child's results update the object's own row. Rows that
      // are sorted by the object, such as by a team, are not sorted again.
      while setting.section == "team" || setting.sorts.contains(where: { $0.hasSuffix("team") }) {
        setting = ResultsSetting(&random)
      }
      let live = Live(setting, child)
      try live.begin()
      try check(live, "after the fetch")
      try change(child, 4)
      try check(live, "after changes")
      save(child)
      try check(live, "after its save")
      return live
    }
    let before = refusals
    context.performAndWait { save(context) }
    // The child is not notified of a rollback in the parent.
    guard refusals == before else { return }
    try child.performAndWait { try check(live, "after its parent's save") }
  }

  private func check(_ live: Live, _ moment: String) throws {
    child.processPendingChanges()
    if let problem = try check(live, in: child) {
      throw WalkError(description: describe("\(moment): \(problem)", of: live))
    }
  }

  private struct WalkError: Error, CustomStringConvertible { let description: String }

  /// Changes a controller's request, and fetches again.
  private func fetchAgain() throws {
    guard let live = lives.randomElement(using: &random) else { return }
    lastAction = "another request"
    try context.performAndWait {
      var setting = ResultsSetting(&random)
      for _ in 0..<50 where setting.section != live.controller.sectionNameKeyPath {
        setting = ResultsSetting(&random)
      }
      guard setting.section == live.controller.sectionNameKeyPath else { return }
      live.setting = setting
      try live.fetchAgain()
    }
  }

  /// Resets the context, which empties the results, and fetches everything again.
  private func reset() throws {
    lastAction = "a reset"
    try context.performAndWait {
      child.performAndWait { child.reset() }
      context.reset()
      context.processPendingChanges()
      for live in lives where live.controller.fetchedObjects?.isEmpty != true {
        Issue.record("a reset leaves rows")
      }
      // The tables still have the old objects.
      lives = lives.map { Live($0.setting, context) }
      for live in lives { try live.begin() }
    }
  }

  // MARK: Changes

  private func pick(
    _ entity: String, _ context: NSManagedObjectContext
  ) throws -> NSManagedObject? {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = []
    return try context.fetch(request).randomElement(using: &random)
  }

  @discardableResult
  private func insertPlayer(_ context: NSManagedObjectContext) throws -> NSManagedObject {
    let player = context.insert(Bool.random(using: &random) ? "Player" : "Captain")
    player.setValue(Int.random(in: 0..<6, using: &random), forKey: "age")
    player.setValue(Int.random(in: 0..<6, using: &random), forKey: "number")
    player.setValue(name(), forKey: "name")
    player.setValue(Bool.random(using: &random), forKey: "isActive")
    player.setValue(try pick("Team", context), forKey: "team")
    return player
  }

  private func name() -> String? {
    ["a", "b", "A", nil].randomElement(using: &random).flatMap { $0 }
  }

  private func change(_ context: NSManagedObjectContext, _ most: Int) throws {
    for _ in 0..<Int.random(in: 1...most, using: &random) {
      let player = try pick("Player", context)
      switch Int.random(in: 0..<13, using: &random) {
      case 0, 1: try insertPlayer(context)
      case 2: if let player { context.delete(player) }
      case 3, 4: player?.setValue(Int.random(in: 0..<6, using: &random), forKey: "age")
      // Sets the current value.
      case 5: player?.setValue(player?.value(forKey: "age"), forKey: "age")
      case 6: player?.setValue(Bool.random(using: &random), forKey: "isActive")
      case 7: player?.setValue(name(), forKey: "name")
      case 8: player?.setValue(try pick("Team", context), forKey: "team")
      case 9:
        try pick("Team", context)?
          .setValue(["A", "B", "C", "D", "E"].randomElement(using: &random), forKey: "name")
      case 10:
        if Bool.random(using: &random), let team = try pick("Team", context) {
          context.delete(team)
        } else {
          _ = context.insert("Team", ["name": "G\(Int.random(in: 0..<9, using: &random))"])
        }
      case 11:
        let tag = try pick("Tag", context)
        player?.setValue(
          Bool.random(using: &random) ? NSSet(array: [tag].compactMap { $0 }) : NSSet(),
          forKey: "tags")
      default:
        // Two objects swap their ages.
        if let player, let second = try pick("Player", context) {
          let age = player.value(forKey: "age")
          player.setValue(second.value(forKey: "age"), forKey: "age")
          second.setValue(age, forKey: "age")
        }
      }
    }
  }
}
