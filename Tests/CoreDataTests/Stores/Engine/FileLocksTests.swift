import CoreData
import Testing

#if os(Linux)
  /// The locks that SQLite holds on a store's file belong to the whole process, and end when it
  /// closes any descriptor of the file (fcntl(2), "Record locking and file descriptors"; "How To
  /// Corrupt An SQLite Database File", section 2.2). Another process that closes its connection
  /// then regards itself as the last one and removes the write-ahead log, to which this process
  /// continues to write: its saves are lost.
  @Suite("Locks on a store's file")
  struct FileLocksTests {
    private static let variable = "OPENCOREDATA_LOCKS_STORE"

    /// An operation that accesses a store's file while it is open.
    enum Access: CaseIterable {
      case metadata, otherCoordinator, cachedModel, inferredModel, asXML, asBinary, replacement

      func run(_ url: URL, _ model: NSManagedObjectModel) throws {
        switch self {
        case .metadata:
          _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url)
        case .otherCoordinator:
          _ = try SampleStack(url: url, model: model)
        case .cachedModel: _ = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url)
        case .inferredModel: _ = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
        case .asXML, .asBinary:
          let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
          let type = self == .asXML ? NSXMLStoreType : NSBinaryStoreType
          let error = #expect(throws: NSError.self) {
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
          }
          #expect(error?.code == NSPersistentStoreTypeMismatchError)
        case .replacement:
          let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
          try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
            at: copy, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
        }
      }
    }

    @Test(
      "Helper: the other process saves a player and closes the store",
      .enabled(if: OtherProcess.argument(FileLocksTests.variable) != nil))
    func otherProcess() throws {
      let url = URL(fileURLWithPath: try #require(OtherProcess.argument(Self.variable)))
      let stack = try SampleStack(url: url)
      let count = try stack.context.performAndWait {
        stack.context.insert("Player", ["name": "there"])
        try stack.context.save()
        return try stack.context.all("Player").count
      }
      try Data("\(count)".utf8).write(to: url.appendingPathExtension("count"))
    }

    @Test("No save is lost, whatever accesses an open store's file", arguments: Access.allCases)
    func accesses(_ access: Access) throws {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      let stack = try SampleStack(url: url)
      func save() throws {
        try stack.context.performAndWait {
          stack.context.insert("Player", ["name": "here"])
          try stack.context.save()
        }
      }
      func other() throws -> String {
        try OtherProcess.run("FileLocksTests/otherProcess", setting: Self.variable, to: url.path)
        return try String(contentsOf: url.appendingPathExtension("count"), encoding: .utf8)
      }
      try save()
      try access.run(url, stack.model)
      #expect(try other() == "2")
      try save()
      // Two players saved here, one saved there, and one more by this run.
      #expect(try other() == "4")
    }
  }
#endif
