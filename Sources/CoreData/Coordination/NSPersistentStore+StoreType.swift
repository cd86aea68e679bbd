extension NSPersistentStore {
  /// A type of store, as the coordinator's functions of newer spelling take it.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The type's name, such as `NSSQLiteStoreType`.
    public let rawValue: String

    /// Makes a type of a name, such as one that the program registered a store class for.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// An XML file.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
    /// A binary property list.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// Memory.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
  }
}
