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
      "Helper: for each path, the other process saves a player and closes the store",
      .enabled(if: OtherProcess.argument(FileLocksTests.variable) != nil))
    func otherProcess() throws {
      try CommandedProcess.replyToCommands { path in
        let stack = try SampleStack(url: URL(fileURLWithPath: path))
        let count = try stack.context.performAndWait {
          stack.context.insert("Player", ["name": "there"])
          try stack.context.save()
          return try stack.context.all("Player").count
        }
        for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
        return "\(count)"
      }
    }

    @Test("No save is lost, whatever accesses an open store's file")
    func accesses() throws {
      let process = try CommandedProcess(
        "FileLocksTests/otherProcess", setting: Self.variable, to: "paths")
      for access in Access.allCases { try expectNoLoss(access, process) }
      try process.end()
    }

    private func expectNoLoss(_ access: Access, _ process: CommandedProcess) throws {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      let stack = try SampleStack(url: url)
      func save() throws {
        try stack.context.performAndWait {
          stack.context.insert("Player", ["name": "here"])
          try stack.context.save()
        }
      }
      try save()
      try access.run(url, stack.model)
      #expect(process.send(url.path) == "2", "\(access)")
      try save()
      // Two players saved here, one saved there, and one more by this run.
      #expect(process.send(url.path) == "4", "\(access)")
    }
  }
#endif
