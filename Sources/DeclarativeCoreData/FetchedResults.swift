public import CoreData

/// The live results of a request as an observable collection.
///
/// ```swift
/// import Observation
///
/// let players = FetchedResults<Player>(Player.fetchRequest(), context: context)
/// withObservationTracking { print(players.map(\.age)) } onChange: { print("changed") }
/// ```
///
/// Code that reads rows inside `withObservationTracking` is notified when rows are inserted, deleted, moved or updated,
/// and when the predicate or sort order is set. The notification comes after the results have changed. The properties
/// of objects are observable themselves.
///
/// This is a view, not a copy: it always shows the current rows, and must be used on the queue of its context. The
/// request runs when rows are first read, and the results are kept up to date while a copy of this value exists.
/// `count` is O(1), reading a row O(log n).
///
/// Compared to SwiftUI's type: this one works without a UI framework, and reports errors in `fetchError`.
public struct FetchedResults<Result: NSFetchRequestResult>: RandomAccessCollection {
  let model: ResultsModel<Result>

  init(_ model: ResultsModel<Result>) { self.model = model }

  /// Creates a collection of the results of a request.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request, which is copied.
  ///   - context: The context of the rows; nil for `NSManagedObjectContext.current` or, without a current context, for
  ///     the context in whose `perform` the rows are first read. Read the rows inside the context's `perform`.
  public init(_ fetchRequest: NSFetchRequest<Result>, context: NSManagedObjectContext? = nil) {
    self.init(ResultsModel(fetchRequest, context: context))
  }

  // MARK: Rows

  /// The position of the first row, which is 0.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { model.current?.rowCount ?? 0 }
  /// The object in a row. Stops the program if the row does not exist.
  public subscript(position: Int) -> Result {
    guard let controller = model.current else {
      stopProgram("no object at index \(position): nothing was fetched")
    }
    return controller.requiredObject(atRow: position)
  }

  // MARK: The request

  /// The predicate; nil for all objects. Setting it fetches again.
  public var nsPredicate: NSPredicate? {
    get { model.predicate }
    nonmutating set { model.predicate = newValue }
  }

  /// The sort order. Setting it fetches again.
  public var nsSortDescriptors: [NSSortDescriptor] {
    get { model.nsSortDescriptors }
    nonmutating set { model.nsSortDescriptors = newValue }
  }

  /// The sort order. Setting it fetches again. Empty if the order was set with `NSSortDescriptor`s.
  public var sortDescriptors: [Predicates.SortDescriptor<Result>] {
    get { model.sortDescriptors }
    nonmutating set { model.sortDescriptors = newValue }
  }

  /// The error of the last fetch; nil if it succeeded. The request, the store or a missing context can cause it. After
  /// an error the rows are those of the previous successful fetch; without one there are none.
  public var fetchError: (any Error)? { model.fetchError }
}
