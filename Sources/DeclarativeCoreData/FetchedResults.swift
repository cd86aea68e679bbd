public import CoreData

/// The live results of a request as a collection, for code that observes what it reads.
///
/// ```swift
/// import Observation
///
/// let players = FetchedResults<Player>(Player.fetchRequest(), context: context)
/// withObservationTracking { print(players.map(\.age)) } onChange: { print("changed") }
/// ```
///
/// Whoever reads the rows under observation (`withObservationTracking`) is told when they change: rows
/// that come, go, move or change their values, and another predicate or order. The change is called after
/// the results changed. The properties of an object that are read are observed as well, by themselves.
///
/// A view, not a copy: it always gives the present rows, and belongs to the queue of its context. The request
/// runs when rows are read first, and is followed from then on, as long as a copy of this is there. `count`
/// is O(1), a row O(log n).
///
/// Compared to SwiftUI: it works without a UI framework; mistakes are in `fetchError`.
public struct FetchedResults<Result: NSFetchRequestResult>: RandomAccessCollection {
  let model: ResultsModel<Result>

  init(_ model: ResultsModel<Result>) { self.model = model }

  /// The results of a request; it is copied.
  ///
  /// - Parameter context: nil for `NSManagedObjectContext.current`, or the context in whose `perform` the
  ///   rows are read.
  public init(_ fetchRequest: NSFetchRequest<Result>, context: NSManagedObjectContext? = nil) {
    self.init(ResultsModel(fetchRequest, context: context))
  }

  // MARK: Rows

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { model.current?.rowCount ?? 0 }
  /// The object of a row. One that does not exist stops the program.
  public subscript(position: Int) -> Result {
    guard let controller = model.current else {
      stopProgram("no object at index \(position): nothing was fetched")
    }
    return controller.requiredObject(atRow: position)
  }

  // MARK: The request

  /// Which rows; setting it fetches anew.
  public var nsPredicate: NSPredicate? {
    get { model.predicate }
    nonmutating set { model.predicate = newValue }
  }

  /// Their order; setting it fetches anew.
  public var nsSortDescriptors: [NSSortDescriptor] {
    get { model.nsSortDescriptors }
    nonmutating set { model.nsSortDescriptors = newValue }
  }

  /// Their order; setting it fetches anew. Empty where the order was given by `NSSortDescriptor`s.
  public var sortDescriptors: [Predicates.SortDescriptor<Result>] {
    get { model.sortDescriptors }
    nonmutating set { model.sortDescriptors = newValue }
  }

  /// What was wrong with the last fetch: the request, or the store. The rows are those of the fetch before.
  public var fetchError: (any Error)? { model.fetchError }
}
