import CoreData
import Floor
import Foundation
import GRDB

/// Measures the work of a context on its objects: changing and saving, undo, merging the saves of another context, and
/// saving into its parent.
enum ContextBenchmark {
  private static let count = 10_000

  static var comparisons: [Comparison] { [modification, undo, merge, child] }

  private static let names = (0..<10).map { "ZN\($0)" }.joined(separator: ", ")

  private static var modification: Comparison {
    let rows = Scale.current.rows / 10
    return Comparison(
      name: "fetch objects of 10 integers, change one value of each, save", items: rows,
      floor: "C, select and update", peers: [Peer.records] + SQLAlchemy.peers, isLong: true,
      isInFigure: true
    ) { contest in
      func store() throws -> StoreFolder {
        let store = try StoreFolder()
        try store.insertReadings(rows)
        return store
      }
      // Each contestant has its own store, so that the length of the journal depends only on its own changes.
      let (floor, own, records, python) = try (store(), store(), store(), store())
      let database = try FloorDatabase(floor.url)
      contest.floor { _ in
        try database.check(
          floor_modify(
            database.handle, "SELECT Z_PK, \(names) FROM ZREADING", 11,
            "UPDATE ZREADING SET ZN0 = ? WHERE Z_PK = ?"))
        return 0
      }
      contest.ours { _ in
        let context = own.context()
        try context.performAndWait {
          for reading in try context.fetch(NSFetchRequest<Reading>(entityName: "Reading")) {
            reading.n0 += 1
          }
          try context.save()
        }
        return 0
      }
      let queue = try DatabaseQueue(path: records.url.path)
      contest.peer(Peer.records) { _ in
        try queue.write { database in
          for var record in try ReadingRecord.fetchAll(database) {
            try record.updateChanges(database) { $0.n0 += 1 }
          }
        }
        return 0
      }
      contest.peer(SQLAlchemy.name) {
        try SQLAlchemy.run("modify", rows, items: rows, in: python.url, $0)
      }
    }
  }

  private static var undo: Comparison {
    Comparison(
      name: "undo and redo \(count) changes", items: count, floor: "both values set again"
    ) { contest in
      let store = try StoreFolder()
      try store.insertReadings(count)
      func objects(_ manager: UndoManager?) throws -> (NSManagedObjectContext, [Reading]) {
        let context = store.context()
        context.undoManager = manager
        return try context.performAndWait {
          let objects = try context.fetch(NSFetchRequest<Reading>(entityName: "Reading"))
          _ = objects.reduce(0) { $0 &+ $1.sum }
          return (context, objects)
        }
      }
      func set(_ objects: [Reading], _ value: Int64) { for object in objects { object.n0 = value } }
      let (context, undone) = try objects(UndoManager())
      contest.ours { lap in
        try context.performAndWait {
          set(undone, -1)
          context.processPendingChanges()
          try lap.measured {
            context.undo()
            if undone[0].n0 == -1 { throw Failure(description: "not undone") }
            context.redo()
          }
          let sum = undone.reduce(0) { $0 &+ $1.n0 }
          context.rollback()
          context.undoManager?.removeAllActions()
          withExtendedLifetime(store) {}
          return Int(sum)
        }
      }
      let (plain, set_) = try objects(nil)
      contest.floor { lap in
        plain.performAndWait {
          lap.measured {
            set(set_, 1)
            plain.processPendingChanges()
            set(set_, -1)
            plain.processPendingChanges()
          }
          let sum = set_.reduce(0) { $0 &+ $1.n0 }
          plain.rollback()
          return Int(sum)
        }
      }
    }
  }

  private static var merge: Comparison {
    Comparison(
      name: "merge \(count) changes of others and read them", items: count,
      floor: "C, point reads"
    ) { contest in
      let store = try StoreFolder()
      try store.insertReadings(count)
      let database = try FloorDatabase(store.url)
      let (context, other) = (store.context(), store.context())
      let objects = try context.performAndWait {
        let objects = try context.fetch(NSFetchRequest<Reading>(entityName: "Reading"))
        _ = objects.reduce(0) { $0 &+ $1.sum }
        return objects
      }
      let ids = objects.map(\.objectID)
      let keys = (1...Int64(count)).map(\.self)
      // Ours runs first, because it makes the changes that the floor reads too.
      contest.ours { lap in
        try other.performAndWait {
          for object in try other.fetch(NSFetchRequest<Reading>(entityName: "Reading")) {
            object.n0 += 1
          }
          try other.save()
        }
        defer { withExtendedLifetime(store) {} }
        return lap.measured {
          NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: ids], into: [context])
          return context.performAndWait { Int(objects.reduce(0) { $0 &+ $1.sum }) }
        }
      }
      contest.floor { _ in
        var sum: Int64 = 0
        return try database.rows(
          floor_read_points(
            database.handle, "SELECT \(names) FROM ZREADING WHERE Z_PK = ?", 10, keys,
            Int64(count), &sum), sum)
      }
    }
  }

  private static var child: Comparison {
    Comparison(
      name: "insert \(count) objects in a child, save it and its parent", items: count,
      floor: "C insert", peers: SQLAlchemy.peers, isLong: true
    ) { contest in
      contest.floor { try InsertionBenchmark.floor(count, $0) }
      contest.ours { lap in
        let store = try StoreFolder()
        let parent = store.context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        try lap.measured {
          try child.performAndWait {
            for row in 1...Int64(count) { Reading(context: child).fill(row) }
            try child.save()
          }
          try parent.performAndWait { try parent.save() }
        }
        return 0
      }
      contest.peer(SQLAlchemy.name) { lap in
        let store = try StoreFolder()
        return try SQLAlchemy.run("insert", count, items: count, in: store.url, lap)
      }
    }
  }

  struct Failure: Error, CustomStringConvertible { let description: String }
}
