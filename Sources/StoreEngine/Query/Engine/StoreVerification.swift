/// The result of verifying a store; see `NSPersistentStoreCoordinator.verifyPersistentStore`.
///
/// Compared to Apple's Core Data: new.
///
/// ```swift
/// let verification = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true)
/// if !verification.isIntact { print(verification.findings.filter { !$0.isRepaired }) }
/// if let backup = verification.backup { print("the store before the repair: \(backup.path)") }
/// ```
public struct StoreVerification: Sendable {
  /// The findings by kind, entity and property; empty for an intact store.
  public let findings: [StoreFinding]
  /// The copy that was made before the repair; nil if no repair was requested, or nothing could be repaired.
  public let backup: URL?

  package init(findings: [StoreFinding], backup: URL?) {
    self.findings = findings
    self.backup = backup
  }

  /// Whether the store has no problems, or all were repaired.
  public var isIntact: Bool { findings.allSatisfy { $0.isRepaired || !$0.kind.isProblem } }

  /// The former name of ``isIntact``.
  @available(*, deprecated, renamed: "isIntact")
  public var isWhole: Bool { isIntact }
}

/// A problem or an unusual property of a store, and how often it occurs.
///
/// ```swift
/// for finding in try NSPersistentStoreCoordinator.verifyPersistentStore(at: url).findings {
///   print(finding.entity ?? "store", finding.kind.rawValue, finding.count)
///   if finding.isRepairable { print("can be repaired: \(finding.message)") }
/// }
/// ```
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
  /// The kinds of findings.
  public enum Kind: String, Sendable, CaseIterable {
    /// SQLite cannot read the whole file, or its parts contradict each other.
    case damage
    /// A row has a key (`Z_PK`) below 1, which no program assigns. Reading it is an error.
    case rowKey
    /// A row has an entity that cannot be in its table.
    case entityNumber
    /// The store has a different parent entity (`Z_PRIMARYKEY.Z_SUPER`) than the model, or does not record parents.
    case parentEntity
    /// A relationship refers to a missing row.
    case danglingReference
    /// The entity column of a relationship contains a different entity than that of the
    /// destination.
    case entityColumn
    /// The two sides of a relationship do not agree.
    case inverse
    /// A pair of a many-to-many relationship refers to a missing row.
    case danglingPair
    /// Members of an ordered relationship have no position, or the same one.
    case order
    /// New rows would get the keys of existing rows, or no key is left for new rows, or the record of the last key
    /// (`Z_PRIMARYKEY`) is missing.
    case keyCounter
    /// Several rows have the same values for a uniqueness constraint.
    case uniqueness
    /// A required value is missing.
    case missingValue
    /// A value has a different type than its attribute, or is outside the type's range. Without a property: the version
    /// of a row (`Z_OPT`) is not an integer of 32 bits, so that each save of the row fails with a conflict.
    case invalidValue
    /// A derived attribute differs from the value that it is derived from.
    case derivedValue
    /// The R-tree of a fetch index does not match the rows.
    case index
    /// The file of an externally stored value is missing.
    case missingFile
    /// The file of an externally stored value cannot be read: it is larger than a value can be, or its permissions
    /// forbid it.
    case unreadableFile
    /// The store does not use a file next to it.
    case unusedFile
    /// No row refers to a file next to the store, but the file is less than a day old. This is not a problem: a save
    /// of another process writes a file before the row that refers to it.
    case recentFile
    /// The folder of externally stored values is a link or not a folder, so its files are not used.
    case externalFolder
    /// The folder of externally stored values contains links, folders or files of other programs. This is not a
    /// problem; they are ignored.
    case foreignFile
    /// The history refers to missing data, or one of its tables or columns is missing.
    case history
    /// The metadata of the store is unreadable or lacks version hashes, so the store can only be
    /// read.
    case metadata
    /// A table or column that the model requires is missing, so the store can only be read.
    case schema
    /// The copy of the model in the store is unreadable, or its version hashes differ from those of the metadata.
    case model
    /// The file contains triggers, views, virtual tables, generated columns, constraints, computed default values or
    /// indexes of expressions that this library does not create for the store's model, whatever their names. This is
    /// not a problem; it shows what runs when the store is written or checked. Apple's Core Data creates some that are
    /// listed: in stores of Photos the triggers `ZT_…` and those of R-trees of locations.
    case foreignCode

    /// Whether the finding is a problem of the store.
    ///
    /// ```swift
    /// let verification = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    /// let problems = verification.findings.filter(\.kind.isProblem)
    /// ```
    public var isProblem: Bool {
      switch self {
      case .foreignCode, .foreignFile, .recentFile: false
      default: true
      }
    }

    /// The former name of ``isProblem``.
    @available(*, deprecated, renamed: "isProblem")
    public var isFault: Bool { isProblem }
  }

  /// The kind of the finding.
  public let kind: Kind
  /// The entity, if the finding is about one.
  public let entity: String?
  /// The property, if the finding is about one.
  public let property: String?
  /// The number of rows, pairs, files or other things that the finding is about.
  public let count: Int
  /// A description of the finding, with the keys of a few of its rows.
  public package(set) var message: String
  /// Whether the problem can be repaired in exactly one way, without loss of data. Nothing can be repaired in a store
  /// that can only be read, or whose copy of the model does not match its metadata.
  public package(set) var isRepairable: Bool
  /// Whether the problem was repaired.
  public package(set) var isRepaired = false

  package init(
    kind: Kind, entity: String?, property: String?, count: Int, message: String, isRepairable: Bool
  ) {
    self.kind = kind
    self.entity = entity
    self.property = property
    self.count = count
    self.message = message
    self.isRepairable = isRepairable
  }

  /// The location and the description.
  public var description: String {
    let place = [entity, property].compactMap { $0 }.joined(separator: ".")
    return place.isEmpty ? message : "\(place): \(message)"
  }
}
