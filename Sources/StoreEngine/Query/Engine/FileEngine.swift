/// An engine whose stores are files, and operations on such a file while the store is not open.
///
/// All errors identify the file. An operation that throws leaves the file unchanged.
package protocol FileEngine: MigratingEngine {
  var url: URL { get }

  /// Opens a store, creating it if the file does not exist.
  ///
  /// - Parameter origin: If this store replaces another store: the origin of the IDs of that store's objects. Nil for a
  ///   store with its own objects.
  static func open(
    _ url: URL, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin?
  ) throws -> Self
  /// Returns whether there is a store at a URL.
  static func exists(_ url: URL) -> Bool
  /// Returns storage in memory for the rows of another store. Unlike a file, it keeps all digits of decimals.
  static func makeRowStorage(
    model: ModelLayout, configuration: String?, origin: StoreOrigin
  ) throws -> any RowStorage
  /// Returns the result of a dictionary request whose entity is in several stores of any types.
  static func dictionaries(
    _ plan: DictionaryQuery, gatheredFrom stores: [any GatheredRowSource]
  ) throws -> [[String: Any]]
  /// Returns the number of dictionaries that `dictionaries(_:gatheredFrom:)` would return.
  static func count(_ plan: DictionaryQuery, gatheredFrom stores: [any GatheredRowSource]) throws
    -> Int
  /// Returns the first bytes of a file, or all if it is shorter. Does not release the locks of an open store.
  static func bytes(of url: URL, limit: Int) throws -> Data
  /// Returns a value that identifies the content of a file; nil if the content cannot be identified reliably.
  static func contentState(of url: URL) -> [UInt8]?

  /// Returns the metadata of a store.
  static func metadata(of url: URL) throws -> [String: Any]
  /// Returns the readable part of a store's metadata, and the error that prevents reading the rest.
  static func partialMetadata(of url: URL) throws -> (metadata: [String: Any], error: NSError?)
  /// Returns the metadata, and the copy of the model if it is readable. Opens the file only once.
  static func description(
    of url: URL
  ) throws -> (metadata: [String: Any], model: NSManagedObjectModel?)
  static func setMetadata(_ metadata: [String: Any], of url: URL, _ options: StoreOptions) throws
  /// Returns the store's copy of its model; nil if it has none.
  static func cachedModel(of url: URL) throws -> NSManagedObjectModel?
  /// Returns a model that is inferred from the store's tables.
  static func inferredModel(of url: URL) throws -> NSManagedObjectModel
  static func hasHistory(_ url: URL) throws -> Bool
  /// Returns the names of the value files that rows refer to and that do not exist, in byte order.
  static func missingFiles(of url: URL) throws -> [String]
  /// Verifies a whole store, and repairs it if requested.
  static func verify(
    _ url: URL, _ model: NSManagedObjectModel?, repairing: Bool, _ cancellation: Cancellation?
  ) throws -> StoreVerification

  /// Migrates a store to another model.
  static func migrate(
    _ url: URL, _ sources: MigrationSources, configuration: String?, _ options: StoreOptions,
    _ settings: MigrationSettings) throws
  /// Replaces a store with the content of another one, completely or not at all. The destination need not exist.
  ///
  /// - Parameter unchanged: The state that `unchangedFile(_:_:)` recorded; throws if the destination has changed since.
  ///   Nil if such a change does not matter.
  static func replace(
    _ destination: URL, _ destinationOptions: StoreOptions, with source: URL,
    _ sourceOptions: StoreOptions, if unchanged: (any UnchangedFile)?, _ cancellation: Cancellation?
  ) throws
  /// Records the state of a file that is going to be replaced.
  static func unchangedFile(_ url: URL, _ options: StoreOptions) throws -> any UnchangedFile
  /// Empties a store, and removes its value files.
  static func destroy(_ url: URL, _ options: StoreOptions) throws
  /// Runs `body`, which creates a store at an unused location. If it fails, removes the files that it created.
  static func withNewFiles<Result>(at url: URL, _ body: () throws -> Result) throws -> Result
  /// Removes the value files of a store, whose own file need not exist. If the store's file is a link, the value files
  /// of the store that the link leads to are kept.
  static func removeValueFiles(of url: URL) throws

  /// Returns the metadata in the file, which other processes may have changed, with the program's unsaved changes.
  func currentMetadata() throws -> [String: Any]
  /// Returns the statement of a read with all values in it; nil if its result may change while the store does not, for
  /// example because the statement calls `random()`.
  func lastingStatement(of read: ReadOperation) throws -> String?
  /// Copies the store to a new location, with a new UUID and without the history, and runs `body` before this engine
  /// saves to the original again.
  func copy<Result>(
    to url: URL, _ options: StoreOptions, _ cancellation: Cancellation?, _ body: () throws -> Result
  ) throws -> Result
}
