/// The properties of a fetch request, independent of the type of its results.
struct FetchRequestState {
  /// The entity's name. A request that was created with a name has no entity until it is executed.
  var entityName: String?
  var entity: NSEntityDescription?
  var affectedStores: [NSPersistentStore]?
  var predicate: NSPredicate?
  var sortDescriptors: [NSSortDescriptor]?
  var fetchLimit = 0
  var fetchOffset = 0
  var fetchBatchSize = 0
  var resultType: NSFetchRequestResultType = .managedObjectResultType
  var includesSubentities = true
  var includesPropertyValues = true
  var includesPendingChanges = true
  var returnsObjectsAsFaults = true
  var relationshipKeyPathsForPrefetching: [String]?
  var propertiesToFetch: [Any]?
  var returnsDistinctResults = false
  var propertiesToGroupBy: [Any]?
  var havingPredicate: NSPredicate?
  var shouldRefreshRefetchedObjects = false
}

/// The state of a request, shared with requests of other result types that were created by casting it.
final class SharedRequestState {
  var value: FetchRequestState

  init(_ value: FetchRequestState) { self.value = value }
}
