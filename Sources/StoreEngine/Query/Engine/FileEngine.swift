/// An engine whose stores are files, and what can be done with such a file while the store is not open.
///
/// Whatever throws says in its error which file it is, and leaves the file as it was.
package protocol FileEngine: MigratingEngine {
  var url: URL { get }

  /// Opens a store, or makes it when there is no file yet.
  ///
  /// - Parameter origin: where the IDs of another store's objects come from, which this one takes over; nil for a
  ///   store with objects of its own.
  static func open(
    _ url: URL, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin?
  ) throws -> Self
  /// Whether there is something at a URL that could be opened.
  static func exists(_ url: URL) -> Bool
  /// Storage in memory for the rows of another store, whose decimals keep all digits.
  static func makeRowStorage(
    model: ModelLayout, configuration: String?, origin: StoreOrigin
  ) throws -> any RowStorage
  /// The dictionaries of a request whose entity is in several stores of any kinds, as one result.
  static func dictionaries(
    _ plan: DictionaryQuery, gatheredFrom stores: [any GatheredRowSource]
  ) throws -> [[String: Any]]
  /// How many these are.
  static func count(_ plan: DictionaryQuery, gatheredFrom stores: [any GatheredRowSource]) throws
    -> Int
  /// The first bytes of a file, fewer where it ends before: read so that the locks of a store that is open stay.
  static func bytes(of url: URL, limit: Int) throws -> Data
  /// What identifies the content of a file; nil where it cannot be told for sure.
  static func contentState(of url: URL) -> [UInt8]?

  /// What a store says of itself.
  static func metadata(of url: URL) throws -> [String: Any]
  /// The same as far as it can be read, and what is wrong with it.
  static func partialMetadata(of url: URL) throws -> (metadata: [String: Any], fault: NSError?)
  /// The metadata, and the model that the store carries where that can be read: with one opening of the file.
  static func description(
    of url: URL
  ) throws -> (metadata: [String: Any], model: NSManagedObjectModel?)
  static func setMetadata(_ metadata: [String: Any], of url: URL, _ options: StoreOptions) throws
  /// The copy of its model that a store carries; nil for one that carries none.
  static func cachedModel(of url: URL) throws -> NSManagedObjectModel?
  /// A model made from the store's tables.
  static func inferredModel(of url: URL) throws -> NSManagedObjectModel
  static func hasHistory(_ url: URL) throws -> Bool
  /// The names of the files that rows name for their values and that are not beside the store, in byte order.
  static func missingFiles(of url: URL) throws -> [String]
  /// Looks at all of a store, and repairs it where that is asked for.
  static func verify(
    _ url: URL, _ model: NSManagedObjectModel?, repairing: Bool, _ cancellation: Cancellation?
  ) throws -> StoreVerification

  /// Makes a store of one model a store of another.
  static func migrate(
    _ url: URL, _ sources: MigrationSources, configuration: String?, _ options: StoreOptions,
    _ settings: MigrationSettings) throws
  /// Puts a store's content in the place of another's, or where there is none: all or nothing.
  ///
  /// - Parameter unchanged: the destination, where it must not have changed since.
  static func replace(
    _ destination: URL, _ destinationOptions: StoreOptions, with source: URL,
    _ sourceOptions: StoreOptions, if unchanged: (any UnchangedFile)?, _ cancellation: Cancellation?
  ) throws
  /// Notes how a file is now that is going to be replaced.
  static func unchangedFile(_ url: URL, _ options: StoreOptions) throws -> any UnchangedFile
  /// Empties a store, and removes the files of its values.
  static func destroy(_ url: URL, _ options: StoreOptions) throws
  /// Runs `body`, which makes a store at a place where none is; removes what it made there when it fails.
  static func withNewFiles<Result>(at url: URL, _ body: () throws -> Result) throws -> Result
  /// Removes the files of values beside a store's file, which may be gone.
  static func removeValueFiles(of url: URL) throws

  /// The statement of a read with all values in it; nil for one that gives other rows at another time.
  func lastingStatement(of read: ReadOperation) throws -> String?
  /// Copies the store to a new place, with a UUID of its own and without the history, and runs `body` before anybody
  /// saves to it again.
  func copy<Result>(
    to url: URL, _ options: StoreOptions, _ cancellation: Cancellation?, _ body: () throws -> Result
  ) throws -> Result
}
