import CoreData
import Testing

@Suite("Section infos keep their identity", .onEveryStore)
struct SectionIdentityTests {
  @Test("while a section exists, across reads and changes, and have its current rows")
  func identity() throws {
    try SampleStack.withContext { context in
      for (index, team) in ["Red", "Red", "Blue"].enumerated() {
        context.insert("Player", ["name": team, "number": index])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [
        NSSortDescriptor(key: "name", ascending: true),
        NSSortDescriptor(key: "number", ascending: true),
      ]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "name",
        cacheName: nil)
      let log = SectionLog()
      controller.delegate = log
      try controller.performFetch()
      func section(_ index: Int) throws -> AnyObject {
        let sections = try #require(controller.sections)
        try #require(index < sections.count)
        return sections[index] as AnyObject
      }
      let (blue, red) = (try section(0), try section(1))
      #expect(try section(0) === blue)
      #expect(try section(1) === red)
      let green = context.insert("Player", ["name": "Green", "number": 9])
      context.insert("Player", ["name": "Red", "number": 10])
      context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["Blue", "Green", "Red"])
      #expect(try section(0) === blue)
      #expect(try section(2) === red)
      // A retained info counts the current rows, even before `sections` is read.
      context.insert("Player", ["name": "Red", "number": 11])
      context.processPendingChanges()
      let held = try #require(red as? any NSFetchedResultsSectionInfo)
      #expect(held.numberOfObjects == 4)
      #expect(held.objects?.count == 4)
      let middle = try section(1)
      #expect(log.inserted == ["Green"] && log.insertedSection === middle)
      context.delete(green)
      context.processPendingChanges()
      #expect(log.deleted == ["Green"] && log.deletedSection === middle)
      let gone = try #require(middle as? any NSFetchedResultsSectionInfo)
      #expect(gone.numberOfObjects == 0)
      #expect(gone.objects?.isEmpty == true)
      #expect(try section(0) === blue)
      #expect(try section(1) === red)
      context.insert("Player", ["name": "Green", "number": 9])
      context.processPendingChanges()
      #expect(controller.sections?[1].name == "Green")
      #expect(try section(1) !== middle)
    }
  }

  private func makeController(
    in context: NSManagedObjectContext, batchSize: Int = 0
  ) -> NSFetchedResultsController<NSManagedObject> {
    LiveScene.Request(sort: ["name", "number"], section: "name", batchSize: batchSize)
      .controller(in: context)
  }

  @Test(arguments: [0, 5])
  func `A section that is kept across a fetch has its former rows`(_ batchSize: Int) throws {
    try SampleStack.withContext { context in
      let player = context.insert("Player", ["name": "Red", "number": 1])
      try context.save()
      let controller = makeController(in: context, batchSize: batchSize)
      try controller.performFetch()
      let kept = try #require(controller.sections?.first)
      context.insert("Player", ["name": "Red", "number": 2])
      try controller.performFetch()
      #expect(kept.name == "Red" && kept.numberOfObjects == 1)
      #expect(kept.objects as? [NSManagedObject] == [player])
      #expect(controller.sections?.first?.numberOfObjects == 2)
    }
  }

  @Test func `Sections have the current rows after the delegate fetched during a report`() throws {
    try SampleStack.withContext { context in
      context.insert("Player", ["name": "Blue", "number": 1])
      try context.save()
      let controller = makeController(in: context)
      let delegate = FetchingDelegate()
      controller.delegate = delegate
      try controller.performFetch()
      for number in 1...2 {
        context.insert("Player", ["name": "Red", "number": number])
        context.processPendingChanges()
      }
      #expect(delegate.sections == ["Red"])
      #expect(controller.sections?.map(\.name) == ["Blue", "Red"])
      #expect(controller.sections?.last?.numberOfObjects == 2)
      #expect(controller.sections?.last?.objects?.count == 2)
    }
  }

  /// Fetches once, at the beginning of the first report.
  private final class FetchingDelegate: NSFetchedResultsControllerDelegate {
    var sections: [String] = []
    private var hasFetched = false

    func controllerWillChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      if hasFetched { return }
      hasFetched = true
      #expect(throws: Never.self) { try controller.performFetch() }
    }

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
      for type: NSFetchedResultsChangeType
    ) { sections.append(sectionInfo.name) }
  }

  final class SectionLog: NSObject, NSFetchedResultsControllerDelegate {
    var inserted: [String] = []
    var deleted: [String] = []
    var insertedSection: AnyObject?
    var deletedSection: AnyObject?

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
      for type: NSFetchedResultsChangeType
    ) {
      if type == .insert {
        inserted.append(sectionInfo.name)
        insertedSection = sectionInfo as AnyObject
      } else {
        deleted.append(sectionInfo.name)
        deletedSection = sectionInfo as AnyObject
      }
    }
  }
}
