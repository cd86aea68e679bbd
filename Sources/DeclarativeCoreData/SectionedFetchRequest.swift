public import CoreData

/// A property wrapper that provides the live results of a request, grouped into sections.
///
/// ```swift
/// @SectionedFetchRequest(sectionIdentifier: \.city, sortDescriptors: [SortDescriptor(\.city)])
/// var customers: SectionedFetchedResults<String?, Customer>
/// ```
///
/// In all other respects, it behaves like `FetchRequest`.
@propertyWrapper
public struct SectionedFetchRequest<SectionIdentifier: Hashable, Result: NSFetchRequestResult> {
  let model: ResultsModel<Result>

  /// The current sections and rows.
  public var wrappedValue: SectionedFetchedResults<SectionIdentifier, Result> {
    SectionedFetchedResults(model)
  }
  /// The same results, whose section identifier, predicate and sort order can be set.
  public var projectedValue: SectionedFetchedResults<SectionIdentifier, Result> { wrappedValue }

  /// Makes a property for the results of a request. The request is copied.
  public init(
    fetchRequest: NSFetchRequest<Result>,
    sectionIdentifier: KeyPath<Result, SectionIdentifier>, context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(fetchRequest, section: sectionIdentifier, context: context)
  }

  /// Makes a property for the objects of an entity.
  public init(
    entity: NSEntityDescription, sectionIdentifier: KeyPath<Result, SectionIdentifier>,
    sortDescriptors: [NSSortDescriptor], predicate: NSPredicate? = nil,
    context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: entity, sortDescriptors, predicate), section: sectionIdentifier,
      context: context)
  }
}

extension SectionedFetchRequest where Result: NSManagedObject {
  /// Makes a property for the objects of a class, whose entity is looked up in the context's model.
  @_disfavoredOverload
  // An empty array literal would otherwise be ambiguous between this and the initializer below.
  public init(
    sectionIdentifier: KeyPath<Result, SectionIdentifier>, sortDescriptors: [NSSortDescriptor],
    predicate: NSPredicate? = nil, context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: nil, sortDescriptors, predicate), section: sectionIdentifier,
      context: context)
  }

  /// Makes a property for the objects of a class, whose entity is looked up in the context's model, sorted by Swift's
  /// sort descriptors.
  public init(
    sectionIdentifier: KeyPath<Result, SectionIdentifier>,
    sortDescriptors: [Predicates.SortDescriptor<Result>], predicate: NSPredicate? = nil,
    context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: nil, [], predicate), sortDescriptors, section: sectionIdentifier,
      context: context)
  }
}
