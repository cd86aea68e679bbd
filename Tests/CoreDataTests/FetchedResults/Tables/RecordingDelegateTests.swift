import CoreData
import CoreDataTestSupport
import Testing

/// The violations that a table records as a controller's delegate. All tests of reports depend on these checks.
@Suite("A recording table that is a delegate")
struct RecordingDelegateTests {
  typealias Controller = NSFetchedResultsController<any NSFetchRequestResult>

  /// Sends a made-up report to a table.
  private struct FakeReport {
    let controller: Controller
    let table: RecordingTable
    let objects: [NSManagedObject]

    func will() { table.controllerWillChangeContent(controller) }
    func did() { table.controllerDidChangeContent(controller) }

    func section(_ type: NSFetchedResultsChangeType, _ index: Int, _ name: String) {
      table.controller(
        controller, didChange: Section(name: name), atSectionIndex: index, for: type)
    }

    func row(
      _ object: Any, _ type: NSFetchedResultsChangeType, _ old: IndexPath?, _ new: IndexPath?
    ) {
      table.controller(controller, didChange: object, at: old, for: type, newIndexPath: new)
    }
  }

  private struct Section: NSFetchedResultsSectionInfo {
    let name: String
    let indexTitle: String? = nil
    let numberOfObjects = 0
    let objects: [Any]? = []
  }

  private static func path(_ section: Int, _ row: Int) -> IndexPath {
    IndexPath(row: row, section: section)
  }

  /// Returns the violations that the table records for a report after a change, with players a and b in section 1 and c
  /// in section 2.
  private func failures(
    change: (NSManagedObjectContext, [NSManagedObject]) -> Void = { _, _ in },
    _ report: (FakeReport) -> Void
  ) throws -> [String] {
    var failures: [String] = []
    try SampleStack.withContext { context in
      let objects = [("a", 1), ("b", 1), ("c", 2)].map {
        context.insert("Player", ["name": $0.0, "age": $0.1])
      }
      try context.save()
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      request.sortDescriptors = ["age", "name"].map { NSSortDescriptor(key: $0, ascending: true) }
      let controller = Controller(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "age",
        cacheName: nil)
      try controller.performFetch()
      let table = RecordingTable(traps: false)
      table.load(controller)
      change(context, objects)
      try controller.performFetch()
      report(FakeReport(controller: controller, table: table, objects: objects))
      failures = table.violations
    }
    return failures
  }

  @Test("says in each violation that the controller's rows were never loaded")
  func notLoaded() throws {
    try SampleStack.withContext { context in
      context.insert("Player", ["name": "a", "age": 1])
      try context.save()
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = Controller(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      context.insert("Player", ["name": "b", "age": 1])
      context.processPendingChanges()
      let advice = "; the table was never loaded: call load(_:) after performFetch()"
      #expect(!table.violations.isEmpty && table.violations.allSatisfy { $0.hasSuffix(advice) })
    }
  }

  @Test("accepts a valid report")
  func valid() throws {
    #expect(
      try failures(change: { $1[0].setValue(3, forKey: "age") }) { fake in
        fake.will()
        fake.section(.insert, 2, "3")
        fake.row(fake.objects[0], .move, Self.path(0, 0), Self.path(2, 0))
        fake.row(fake.objects[1], .update, Self.path(0, 1), Self.path(0, 0))
        fake.did()
      } == [])
  }

  @Test("records calls outside of a report, and nested reports")
  func brackets() throws {
    #expect(
      try failures {
        $0.will()
        $0.will()
        $0.did()
      } == ["controllerWillChangeContent twice"])
    #expect(
      try failures { $0.did() } == [
        "controllerDidChangeContent without controllerWillChangeContent"
      ])
    #expect(
      try failures {
        $0.row($0.objects[0], .update, Self.path(0, 0), Self.path(0, 0))
      } == ["an update before controllerWillChangeContent"])
  }

  @Test("records calls out of order, within one kind and across kinds")
  func order() throws {
    // Only the first violation is checked: it is about the order. These reports cause further ones.
    func first(_ report: (FakeReport) -> Void) throws -> String? {
      try failures {
        $0.will()
        report($0)
        $0.did()
      }.first
    }
    let kinds: [(String, (FakeReport) -> Void)] = [
      ("a section delete", { $0.section(.delete, 0, "1") }),
      ("a section insert", { $0.section(.insert, 0, "0") }),
      ("a delete", { $0.row($0.objects[0], .delete, Self.path(0, 0), nil) }),
      ("an insert", { $0.row($0.objects[0], .insert, nil, Self.path(0, 0)) }),
      ("a move", { $0.row($0.objects[1], .move, Self.path(0, 1), Self.path(1, 0)) }),
      ("an update", { $0.row($0.objects[2], .update, Self.path(1, 0), Self.path(1, 0)) }),
    ]
    for (place, later) in kinds.enumerated() {
      for earlier in kinds[..<place] {
        let failure = try first {
          later.1($0)
          earlier.1($0)
        }
        #expect(failure == "\(earlier.0) after \(later.0)")
      }
    }
    #expect(
      try first {
        $0.section(.delete, 0, "1")
        $0.section(.delete, 1, "2")
      } == "section deletes out of order")
    #expect(
      try first {
        $0.section(.insert, 1, "2")
        $0.section(.insert, 0, "1")
      } == "section inserts out of order")
    #expect(
      try first {
        $0.row($0.objects[0], .delete, Self.path(0, 0), nil)
        $0.row($0.objects[1], .delete, Self.path(0, 1), nil)
      } == "deletes out of order")
    #expect(
      try first {
        $0.row($0.objects[1], .insert, nil, Self.path(0, 1))
        $0.row($0.objects[0], .insert, nil, Self.path(0, 0))
      } == "inserts out of order")
    #expect(
      try first {
        $0.row($0.objects[0], .move, Self.path(0, 0), Self.path(0, 1))
        $0.row($0.objects[1], .move, Self.path(0, 1), Self.path(0, 0))
      } == "moves out of order")
    #expect(
      try first {
        $0.row($0.objects[1], .update, Self.path(0, 1), Self.path(0, 1))
        $0.row($0.objects[0], .update, Self.path(0, 0), Self.path(0, 0))
      } == "updates out of order")
  }

  @Test("records objects at a different index path than reported")
  func objects() throws {
    func first(
      change: (NSManagedObjectContext, [NSManagedObject]) -> Void = { _, _ in },
      _ report: (FakeReport) -> Void
    ) throws -> String? {
      try failures(change: change) {
        $0.will()
        report($0)
        $0.did()
      }.first
    }
    #expect(
      try first { $0.row($0.objects[1], .delete, Self.path(0, 0), nil) }
        == "the object deleted at 0.0 is a different one")
    #expect(
      try first { $0.row($0.objects[1], .move, Self.path(0, 0), Self.path(1, 0)) }
        == "the object moved from 0.0 is a different one")
    #expect(
      try first { $0.row($0.objects[1], .update, Self.path(0, 0), Self.path(0, 0)) }
        == "the object updated at 0.0 is a different one")
    #expect(
      try first(change: { context, _ in context.insert("Player", ["name": "aa", "age": 1]) }) {
        $0.row($0.objects[2], .insert, nil, Self.path(0, 1))
      } == "the object reported at 0.1 is not in the results")
    #expect(
      try first { $0.row("a text", .insert, nil, Self.path(0, 0)) }
        == "the object a text is not of the type NSManagedObject")
    #expect(
      try first { $0.section(.delete, 0, "2") } == "the section deleted at 0 is \"1\"")
    #expect(
      try first { $0.row($0.objects[0], .insert, Self.path(0, 0), nil) }?
        .hasSuffix("with paths 0.0 and nil") == true)
    #expect(
      try first { $0.section(.update, 0, "1") }?.hasPrefix("a section change cannot be of type")
        == true)
  }

  @Test("records rows that a report omits")
  func unnamed() throws {
    #expect(
      try failures(change: { context, objects in context.delete(objects[2]) }) {
        $0.will()
        $0.section(.delete, 1, "2")
        $0.did()
      } == ["section 1 is deleted, but not all of its rows"])
    #expect(
      try failures(change: { context, _ in context.insert("Player", ["name": "d", "age": 3]) }) {
        $0.will()
        $0.section(.insert, 2, "3")
        $0.did()
      } == ["section 2 is inserted, but not all of its rows"])
    #expect(
      try failures(change: { context, objects in context.delete(objects[0]) }) {
        $0.will()
        $0.did()
      }.first?.hasPrefix("Invalid update: invalid number of rows in section 0.") == true)
  }

  @Test("stops the program for an error by default")
  func traps() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
      request.sortDescriptors = []
      let controller = NSFetchedResultsController<any NSFetchRequestResult>(
        fetchRequest: request,
        managedObjectContext: NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType),
        sectionNameKeyPath: nil, cacheName: nil)
      CoreDataTestSupport.RecordingTable<NSManagedObject>().controllerDidChangeContent(controller)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("controllerDidChangeContent without controllerWillChangeContent"))
  }
}
