import CoreData
import Floor
import Foundation
import GRDB

/// Measures opening a store of fifty entities, and the first fetch from it. Measures elapsed time, because a file that
/// is not in the system's page cache has to be read from the disk.
enum OpeningBenchmark {
  static var comparisons: [Comparison] {
    [
      opening("open a store with 50 entities, cold", isCold: true),
      opening("open a store with 50 entities, warm", isCold: false),
      firstFetch,
    ]
  }

  private static func opening(_ name: String, isCold: Bool) -> Comparison {
    Comparison(
      name: name, floor: "C, open and read schema, metadata and primary keys", peers: ["GRDB"],
      clock: .wall
    ) { contest in
      let original = try Original()
      func onCopy(_ open: @escaping (URL, Lap) throws -> Void) -> Contest.Body {
        { lap in
          let url = try original.copy()
          if isCold { _ = floor_forget(url.path) }
          try open(url, lap)
          return 0
        }
      }
      contest.floor(
        onCopy { url, lap in
          try lap.measured {
            let database = try FloorDatabase(url)
            for table in ["sqlite_schema", "Z_METADATA", "Z_PRIMARYKEY"] {
              try database.check(floor_run(database.handle, "SELECT * FROM \(table)"))
            }
          }
        })
      contest.ours(
        onCopy { url, lap in
          let model = Original.model()
          let store = try lap.measured { try Original.open(url, model) }
          try store.close()
        })
      contest.peer(
        "GRDB",
        onCopy { url, lap in
          try lap.measured {
            let queue = try DatabaseQueue(path: url.path)
            try queue.read { database in
              for table in ["sqlite_schema", "Z_METADATA", "Z_PRIMARYKEY"] {
                _ = try Row.fetchAll(database, sql: "SELECT * FROM \(table)")
              }
            }
          }
        })
    }
  }

  private static var firstFetch: Comparison {
    Comparison(
      name: "first fetch after opening, 100 objects", floor: "C", peers: ["GRDB"],
      clock: .wall
    ) { contest in
      let original = try Original()
      let sql = "SELECT Z_PK, \((0..<10).map { "ZA\($0)" }.joined(separator: ", ")) FROM ZENTITY10"
      contest.floor { lap in
        let database = try FloorDatabase(original.copy())
        return lap.measured {
          var sum: Int64 = 0
          return Int(floor_read_integers(database.handle, sql, 11, &sum))
        }
      }
      contest.ours { lap in
        let store = try Original.open(original.copy(), Original.model())
        let count = try lap.measured {
          let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
          context.persistentStoreCoordinator = store.coordinator
          return try context.performAndWait {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entity10"))
              .count { $0.value(forKey: "a9") != nil }
          }
        }
        try store.close()
        return count
      }
      contest.peer("GRDB") { lap in
        let queue = try DatabaseQueue(path: original.copy().path)
        return try lap.measured {
          try queue.read { database in
            try Row.fetchAll(database, sql: sql).count { ($0[10] as Int64?) != nil }
          }
        }
      }
    }
  }

  /// A store of fifty entities of ten numbers each. One of the entities has a hundred rows.
  private final class Original {
    private let store: StoreFolder
    private var copies = 0

    init() throws {
      store = try StoreFolder(Self.model())
      let context = store.context()
      try context.performAndWait {
        for row in 0..<100 {
          let object = NSEntityDescription.insertNewObject(forEntityName: "Entity10", into: context)
          for place in 0..<10 { object.setValue(row * place, forKey: "a\(place)") }
        }
        try context.save()
      }
      for open in store.coordinator.persistentStores { try store.coordinator.remove(open) }
    }

    /// Copies the store to a new file, and removes the previous copy.
    func copy() throws -> URL {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(at: store.file("copy\(copies).sqlite\(suffix)"))
      }
      copies += 1
      let url = store.file("copy\(copies).sqlite")
      try FileManager.default.copyItem(at: store.url, to: url)
      return url
    }

    /// Makes a new model, for which no layout or version hash has been computed yet.
    static func model() -> NSManagedObjectModel {
      let model = NSManagedObjectModel()
      model.entities = (10..<60).map { number in
        let entity = NSEntityDescription()
        entity.name = "Entity\(number)"
        entity.properties = (0..<10).map {
          StoreModels.attribute("a\($0)", .integer64AttributeType)
        }
        return entity
      }
      return model
    }

    static func open(_ url: URL, _ model: NSManagedObjectModel) throws -> Open {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      return Open(coordinator: coordinator, store: store)
    }
  }

  private struct Open {
    let coordinator: NSPersistentStoreCoordinator
    let store: NSPersistentStore

    func close() throws { try coordinator.remove(store) }
  }
}
