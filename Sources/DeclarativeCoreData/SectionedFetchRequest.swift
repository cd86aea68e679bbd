public import CoreData

/// A property that is the live results of a request, cut into sections.
///
/// ```swift
/// @SectionedFetchRequest(sectionIdentifier: \.city, sortDescriptors: [SortDescriptor(\.city)])
/// var customers: SectionedFetchedResults<String?, Customer>
/// ```
///
/// As `FetchRequest` otherwise.
@propertyWrapper
public struct SectionedFetchRequest<SectionIdentifier: Hashable, Result: NSFetchRequestResult> {
  let model: ResultsModel<Result>

  /// The present sections and rows.
  public var wrappedValue: SectionedFetchedResults<SectionIdentifier, Result> {
    SectionedFetchedResults(model)
  }
  /// The results again, whose section identifier, predicate and order can be set.
  public var projectedValue: SectionedFetchedResults<SectionIdentifier, Result> { wrappedValue }

  /// The results of a request; it is copied.
  public init(
    fetchRequest: NSFetchRequest<Result>,
    sectionIdentifier: KeyPath<Result, SectionIdentifier>, context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(fetchRequest, section: sectionIdentifier, context: context)
  }

  /// The objects of an entity.
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
  /// The objects of a class, whose entity is that of the context's model.
  @_disfavoredOverload
  public init(
    sectionIdentifier: KeyPath<Result, SectionIdentifier>, sortDescriptors: [NSSortDescriptor],
    predicate: NSPredicate? = nil, context: NSManagedObjectContext? = nil
  ) {
    model = ResultsModel(
      NSFetchRequest(entity: nil, sortDescriptors, predicate), section: sectionIdentifier,
      context: context)
  }

  /// The objects of a class, whose entity is that of the context's model, in an order by Swift's sort
  /// descriptors.
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
