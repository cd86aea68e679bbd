/// Where a context's objects come from and are saved to: a coordinator's stores, or a parent
/// context, which answers from its own objects.
///
/// Everything is called on the queue of the requester, the context that needs the objects; a parent goes to its own
/// queue for the answer.
///
/// So a child sees what its parent has not saved. The child waits while its parent answers, so objects of both may be
/// used meanwhile. An unsaved object has the same temporary ID in all contexts up to the root.
protocol ObjectSource: AnyObject {
  /// The layouts of the model; nil while there is none.
  var sourceLayouts: ModelLayout? { get }
  /// The coordinator at the root.
  var rootCoordinator: NSPersistentStoreCoordinator? { get }

  /// Whether the rows of these stores come as one list in the plan's order.
  func returnsSingleOrder(of stores: [NSPersistentStore]) -> Bool
  /// The objects of a plan's rows, made in `requester`.
  func readObjects(
    _ plan: FetchPlan, from stores: [NSPersistentStore], batchSize: Int,
    into requester: NSManagedObjectContext
  ) throws -> [NSManagedObject]
  /// Gives the key, entity and version of each row of a plan, with a few of its values.
  func readKeys(
    _ plan: FetchPlan, values: [BoundExpression], from stores: [NSPersistentStore],
    for requester: NSManagedObjectContext, _ body: (RowCursor) throws -> Void) throws
  /// How many rows a plan gives.
  func countRows(
    _ plan: FetchPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int
  /// The dictionaries of a plan, as the stores have them.
  func readDictionaries(
    _ plan: DictionaryPlan, from stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> [[String: Any]]
  /// Returns how many dictionaries a plan has, as the stores have them.
  func countDictionaries(
    _ plan: DictionaryPlan, in stores: [NSPersistentStore], for requester: NSManagedObjectContext
  ) throws -> Int
  /// Puts their rows under objects of `requester`; those whose rows are gone stay without.
  func readRows(of objects: [NSManagedObject], in requester: NSManagedObjectContext) throws
  /// The members of a to-many relationship of each of some objects of `requester`, in order where it
  /// is ordered.
  func readMembers(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [RowKeyRuns]
  /// The rows of the members of a to-many relationship of each of some objects of `requester`, in order where
  /// it is ordered; nil where rows and members are better read one after the other.
  func readMemberRows(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [MemberRows]?
  /// Whether an ID can name a row here; a store is not asked whether it is there.
  func mayHaveRow(of id: NSManagedObjectID, for requester: NSManagedObjectContext) -> Bool

  /// Gives unsaved objects of `requester` permanent IDs, in the contexts on the whole way to the stores and in all
  /// below them.
  ///
  /// - Returns: the permanent IDs, from a coordinator; a parent's children adopt them as they adopt those of a save.
  func assignPermanentIDs(
    to objects: [NSManagedObject], for requester: NSManagedObjectContext
  ) throws -> [PermanentIDAssignment]
  /// Throws when nothing at all can be saved here.
  func requireSavable() throws
  /// Takes a context's changes.
  ///
  /// - Parameter saved: what was taken, also when a later part fails.
  func save(_ context: NSManagedObjectContext, _ saved: inout SavedObjects) throws
  /// Tells the other contexts that read from here.
  func didSave(_ saved: SavedObjects, by context: NSManagedObjectContext)
}

extension ObjectSource {
  func readMemberRows(
    of slot: Int, owners: [NSManagedObject], in requester: NSManagedObjectContext
  ) throws -> [MemberRows]? { nil }
}
