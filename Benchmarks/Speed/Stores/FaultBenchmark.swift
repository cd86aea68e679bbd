import CoreData
import Floor
import Foundation

/// Measures firing single faults, and reading the members of relationships.
enum FaultBenchmark {
  static var comparisons: [Comparison] {
    [fire, counted, goneThrough]
  }

  private static var fire: Comparison {
    let count = Scale.current.rows / 10
    return Comparison(
      name: "fire faults one by one", items: count, floor: "C, point reads", bar: 8
    ) { contest in
      let store = try StoreFolder()
      try store.insertReadings(count)
      let database = try FloorDatabase(store.url)
      // Each key once, in scattered order.
      let keys = (0..<Int64(count)).map { $0 * 7919 % Int64(count) + 1 }
      let names = (0..<10).map { "ZN\($0)" }.joined(separator: ", ")
      let context = store.context()
      let ids = try context.performAndWait {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Reading")
        request.resultType = .managedObjectIDResultType
        return try context.fetch(request)
      }
      contest.floor { _ in
        var sum: Int64 = 0
        return try database.rows(
          floor_read_points(
            database.handle, "SELECT \(names) FROM ZREADING WHERE Z_PK = ?", 10, keys,
            Int64(count), &sum), sum)
      }
      contest.ours { _ in
        let context = store.context()
        return context.performAndWait {
          var sum: Int64 = 0
          for key in keys {
            guard let object = context.object(with: ids[Int(key) - 1]) as? Reading else { continue }
            sum &+= object.sum
          }
          return Int(sum)
        }
      }
    }
  }

  private static let prefetched = "to-many of 1,000 members, prefetched"
  private static let pages = ManagedKey("pages")
  private static let number = ManagedKey("number")

  private static var counted: Comparison {
    members(prefetched, bar: 2) { $0.managedMemberCount(pages) }
  }

  private static var goneThrough: Comparison {
    members(prefetched + ", all made and read", bar: nil) { folder in
      folder.managedMembers(pages).reduce(0) {
        $0 + ($1.managedValue(number) as Int >= 0 ? 1 : 0)
      }
    }
  }

  private static func members(
    _ name: String, bar: Double?, _ body: @escaping (NSManagedObject) -> Int
  ) -> Comparison {
    let parents = Scale.current.rows / 1000
    return Comparison(name: name, items: parents * 1000, floor: "C, join", bar: bar) { contest in
      let store = try StoreFolder()
      try fill(store, parents: parents)
      let database = try FloorDatabase(store.url)
      contest.floor { _ in
        var sum: Int64 = 0
        return Int(
          floor_read_integers(
            database.handle,
            "SELECT f.Z_PK, p.Z_PK, p.ZNUMBER, p.ZWORDS FROM ZFOLDER f JOIN ZPAGE p ON p.ZFOLDER = f.Z_PK",
            4, &sum))
      }
      contest.ours { _ in
        let context = store.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Folder")
        request.relationshipKeyPathsForPrefetching = ["pages"]
        return try context.performAndWait {
          try context.fetch(request).reduce(0) { $0 + body($1) }
        }
      }
    }
  }

  private static func fill(_ store: StoreFolder, parents: Int) throws {
    let context = store.context()
    for start in stride(from: 0, to: parents, by: 50) {
      try context.performAndWait {
        for number in start..<min(start + 50, parents) {
          let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
          folder.setValue("\(number)", forKey: "name")
          let pages = (0..<1000).map { place in
            let page = NSEntityDescription.insertNewObject(forEntityName: "Page", into: context)
            page.setValue(number * 1000 + place, forKey: "number")
            page.setValue(place, forKey: "words")
            return page
          }
          folder.setValue(NSSet(array: pages), forKey: "pages")
        }
        try context.save()
        context.reset()
      }
    }
  }
}
