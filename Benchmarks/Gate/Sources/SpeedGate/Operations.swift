import CoreData
import Counting
import Floor
import Foundation

/// The operations whose instructions the gate counts: one for each path through the library, small enough to run in
/// Callgrind, with the same floors as in the benchmarks.
enum Operations {
  static var all: [Operation] {
    [
      digest, hashes, parse, open, migrate, insert, batchInsert, fetch, fetchSome, fire, modify,
      merge, live,
    ]
  }

  // MARK: - Models

  private static let bytes = (0..<262_144).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  private static var digest: Operation {
    Operation(
      name: "version hash of a name of 256 KB",
      floor: {
        { count in
          var digest = [UInt8](repeating: 0, count: 32)
          count { for _ in 0..<2 { plain_sha256(bytes, bytes.count, &digest) } }
        }
      },
      ours: {
        let attribute = NSAttributeDescription()
        attribute.name = String(repeating: "a", count: bytes.count)
        return { count in count { for _ in 0..<2 { _ = attribute.versionHash } } }
      })
  }

  private static func fiftyEntities() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = (10..<60).map { number in
      let entity = NSEntityDescription()
      entity.name = "Entity\(number)"
      entity.properties = (0..<10).map { StoreModels.attribute("a\($0)", .integer64AttributeType) }
      return entity
    }
    return model
  }

  private static var hashes: Operation {
    Operation(
      name: "version hashes of a model with 50 entities",
      floor: {
        { count in
          var digest = [UInt8](repeating: 0, count: 32)
          count {
            for _ in 0..<1000 { plain_sha256(bytes, 36, &digest) }
            for _ in 0..<50 { plain_sha256(bytes, 330, &digest) }
          }
        }
      },
      ours: {
        { count in
          let model = fiftyEntities()
          count { _ = model.entityVersionHashesByName }
        }
      })
  }

  private static var parse: Operation {
    let format = "name BEGINSWITH[c] 'a' AND age > 30 AND (score < 2.5 OR city IN {'Rome', 'Oslo'})"
    return Operation(
      name: "parse a predicate of four comparisons",
      floor: {
        let store = try StoreFolder()
        let database = try FloorDatabase(store.file("Floor.sqlite"))
        let table = "CREATE TABLE person (name TEXT, age INTEGER, score REAL, city TEXT)"
        try database.check(floor_run(database.handle, table))
        let sql =
          "EXPLAIN SELECT * FROM person WHERE name LIKE 'a%' AND age > 30 AND (score < 2.5 OR city"
          + " IN ('Rome', 'Oslo'))"
        return { count in
          try count {
            for _ in 0..<100 { try database.check(floor_run(database.handle, sql)) }
          }
          withExtendedLifetime(store) {}
        }
      },
      ours: {
        { count in
          count { for _ in 0..<100 { _ = NSPredicate(format: format) } }
        }
      })
  }

  // MARK: - Opening

  /// Makes and closes a store of a model. Returns a function that passes the URL of a new copy of the store to `body`
  /// in each run.
  private static func copies(
    _ model: NSManagedObjectModel, _ fill: (StoreFolder) throws -> Void = { _ in },
    _ body: @escaping (URL, Count) throws -> Void
  ) throws -> Operation.Body {
    let store = try StoreFolder(model)
    try fill(store)
    for open in store.coordinator.persistentStores { try store.coordinator.remove(open) }
    return { count in
      let url = store.file("copy-\(UUID().uuidString).sqlite")
      try FileManager.default.copyItem(at: store.url, to: url)
      try body(url, count)
    }
  }

  private static func add(
    _ url: URL, _ model: NSManagedObjectModel, migrating: Bool = false
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let migrates = NSNumber(value: migrating)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: migrates,
        NSInferMappingModelAutomaticallyOption: migrates,
      ])
    return coordinator
  }

  private static var open: Operation {
    Operation(
      name: "open a store with 50 entities",
      floor: {
        try copies(fiftyEntities()) { url, count in
          try count {
            let database = try FloorDatabase(url)
            for table in ["sqlite_schema", "Z_METADATA", "Z_PRIMARYKEY"] {
              try database.check(floor_run(database.handle, "SELECT * FROM \(table)"))
            }
          }
        }
      },
      ours: {
        try copies(fiftyEntities()) { url, count in
          let model = fiftyEntities()
          let coordinator = try count { try add(url, model) }
          for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
      })
  }

  private static var migrate: Operation {
    let fill: (StoreFolder) throws -> Void = { try $0.insertReadings(1000) }
    return Operation(
      name: "migrate a store, two attributes more, without a default",
      floor: {
        try copies(StoreModels.make(), fill) { url, count in
          try count {
            let database = try FloorDatabase(url)
            let sql =
              "BEGIN IMMEDIATE; ALTER TABLE ZREADING RENAME COLUMN ZN9 TO ZLAST;"
              + " ALTER TABLE ZREADING ADD COLUMN ZADDED INTEGER;"
              + " ALTER TABLE ZREADING ADD COLUMN ZMARKED INTEGER; COMMIT"
            try database.check(floor_run(database.handle, sql))
          }
        }
      },
      ours: {
        try copies(StoreModels.make(), fill) { url, count in
          let model = StoreModels.make()
          let reading = model.entitiesByName["Reading"]
          for name in ["added", "marked"] {
            reading?.properties.append(StoreModels.attribute(name, .integer64AttributeType))
          }
          reading?.attributesByName["n9"]?.renamingIdentifier = "n9"
          reading?.attributesByName["n9"]?.name = "last"
          let coordinator = try count { try add(url, model, migrating: true) }
          for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
      })
  }

  // MARK: - Writing

  private static let columns = (0..<10).map { "ZN\($0)" }.joined(separator: ", ")

  private static func insertion(_ rows: Int64) -> () throws -> Operation.Body {
    {
      { count in
        let store = try StoreFolder()
        let database = try FloorDatabase(store.file("Floor.sqlite"))
        let names = "Z_PK, Z_ENT, Z_OPT, \(columns)"
        try database.check(
          floor_run(
            database.handle,
            "CREATE TABLE ZREADING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
              + (0..<10).map { "ZN\($0) INTEGER" }.joined(separator: ", ") + ")"))
        let places = Array(repeating: "?", count: 13).joined(separator: ", ")
        let sql = "INSERT INTO ZREADING (\(names)) VALUES (\(places))"
        try count { try database.check(floor_insert(database.handle, sql, 10, 1, rows)) }
      }
    }
  }

  private static var insert: Operation {
    Operation(
      name: "insert 1000 objects and save", floor: insertion(1000),
      ours: {
        { count in
          let store = try StoreFolder()
          let context = store.context()
          try count {
            try context.performAndWait {
              for row in 1...Int64(1000) { Reading(context: context).fill(row) }
              try context.save()
            }
          }
        }
      })
  }

  private static var batchInsert: Operation {
    Operation(
      name: "batch insert of 5000 rows", floor: insertion(5000),
      ours: {
        { count in
          let store = try StoreFolder()
          try count { try store.insertReadings(5000) }
        }
      })
  }

  private static func readings(_ count: Int) throws -> StoreFolder {
    let store = try StoreFolder()
    try store.insertReadings(count)
    return store
  }

  private static var modify: Operation {
    Operation(
      name: "change one value of 1000 objects and save",
      floor: {
        let store = try readings(1000)
        let database = try FloorDatabase(store.url)
        return { count in
          try count {
            try database.check(
              floor_modify(
                database.handle, "SELECT Z_PK, \(columns) FROM ZREADING", 11,
                "UPDATE ZREADING SET ZN0 = ? WHERE Z_PK = ?"))
          }
          withExtendedLifetime(store) {}
        }
      },
      ours: {
        let store = try readings(1000)
        return { count in
          try count {
            let context = store.context()
            try context.performAndWait {
              for reading in try context.fetch(NSFetchRequest<Reading>(entityName: "Reading")) {
                reading.n0 += 1
              }
              try context.save()
            }
          }
        }
      })
  }

  // MARK: - Reading

  private static func reading(
    _ name: String, _ condition: String, _ predicate: NSPredicate?
  ) -> Operation {
    Operation(
      name: name,
      floor: {
        let store = try readings(5000)
        let database = try FloorDatabase(store.url)
        return { count in
          var sum: Int64 = 0
          _ = try count {
            try database.rows(
              floor_read_integers(
                database.handle, "SELECT \(columns) FROM ZREADING\(condition)", 10, &sum), sum)
          }
          withExtendedLifetime(store) {}
        }
      },
      ours: {
        let store = try readings(5000)
        return { count in
          _ = try count {
            let context = store.context()
            return try context.performAndWait {
              let request = NSFetchRequest<Reading>(entityName: "Reading")
              request.predicate = predicate
              return try context.fetch(request).reduce(0) { $0 &+ $1.sum }
            }
          }
        }
      })
  }

  private static var fetch: Operation { reading("fetch 5000 objects, read all", "", nil) }

  private static var fetchSome: Operation {
    reading(
      "fetch 1000 of 5000 objects, read all", " WHERE ZN0 < 31031",
      NSPredicate(format: "n0 < 31031"))
  }

  private static func points(
    _ store: StoreFolder, _ keys: [Int64]
  ) throws -> Operation.Body {
    let database = try FloorDatabase(store.url)
    return { count in
      var sum: Int64 = 0
      _ = try count {
        try database.rows(
          floor_read_points(
            database.handle, "SELECT \(columns) FROM ZREADING WHERE Z_PK = ?", 10, keys,
            Int64(keys.count), &sum), sum)
      }
      withExtendedLifetime(store) {}
    }
  }

  private static var fire: Operation {
    let keys = (0..<Int64(500)).map { $0 * 7919 % 1000 + 1 }
    return Operation(
      name: "fire 500 faults", floor: { try points(readings(1000), keys) },
      ours: {
        let store = try readings(1000)
        let ids = try ids(in: store)
        return { count in
          let context = store.context()
          context.performAndWait {
            count {
              for key in keys {
                _ = (context.object(with: ids[Int(key) - 1]) as? Reading)?.sum
              }
            }
          }
        }
      })
  }

  private static func ids(in store: StoreFolder) throws -> [NSManagedObjectID] {
    let context = store.context()
    return try context.performAndWait {
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Reading")
      request.resultType = .managedObjectIDResultType
      return try context.fetch(request)
    }
  }

  // MARK: - Changes

  private static var merge: Operation {
    Operation(
      name: "merge 1000 changes and read them",
      floor: { try points(readings(1000), (1...Int64(1000)).map(\.self)) },
      ours: {
        let store = try readings(1000)
        let (context, other) = (store.context(), store.context())
        let objects = try context.performAndWait {
          let objects = try context.fetch(NSFetchRequest<Reading>(entityName: "Reading"))
          _ = objects.reduce(0) { $0 &+ $1.sum }
          return objects
        }
        let ids = objects.map(\.objectID)
        return { count in
          try other.performAndWait {
            for object in try other.fetch(NSFetchRequest<Reading>(entityName: "Reading")) {
              object.n0 += 1
            }
            try other.save()
          }
          count {
            NSManagedObjectContext.mergeChanges(
              fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [context])
            context.performAndWait { _ = objects.reduce(0) { $0 &+ $1.sum } }
          }
          withExtendedLifetime(store) {}
        }
      })
  }

  private static let contacts = 5000

  private static var live: Operation {
    Operation(
      name: "100 changes, each reported, in 5000 rows in sections",
      floor: {
        let store = try StoreFolder()
        try store.insertContacts(contacts)
        let database = try FloorDatabase(store.url)
        return { count in
          try count {
            for key in 1...100 {
              let sql = "UPDATE ZCONTACT SET ZRANK = ZRANK + 1 WHERE Z_PK = \(key * 40)"
              try database.check(floor_run(database.handle, sql))
            }
          }
          withExtendedLifetime(store) {}
        }
      },
      ours: {
        let store = try StoreFolder()
        try store.insertContacts(contacts)
        let context = store.context()
        let listener = Listener()
        let controller = try context.performAndWait {
          let controller = NSFetchedResultsController(
            fetchRequest: Contact.request(), managedObjectContext: context,
            sectionNameKeyPath: "team", cacheName: nil)
          controller.delegate = listener
          try controller.performFetch()
          return controller
        }
        return { count in
          try context.performAndWait {
            let changed = (1...100).compactMap { number -> Contact? in
              let section = number % (controller.sections?.count ?? 1)
              return controller.object(at: IndexPath(indexes: [section, number % 20]))
            }
            let before = listener.changes
            count {
              for contact in changed {
                contact.rank += 100_000
                context.processPendingChanges()
              }
            }
            guard listener.changes - before >= changed.count else {
              throw GateError("only \(listener.changes - before) changes were reported")
            }
          }
          withExtendedLifetime(store) {}
        }
      })
  }

  /// A delegate that counts the changes reported to it.
  private final class Listener: NSFetchedResultsControllerDelegate {
    var changes = 0

    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChange object: Any, at indexPath: IndexPath?, for type: NSFetchedResultsChangeType,
      newIndexPath: IndexPath?
    ) { changes += 1 }
  }
}
