/// What a look at all of a store found: see `NSPersistentStoreCoordinator.verifyPersistentStore`.
///
/// Compared to Apple's Core Data: new.
public struct StoreVerification: Sendable {
  /// What was found, by kind, entity and property; empty for a store that is whole.
  public let findings: [StoreFinding]
  /// The copy that was made before anything was repaired; nil where nothing was.
  public let backup: URL?

  package init(findings: [StoreFinding], backup: URL?) {
    self.findings = findings
    self.backup = backup
  }

  /// Whether nothing is wrong, or no longer: what was not repaired is no fault of the store.
  public var isWhole: Bool { findings.allSatisfy { $0.isRepaired || !$0.kind.isFault } }
}

/// One thing that a store should not be like, and how often it is.
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public enum Kind: String, Sendable, CaseIterable {
    /// SQLite cannot read all of the file, or the parts of it do not agree.
    case damage
    /// A row has a key (`Z_PK`) below 1, which no program gives: reading it is an error.
    case rowKey
    /// A row is of no entity that its table can have.
    case entityNumber
    /// The store has another parent of an entity (`Z_PRIMARYKEY.Z_SUPER`) than the model.
    case parentEntity
    /// A relationship leads to a row that is not there.
    case danglingReference
    /// The column beside a relationship names another entity than the row has to which it leads.
    case entityColumn
    /// Two sides of a relationship do not agree.
    case inverse
    /// A pair of a many-to-many relationship leads to a row that is not there.
    case danglingPair
    /// The members of an ordered relationship have no place, or share one.
    case order
    /// New rows would get the keys of rows that are there, or there is no key for them.
    case keyCounter
    /// Rows share values that are to be unique.
    case uniqueness
    /// A value that the model requires is missing.
    case missingValue
    /// A value is not of its attribute's type, or outside the type's range.
    case invalidValue
    /// A derived attribute has another value than the one that it is derived from.
    case derivedValue
    /// The R-tree of a fetch index does not have the rows where they are.
    case index
    /// The file of an externally kept value is not there.
    case missingFile
    /// The file of an externally kept value cannot be read: it is larger than a value may be, or its permissions forbid
    /// it.
    case unreadableFile
    /// A file beside the store is of no use to it.
    case unusedFile
    /// A file beside the store is named by no row, and less than a day old. This is no fault: a save of another
    /// process writes a file before the row that names it.
    case recentFile
    /// The folder of externally kept values is a link or no folder, so none of its files is used.
    case externalFolder
    /// The folder of externally kept values has links, folders or files of other programs in it. This is
    /// no fault; they are left alone.
    case foreignFile
    /// The history names what is not there, or a table of it is gone.
    case history
    /// The store's metadata cannot be read, or has no version hashes, so that the store can be read only.
    case metadata
    /// A table or a column that the model needs is not there, so that the store can be read only.
    case schema
    /// The store's copy of its model cannot be read.
    case model
    /// The file has triggers, views or virtual tables that Core Data does not make. This is no
    /// fault; it says what runs when the store is written.
    case foreignCode

    /// Whether something is wrong with the store.
    public var isFault: Bool {
      switch self {
      case .foreignCode, .foreignFile, .recentFile: false
      default: true
      }
    }
  }

  /// What is wrong.
  public let kind: Kind
  /// The entity, where it is about one.
  public let entity: String?
  /// The property, where it is about one.
  public let property: String?
  /// How many rows, pairs or files it is about.
  public let count: Int
  /// What is wrong, in words, with a few of the keys.
  public package(set) var message: String
  /// Whether there is only one way to put it right, which loses nothing. Nothing can be put right in a store that
  /// can only be read.
  public package(set) var isRepairable: Bool
  /// Whether it was put right.
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

  /// Where it is wrong, and what.
  public var description: String {
    let place = [entity, property].compactMap { $0 }.joined(separator: ".")
    return place.isEmpty ? message : "\(place): \(message)"
  }
}
