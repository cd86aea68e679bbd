extension NSMappingModel {
  /// Finds the mapping model from one model to another in bundles.
  ///
  /// The mapping model is the one whose source and destination entities have the version hashes of the models'
  /// entities. If several match, one with mappings for all entities precedes one that lacks some. Then the order of the
  /// bundles decides; in a bundle, compiled mapping models precede others, and both are sorted by name.
  ///
  /// - Parameters:
  ///   - bundles: The bundles to search; nil for the main bundle and the bundles of the package's targets.
  ///   - sourceModel: The model of the stores to migrate.
  ///   - destinationModel: The model of the migrated stores.
  /// - Returns: Nil if a model is nil or if no such mapping model can be read. If an unreadable one may be the matching
  ///   one, its error is logged; opening a store with automatic migration throws that error.
  ///
  /// ```swift
  /// let version2 = model.copy() as? NSManagedObjectModel ?? model
  /// let mapping = NSMappingModel(
  ///   from: [.main], forSourceModel: model, destinationModel: version2)
  /// print(mapping?.entityMappings.count ?? 0)
  /// ```
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
      // Apple's initializer cannot throw.
      Log.modelNotice(error.localizedDescription)
      return nil
    }
  }

  /// Returns the mapping model that is inferred from the differences between two models, for changes that Apple
  /// calls lightweight. Entities and properties are paired by renaming identifiers and names.
  ///
  /// The entity mappings are named `IEM_Add_…`, `IEM_Remove_…`, `IEM_Copy_…` and `IEM_Transform_…`. Their user info
  /// contains sets of property names for the keys `mappedProperties`, `addedProperties` and `removedProperties`.
  ///
  /// - Throws: `NSInferredMappingModelError` if the new data cannot be inferred from some of the changes. The
  ///   description lists each of these changes with the reason.
  public class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    NSMappingModel(
      mappings: try InferredMapping(from: sourceModel, to: destinationModel).mappings())
  }
}
