import CoreData
import Floor
import Foundation

/// What an object costs that is filled in alone, and what the members of relationships cost.
enum FaultBenchmark {
  static func fire(_ scale: Scale, _ report: inout Report) throws {
    let count = scale.rows / 10
    let store = try StoreFolder()
    try store.insertReadings(count)
    let database = try FloorDatabase(store.url)
    // In no order, each once.
    let keys = (0..<Int64(count)).map { $0 * 7919 % Int64(count) + 1 }
    let names = (0..<10).map { "ZN\($0)" }.joined(separator: ", ")
    let context = store.context()
    let ids = try context.performAndWait {
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Reading")
      request.resultType = .managedObjectIDResultType
      return try context.fetch(request)
    }
    var contest = Contest()
    contest.add("C, point reads") {
      var sum: Int64 = 0
      return try database.rows(
        floor_read_points(
          database.handle, "SELECT \(names) FROM ZREADING WHERE Z_PK = ?", 10, keys, Int64(count),
          &sum), sum)
    }
    contest.add("faults, one by one") {
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
    let times = try contest.run(rounds: scale.storeRounds, .median)
    report.add(
      "fire faults one by one", "faults, one by one", against: "C, point reads", times,
      items: count, bar: 8)
  }

  static func members(_ scale: Scale, _ report: inout Report) throws {
    let parents = scale.rows / 1000
    let store = try StoreFolder()
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
    let database = try FloorDatabase(store.url)
    var contest = Contest()
    contest.add("C, join") {
      var sum: Int64 = 0
      return Int(
        floor_read_integers(
          database.handle,
          "SELECT f.Z_PK, p.Z_PK, p.ZNUMBER, p.ZWORDS FROM ZFOLDER f JOIN ZPAGE p ON p.ZFOLDER = f.Z_PK",
          4, &sum))
    }
    let pages = ManagedKey("pages")
    let number = ManagedKey("number")
    func prefetched(_ body: (NSManagedObject) -> Int) throws -> Int {
      let context = store.context()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Folder")
      request.relationshipKeyPathsForPrefetching = ["pages"]
      return try context.performAndWait {
        try context.fetch(request).reduce(0) { $0 + body($1) }
      }
    }
    contest.add("prefetched members") { try prefetched { $0.managedMemberCount(pages) } }
    contest.add("gone through") {
      try prefetched { folder in
        folder.managedMembers(pages).reduce(0) {
          $0 + ($1.managedValue(number) as Int >= 0 ? 1 : 0)
        }
      }
    }
    let times = try contest.run(rounds: scale.storeRounds, .median)
    let title = "to-many of 1,000 members, prefetched"
    report.add(
      title, "prefetched members", against: "C, join", times, items: parents * 1000, bar: 2)
    report.add(
      title + ", all made and read", "gone through", against: "C, join", times,
      items: parents * 1000)
  }
}
