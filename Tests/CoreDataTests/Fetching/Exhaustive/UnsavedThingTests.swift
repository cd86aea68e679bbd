import CoreData
import Predicates
import Testing

@testable import CoreData

/// The evaluators of unsaved changes: fetches and live results.
@Suite("Every operator, for things with unsaved changes")
struct UnsavedThingTests {
  /// Without a delegate, a controller does not observe changes.
  private final class Listener: NSObject, NSFetchedResultsControllerDelegate {
    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
  }

  private static var formats: [String] {
    PredicateTables.operators.flatMap(PredicateTables.comparisons)
  }

  @Test("has the same results in live results and fetches before and after a save")
  func liveResults() throws {
    let formats = ExhaustiveRun.sample(Self.formats, most: 500, "live results")
    try ExhaustiveRun.withWorld { world in
      let listener = Listener()
      var live: [(format: String, controller: NSFetchedResultsController<NSManagedObject>)] = []
      for format in formats {
        guard let predicate = try? NSPredicate(validating: format) else { continue }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "row", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: world.context, sectionNameKeyPath: nil,
          cacheName: nil)
        controller.delegate = listener
        if (try? controller.performFetch()) != nil { live.append((format, controller)) }
      }
      #expect(live.count > 30)
      // Each thing gets the values of the next one.
      let values = world.objects.map { object in
        object.dictionaryWithValues(
          forKeys: PredicateTables.attributes + ["next", "some", "list"])
      }
      for (row, object) in world.objects.enumerated() {
        for (key, value) in values[(row + 1) % values.count] {
          object.setValue(value is NSNull ? nil : value, forKey: key)
        }
      }
      world.context.processPendingChanges()
      func answers() -> [(results: [NSManagedObjectID]?, fetch: [NSManagedObjectID]?)] {
        live.map { _, controller in
          (
            controller.fetchedObjects?.map(\.objectID),
            try? world.context.fetch(controller.fetchRequest).map(\.objectID)
          )
        }
      }
      let unsaved = answers()
      try world.context.save()
      var differences: [String] = []
      for ((format, _), (before, after)) in zip(live, zip(unsaved, answers())) {
        if before.results != after.fetch || before.fetch != after.fetch
          || after.results != after.fetch
        {
          differences.append("\(format): unsaved \(before), saved \(after)")
        }
      }
      ExhaustiveRun.expectNone(differences, of: live.count)
    }
  }
}
