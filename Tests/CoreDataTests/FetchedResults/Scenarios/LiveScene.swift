import CoreData
import CoreDataTestSupport
import Testing

/// Players by name, one controller over them, and a table that follows it.
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

  /// Fetches, and shows what is there.
  init(_ context: NSManagedObjectContext, _ request: Request = Request()) throws {
    self.context = context
    controller = request.controller(in: context)
    controller.delegate = table
    try controller.performFetch()
    table.load(controller)
  }

  /// Runs a test's body with players of the given names and ages that are saved.
  ///
  /// Whatever the table finds wrong is recorded at the end.
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
      #expect(scene.table.faults.isEmpty, "\(scene.table.faults)")
    }
  }

  /// The player of a name that is shown.
  subscript(name: String) -> NSManagedObject {
    get throws {
      try #require(
        table.sections.flatMap(\.rows).first { $0.value(forKey: "name") as? String == name })
    }
  }

  /// The names that the table shows.
  var names: [[String]] {
    table.sections.map { $0.rows.map { $0.value(forKey: "name") as? String ?? "" } }
  }

  /// What the table was told of what was done since it was asked last.
  func told() -> [String] {
    context.processPendingChanges()
    defer { table.clear() }
    guard table.calls.first == "will", table.calls.last == "did" else { return table.calls }
    return Array(table.calls.dropFirst().dropLast())
  }
}
