/// The source that a context reads and saves to: a coordinator's stores, or a parent's objects.
///
/// All methods are called on the queue of the requester, the context that needs the objects; a
/// parent runs its part on its own queue.
///
/// A child sees its parent's unsaved changes. The child's queue waits while its parent runs, so the
/// parent may use the objects of both. An unsaved object has the same temporary ID in all contexts up
/// to the root.
protocol ObjectSource: AnyObject {
  /// The layouts of the model; nil if there is none.
  var sourceLayouts: ModelLayout? { get }
  /// The coordinator at the root.
  var rootCoordinator: NSPersistentStoreCoordinator? { get }

  /// Returns whether the rows of these stores arrive as one list in the plan's order.
  func returnsSingleOrder(of stores: [NSPersistentStore]) -> Bool
  /// Returns the objects of a plan's rows, made in `requester`.
  func readObjects(
    _ plan: FetchPlan, from stores: [NSPersistentStore], batchSize: Int,
    into requester: NSManagedObjectContext
  ) throws -> [NSManagedObject]
  /// Calls `body` with the key, entity, version and some values of each row of a plan.
  func readKeys(
    _ plan: FetchPlan, values: [BoundExpression], from stores: [NSPersistentStore],
    for requester: NSManagedObjectContext, _ body: (RowCursor) throws -> Void) throws
  /// Returns the number of rows of a plan.
  func countRows(
    _ plan: FetchPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int
  /// Returns the dictionaries of a plan, from the stored values.
  func readDictionaries(
    _ plan: DictionaryPlan, from stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> [[String: Any]]
  /// Returns the number of dictionaries of a plan, from the stored values.
  func countDictionaries(
    _ plan: DictionaryPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int
  /// Reads the rows of objects of `requester`. An object whose row is gone gets no row.
  func readRows(of objects: [NSManagedObject], in requester: NSManagedObjectContext) throws
  /// Returns the members of a to-many relationship for each of some objects of `requester`, in
  /// order if the relationship is ordered.
  func readMembers(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [RowKeyRuns]
  /// Returns the rows of the members of a to-many relationship for each of some objects of `requester`,
  /// in order if the relationship is ordered; nil if it is better to read members and rows separately.
  func readMemberRows(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [MemberRows]?
  /// Returns whether an ID can refer to a row of this source. Does not check in a store whether the row exists.
  func mayHaveRow(of id: NSManagedObjectID, for requester: NSManagedObjectContext) -> Bool

  /// Assigns permanent IDs to unsaved objects of `requester`, in all contexts from it up to the
  /// stores, and in all descendants of those contexts.
  ///
  /// - Returns: The assignments, if a coordinator made them. Empty for a parent, whose children adopt
  ///   the assignments as they adopt those of a save.
  func assignPermanentIDs(
    to objects: [NSManagedObject], for requester: NSManagedObjectContext
  ) throws -> [PermanentIDAssignment]
  /// Throws an error if nothing can be saved to this source.
  func requireSavable() throws
  /// Saves a context's changes.
  ///
  /// - Parameter saved: Receives the saved objects, even if a later part fails.
  func save(_ context: NSManagedObjectContext, _ saved: inout SavedObjects) throws
  /// Notifies the other contexts that read from this source.
  func didSave(_ saved: SavedObjects, by context: NSManagedObjectContext)
}

extension ObjectSource {
  func readMemberRows(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [MemberRows]? { nil }
}
