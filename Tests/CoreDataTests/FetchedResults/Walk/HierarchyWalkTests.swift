import CoreData
import FixtureSupport
import Foundation
import Testing

/// Three contexts change a graph at random: one with an undo manager, its child, and another context of the same
/// store. After each step, both sides of relationships agree, an observed hierarchy equals a new fetch, and its reports
/// transform the previous rows into the current ones.
@Suite("Random walks over a hierarchy with merges and undo", .serialized)
struct HierarchyWalkTests {
  private typealias Controller = HierarchicalResultsController<NSManagedObject, NSManagedObject>

  /// A step takes as long as ten steps of the walks over single results.
  private static let steps =
    ProcessInfo.processInfo.environment["OPENCOREDATA_SOAK_STEPS"].flatMap(Int.init)
    .map { max(50, $0 / 10) } ?? 350

  @Test("both sides of relationships agree, and the hierarchy equals a new fetch")
  func walks() throws {
    var random = SeededGenerator("hierarchy walk")
    for round in 0..<(Self.steps / 50) {
      let walk = try Walk(round, SeededGenerator(seed: random.next()))
      for step in 0..<50 {
        if let problem = try walk.step(step) {
          Issue.record("seed \(random.seed), round \(round), step \(step): \(problem)")
          return
        }
      }
    }
    print("results: hierarchies: \(Self.steps) steps, seed \(random.seed)")
  }

  private final class Walk {
    private let stack: SampleStack
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private var random: SeededGenerator
    private let request: NSFetchRequest<NSManagedObject>
    private let controller: Controller
    /// The rows after the last report.
    private var shown: [HierarchyTree] = []
    private var falseReports: [String] = []

    private static var levels: [HierarchyLevel] {
      [
        HierarchyLevel("players", sortedBy: [NSSortDescriptor(key: "name", ascending: true)]),
        HierarchyLevel("tags", sortedBy: [NSSortDescriptor(key: "label", ascending: true)]),
      ]
    }

    init(_ round: Int, _ random: SeededGenerator) throws {
      self.random = random
      stack = try SampleStack(.round(round))
      context = stack.context
      other = stack.newContext()
      child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      for context in [context, other, child] {
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      }
      context.undoManager = UndoManager()
      request = NSFetchRequest(entityName: "Team")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let (request, context) = (request, context)
      controller = try context.performAndWait {
        for name in ["A", "B", "C"] { context.insert("Team", ["name": name]) }
        for label in ["x", "y", "z"] { context.insert("Tag", ["label": label]) }
        try context.save()
        try context.forgetSteps()
        let controller = Controller(
          fetchRequest: request, levels: Self.levels, managedObjectContext: context)
        try controller.performFetch()
        return controller
      }
      context.performAndWait {
        shown = HierarchyTree.shown(controller)
        controller.addObserver { [unowned self] in record($0) }
      }
    }

    private func record(_ updates: TableUpdates) {
      let present = HierarchyTree.shown(controller)
      let led = HierarchyTree.apply(updates, to: shown) { HierarchyTree.object(controller, $0) }
      if led != present { falseReports.append("\(updates)") }
      shown = present
    }

    /// Returns a description of what is wrong after the step, or nil.
    func step(_ number: Int) throws -> String? {
      let action = try act(number)
      return try context.performAndWait {
        context.processPendingChanges()
        let broken = context.findBrokenInvariant() ?? controller.findBrokenInvariant()
        if let problem = broken ?? context.findDisagreement() { return "\(action): \(problem)" }
        let fresh = Controller(
          fetchRequest: request, levels: Self.levels, managedObjectContext: context)
        try fresh.performFetch()
        let (rows, expected) = (Self.rows(controller), Self.rows(fresh))
        if rows != expected { return "\(action): \(rows) instead of \(expected)" }
        if !falseReports.isEmpty { return "\(action): reports \(falseReports)" }
        return shown == HierarchyTree.shown(controller) ? nil : "\(action): a report is missing"
      }
    }

    private static func rows(_ controller: Controller) -> [[NSManagedObjectID]] {
      (0..<controller.numberOfSections).flatMap { section in
        [[controller.parent(ofSection: section).objectID]]
          + (0..<controller.numberOfChildren(at: [section])).map { row in
            [controller.object(at: [section, row]).objectID]
              + (0..<controller.numberOfChildren(at: [section, row])).map {
                controller.object(at: [section, row, $0]).objectID
              }
          }
      }
    }

    private func act(_ number: Int) throws -> String {
      switch Int.random(in: 0..<14, using: &random) {
      case 0..<5: try context.performAndWait { try change(context, number) }
      case 5:
        context.performAndWait { save(context) }
        return "save"
      case 6, 7:
        try mergeOther(number)
        return "merge"
      case 8:
        try child.performAndWait {
          try change(child, number)
          save(child)
        }
        return "child"
      case 9, 10:
        context.performAndWait { context.undo() }
        return "undo"
      case 11:
        context.performAndWait { context.redo() }
        return "redo"
      case 12:
        context.performAndWait { context.refreshAllObjects() }
        return "refresh"
      default:
        if Int.random(in: 0..<3, using: &random) == 0 {
          context.performAndWait { context.rollback() }
          return "rollback"
        }
        context.performAndWait {
          context.processPendingChanges()
          context.undoManager?.endEvent()
        }
      }
      return "change"
    }

    private func change(_ context: NSManagedObjectContext, _ number: Int) throws {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        try GraphPicture.change(context, number, &random)
      }
    }

    private func save(_ context: NSManagedObjectContext) {
      do { try context.save() } catch { context.rollback() }
    }

    private func mergeOther(_ number: Int) throws {
      let log = Recorder(.NSManagedObjectContextDidSave, of: other)
      try other.performAndWait {
        other.reset()
        try change(other, number)
        save(other)
      }
      context.performAndWait {
        for note in log.notifications { context.mergeChanges(fromContextDidSave: note) }
      }
    }
  }
}
