extension NSPersistentStore {
  /// The type of a store, as a parameter of the coordinator's newer methods.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The name of the type, such as `NSSQLiteStoreType`.
    public let rawValue: String

    /// Creates a type from its name, such as one for which the program registered a store class.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// An XML file.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
    /// A binary property list.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// Memory, without a file.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
  }
}
