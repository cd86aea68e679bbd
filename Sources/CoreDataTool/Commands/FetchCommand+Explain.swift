import CoreData
import StoreInspection

extension FetchCommand {
  /// Prints how the store would execute a request, without fetching rows.
  func printExplanation(
    of request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext
  ) throws {
    let explanations: [FetchExplanation]
    if let section = arguments.section {
      // Use the same batch size as for showing rows, so that the explained request is the same.
      request.fetchBatchSize = RowPrinter.chunkSize
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
        cacheName: nil)
      explanations = try controller.explain()
    } else {
      explanations = try context.explain(request)
    }
    for (index, explanation) in explanations.enumerated() {
      if arguments.format == .json {
        Console.current.output(ExplanationText.json(explanation))
      } else {
        if index > 0 { Console.current.output("\n") }
        Console.current.output(ExplanationText.formatted(explanation))
      }
    }
  }
}
