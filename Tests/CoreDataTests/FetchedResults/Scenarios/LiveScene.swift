import CoreData
import CoreDataTestSupport
import Testing

/// Players by name, a controller of them, and its table.
struct LiveScene {
  let context: NSManagedObjectContext
  let controller: NSFetchedResultsController<NSManagedObject>
  let table = RecordingTable(traps: false)

  struct Request {
    var sort = ["age"]
    var section: String?
    var predicate: NSPredicate?
    var limit = 0
    var offset = 0
    var batchSize = 0

    func controller(
      in context: NSManagedObjectContext
    ) -> NSFetchedResultsController<NSManagedObject> {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
      request.predicate = predicate
      request.fetchLimit = limit
      request.fetchOffset = offset
      request.fetchBatchSize = batchSize
      return NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
        cacheName: nil)
    }
  }

  /// Fetches, and loads the rows into the table.
  init(_ context: NSManagedObjectContext, _ request: Request = Request()) throws {
    self.context = context
    controller = request.controller(in: context)
    controller.delegate = table
    try controller.performFetch()
    table.load(controller)
  }

  /// Runs a test's body with saved players of these names and ages.
  ///
  /// At the end, checks that the table has found no invalid update.
  static func run(
    _ players: [(name: String, age: Int)], _ request: Request = Request(),
    in stack: SampleStack? = nil,
    _ body: (LiveScene) throws -> Void
  ) throws {
    let context = try stack?.context ?? SampleStack().context
    try context.performAndWait {
      for (name, age) in players { context.insert("Player", ["name": name, "age": age]) }
      try context.save()
      let scene = try LiveScene(context, request)
      try body(scene)
      #expect(scene.table.violations.isEmpty, "\(scene.table.violations)")
    }
  }

  /// Returns the player with a name in the table.
  subscript(name: String) -> NSManagedObject {
    get throws {
      try #require(
        table.sections.flatMap(\.rows).first { $0.value(forKey: "name") as? String == name })
    }
  }

  /// The names in the table, by section.
  var names: [[String]] {
    table.sections.map { $0.rows.map { $0.value(forKey: "name") as? String ?? "" } }
  }

  /// Processes pending changes, and returns the calls that the table has received since the last report.
  func report() -> [String] {
    context.processPendingChanges()
    defer { table.clear() }
    guard table.calls.first == "will", table.calls.last == "did" else { return table.calls }
    return Array(table.calls.dropFirst().dropLast())
  }
}
