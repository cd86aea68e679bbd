extension NSMappingModel {
  /// Finds the mapping model in bundles that leads from one model to another.
  ///
  /// That is one whose source and destination entities have the version hashes of the models'
  /// entities. Of several the first by name is taken, compiled ones before others.
  ///
  /// - Parameters:
  ///   - bundles: where to look; nil for the main bundle. The bundles of a package's targets belong to
  ///     the main bundle.
  /// - Returns: nil where there is none. One that may be it and cannot be read is reported in the log;
  ///   opening a store with automatic migration throws for it.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel else { return nil }
    do {
      let found = try MappingFinder(source: sourceModel, destination: destinationModel)
        .mappingModel(in: bundles ?? [.main])
      guard let found else { return nil }
      self.init(mappings: found.entityMappings)
    } catch {
      Log.modelNotice(error.localizedDescription)
      return nil
    }
  }

  /// The mapping model that follows from the differences of two models, for changes that Apple calls
  /// lightweight: entities and properties are paired by renaming identifiers and names.
  ///
  /// The entities' mappings are named `IEM_Add_…`, `IEM_Remove_…`, `IEM_Copy_…` and `IEM_Transform_…`,
  /// and have under `mappedProperties`, `addedProperties` and `removedProperties` of their user info sets
  /// of names.
  ///
  /// - Throws: `NSInferredMappingModelError` for changes of which nothing says what becomes of the data; the
  ///   description names each with its reason.
  public class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    NSMappingModel(
      mappings: try InferredMapping(from: sourceModel, to: destinationModel).mappings())
  }
}
