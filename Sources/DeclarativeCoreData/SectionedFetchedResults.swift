public import CoreData

/// The live results of a request as a collection of sections, for code that observes what it reads.
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
/// As `FetchedResults` otherwise. Finding a section is O(log n).
public struct SectionedFetchedResults<
  SectionIdentifier: Hashable, Result: NSFetchRequestResult
>: RandomAccessCollection {
  let model: ResultsModel<Result>

  init(_ model: ResultsModel<Result>) { self.model = model }

  /// The results of a request; it is copied.
  ///
  /// - Parameters:
  ///   - sectionIdentifier: the property, or path of properties, whose values cut the rows into sections.
  ///     The first sort descriptor must group the rows as it does.
  ///   - context: nil for `NSManagedObjectContext.current`, or the context in whose `perform` the rows are
  ///     read.
  public init(
    _ fetchRequest: NSFetchRequest<Result>,
    sectionIdentifier: KeyPath<Result, SectionIdentifier>, context: NSManagedObjectContext? = nil
  ) {
    self.init(ResultsModel(fetchRequest, section: sectionIdentifier, context: context))
  }

  /// The rows of one value of the section identifier: those that are there when they are asked for.
  public struct Section: RandomAccessCollection, Identifiable {
    /// The value that the rows have.
    public let id: SectionIdentifier
    let model: ResultsModel<Result>
    let index: Int

    /// The rows; the section itself is the same collection.
    public var elements: [Result] { Array(self) }
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { model.current?.rowCount(ofSection: index) ?? 0 }
    /// The object of a row. One that does not exist stops the program.
    public subscript(position: Int) -> Result {
      SectionedFetchedResults.object(IndexPath(row: position, section: index), of: model)
    }
  }

  // MARK: Sections

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { model.current?.sectionCount ?? 0 }
  /// A section. One that does not exist stops the program.
  public subscript(position: Int) -> Section {
    let first = Self.object(IndexPath(row: 0, section: position), of: model)
    // Where a new section identifier has a mistake, the sections are those of the one before.
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

  /// The property that cuts the rows into sections; setting it fetches anew. The first sort descriptor
  /// must group the rows as it does: set that first.
  public var sectionIdentifier: KeyPath<Result, SectionIdentifier> {
    get {
      guard let keyPath = model.section as? KeyPath<Result, SectionIdentifier> else {
        stopProgram("fetched results without a section identifier")
      }
      return keyPath
    }
    nonmutating set { model.section = newValue }
  }

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

/// The name that SwiftUI has for it.
public typealias SectionedFetchResults = SectionedFetchedResults
