import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// A delegate is attached and detached at random while a context changes. After each report, it shows what a new
/// fetch returns, with the current values. While it is detached, the results do not change.
@Suite("Results whose delegate is attached and detached")
struct RandomFollowersTests {
  @Test(
    "report everything that the delegate missed when it is attached again", arguments: 0..<4,
    [(0, 0), (3, 0), (0, 4)])
  func walk(_ round: Int, _ size: (batch: Int, limit: Int)) throws {
    var random = SeededGenerator("followers \(round), batch \(size.batch), limit \(size.limit)")
    let scope = try StoreScope.round(round)
    let stack = try SampleStack(scope)
    let second = try stack.coordinator.addPersistentStore(
      ofType: scope.kind.type, configurationName: nil, at: scope.newURL())
    let context = stack.context
    try context.performAndWait {
      var walk = Walk(context, second)
      for _ in 0..<8 { walk.change(&random) }
      let request = LiveScene.Request(limit: size.limit, batchSize: size.batch)
      let controller = request.controller(in: context)
      let view = TextView()
      try controller.performFetch()
      view.load(controller)
      for step in 0..<WholeRun.steps(40, whole: 120) {
        for _ in 0..<Int.random(in: 1...3, using: &random) { walk.change(&random) }
        if Int.random(in: 0..<3, using: &random) == 0 {
          let attaches = controller.delegate == nil
          controller.delegate = attaches ? view : nil
          walk.log.append(attaches ? "attach" : "detach")
          // The report comes with the next change, whatever it is.
          if attaches { context.insert("Tag", ["label": "t\(step)"]) }
        }
        context.processPendingChanges()
        walk.log.append("process")
        let difference =
          controller.delegate == nil
          ? view.differenceWhileDetached(controller)
          : view.difference(try context.fetch(controller.fetchRequest))
        #expect(difference == nil, "seed \(random.seed), step \(step): \(walk.log.suffix(30))")
        let broken = context.findBrokenInvariant() ?? controller.findBrokenInvariant()
        #expect(broken == nil, "seed \(random.seed), step \(step): \(walk.log.suffix(30))")
        if difference != nil { return }
      }
    }
  }

  private struct Walk {
    private let context: NSManagedObjectContext
    private let second: NSPersistentStore
    private var number = 0
    /// The actions so far.
    var log: [String] = []

    init(_ context: NSManagedObjectContext, _ second: NSPersistentStore) {
      self.context = context
      self.second = second
    }

    private func player(_ random: inout SeededGenerator) -> NSManagedObject? {
      try? context.all("Player", sort: ["age"]).randomElement(using: &random)
    }

    mutating func change(_ random: inout SeededGenerator) {
      number += 1
      let player = player(&random)
      func record(_ action: String) {
        log.append("\(action) \(player?.value(forKey: "name") as? String ?? "")")
      }
      switch Int.random(in: 0..<16, using: &random) {
      case 0..<4:
        let age = Int.random(in: 0..<4, using: &random)
        let new = context.insert("Player", ["name": "p\(number)", "age": age])
        if Bool.random(using: &random) { context.assign(new, to: second) }
        log.append("insert p\(number)")
      case 4, 5:
        record("delete")
        if let player { context.delete(player) }
      case 6..<9:
        record("q\(number) for")
        player?.setValue("q\(number)", forKey: "name")
      case 9..<11:
        record("age of")
        player?.setValue(Int.random(in: 0..<4, using: &random), forKey: "age")
      case 11:
        log.append("rollback")
        context.rollback()
      case 12:
        record("refresh")
        if let player { context.refresh(player, mergeChanges: false) }
      case 13:
        log.append("IDs")
        try? context.obtainPermanentIDs(for: Array(context.insertedObjects))
      default:
        log.append("save")
        do { try context.save() } catch { Issue.record(error) }
      }
    }
  }
}

/// Shows the names of objects, and reads a name only when a report requires it.
private final class TextView: NSFetchedResultsControllerDelegate {
  private var rows: [(object: NSManagedObject, text: String?)] = []
  private var removed: [Int] = []
  private var inserted: [(place: Int, object: NSManagedObject)] = []
  private var updated: [Int] = []

  private static func text(_ object: NSManagedObject) -> String? {
    object.value(forKey: "name") as? String
  }

  func load(_ controller: NSFetchedResultsController<NSManagedObject>) {
    rows = (controller.fetchedObjects ?? []).map { ($0, Self.text($0)) }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let object = anObject as? NSManagedObject else { return }
    if type == .update {
      if let newIndexPath { updated.append(newIndexPath.row) }
      return
    }
    if let indexPath { removed.append(indexPath.row) }
    if let newIndexPath { inserted.append((newIndexPath.row, object)) }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    for place in removed.sorted(by: >) { rows.remove(at: place) }
    for (place, object) in inserted.sorted(by: { $0.place < $1.place }) {
      rows.insert((object, Self.text(object)), at: place)
    }
    for place in updated { rows[place].text = Self.text(rows[place].object) }
    (removed, inserted, updated) = ([], [], [])
  }

  /// Returns a description of the difference between the shown and the current rows, or nil.
  func difference(_ present: [NSManagedObject]) -> String? {
    if rows.map(\.object) != present {
      return "\(rows.map(\.object.objectID)) shown, \(present.map(\.objectID)) expected"
    }
    for (place, row) in rows.enumerated() where row.text != Self.text(row.object) {
      return "row \(place) shows \(row.text ?? "nil"), not \(Self.text(row.object) ?? "nil")"
    }
    return nil
  }

  /// Returns a description of a row that moved while the delegate was detached, or nil. Ignores deleted objects.
  func differenceWhileDetached(
    _ controller: NSFetchedResultsController<NSManagedObject>
  ) -> String? {
    let present = controller.fetchedObjects ?? []
    if present.count != rows.count { return "\(present.count) rows instead of \(rows.count)" }
    for (place, row) in rows.enumerated() {
      guard row.object.managedObjectContext != nil, !row.object.isDeleted else { continue }
      if present[place] !== row.object { return "another object at \(place)" }
      if controller.indexPath(forObject: row.object)?.row != place { return "no row at \(place)" }
    }
    return nil
  }
}
