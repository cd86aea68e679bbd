public import CoreData

/// The live results of a request as an observable collection of sections.
///
/// ```swift
/// let request = NSFetchRequest<Customer>(entityName: "Customer")
/// request.sortDescriptors = [NSSortDescriptor(key: "city", ascending: true)]
/// let customers = SectionedFetchedResults(request, sectionIdentifier: \.city, context: context)
/// for section in customers {
///   print(section.id ?? "without a city")
///   for customer in section { print("  ", customer.lastName ?? "") }
/// }
/// ```
///
/// In all other respects, the collection works like `FetchedResults`. Finding a section is O(log n).
public struct SectionedFetchedResults<
  SectionIdentifier: Hashable, Result: NSFetchRequestResult
>: RandomAccessCollection {
  let model: ResultsModel<Result>

  init(_ model: ResultsModel<Result>) { self.model = model }

  /// Makes a collection of the results of a request.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request, which is copied.
  ///   - sectionIdentifier: The property, or key path, whose values group the rows into sections. The first sort
  ///     descriptor must group the rows in the same way.
  ///   - context: The context of the rows; nil for `NSManagedObjectContext.current` or, without a current context, for
  ///     the context in whose `perform` the rows are first read. Read the rows inside the context's `perform`.
  public init(
    _ fetchRequest: NSFetchRequest<Result>,
    sectionIdentifier: KeyPath<Result, SectionIdentifier>, context: NSManagedObjectContext? = nil
  ) {
    self.init(ResultsModel(fetchRequest, section: sectionIdentifier, context: context))
  }

  /// The rows with one value of the section identifier. The rows are read when they are accessed.
  public struct Section: RandomAccessCollection, Identifiable {
    /// The value that the rows share.
    public let id: SectionIdentifier
    let model: ResultsModel<Result>
    let index: Int

    /// The rows; the section itself is the same collection.
    public var elements: [Result] { Array(self) }
    /// The position of the first row, which is 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { model.current?.rowCount(ofSection: index) ?? 0 }
    /// The object in a row. Stops the program if the row does not exist.
    public subscript(position: Int) -> Result {
      SectionedFetchedResults.object(IndexPath(row: position, section: index), of: model)
    }
  }

  // MARK: Sections

  /// The position of the first section, which is 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { model.current?.sectionCount ?? 0 }
  /// A section. Stops the program if the section does not exist.
  public subscript(position: Int) -> Section {
    let first = Self.object(IndexPath(row: 0, section: position), of: model)
    // If a new section identifier is invalid, the sections are still those of the previous one.
    let shown = model.shownSection as? KeyPath<Result, SectionIdentifier> ?? sectionIdentifier
    return Section(id: first[keyPath: shown], model: model, index: position)
  }

  private static func object(_ path: IndexPath, of model: ResultsModel<Result>) -> Result {
    guard let controller = model.current else {
      stopProgram("no object at section \(path.section): nothing was fetched")
    }
    return controller.object(at: path)
  }

  // MARK: The request

  /// The property that groups the rows into sections. Setting it fetches again. The first sort descriptor must group
  /// the rows in the same way: set that first.
  public var sectionIdentifier: KeyPath<Result, SectionIdentifier> {
    get {
      guard let keyPath = model.section as? KeyPath<Result, SectionIdentifier> else {
        stopProgram("fetched results without a section identifier")
      }
      return keyPath
    }
    nonmutating set { model.section = newValue }
  }

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

/// SwiftUI's name for the type.
public typealias SectionedFetchResults = SectionedFetchedResults
