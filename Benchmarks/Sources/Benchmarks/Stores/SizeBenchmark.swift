import CoreData
import Floor
import Foundation

/// What a fetched object takes in memory, and what an object costs as the store grows.
enum SizeBenchmark {
  static func memory(_ scale: Scale, _ report: inout Report) throws {
    let count = scale.rows / 10
    let store = try StoreFolder()
    try store.insertReadings(count)
    let context = store.context()
    try context.performAndWait {
      // What the first fetch of an entity makes once is not the objects'.
      let request = NSFetchRequest<Reading>(entityName: "Reading")
      _ = try context.fetch(request).reduce(0) { $0 &+ $1.sum }
      let before = floor_bytes_in_use()
      let objects = try context.fetch(request)
      _ = objects.reduce(0) { $0 &+ $1.sum }
      let bytes = Double(floor_bytes_in_use() - before) / Double(objects.count)
      report.add(
        "bytes of a fetched object of 10 numbers, row included", bytes, against: "the bar", 250,
        bar: 1)
    }
  }

  static func growth(_ scale: Scale, _ report: inout Report) throws {
    let sizes = scale.isQuick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000, 5_000_000]
    var inserting: [Double] = []
    var fetching: [Double] = []
    for size in sizes {
      // The smaller the size, the more rounds make a time that can be compared.
      let rounds = max(1, min(20, 1_000_000 / size))
      var (insert, fetch) = ([Double](), [Double]())
      for _ in 0..<rounds {
        let store = try StoreFolder()
        let start = Contest.processorTime
        try insertObjects(size, store)
        insert.append((Contest.processorTime - start) / Double(size))
        let second = Contest.processorTime
        let context = store.context()
        try context.performAndWait {
          _ = try context.fetch(NSFetchRequest<Reading>(entityName: "Reading"))
            .reduce(0) { $0 &+ $1.sum }
        }
        fetch.append((Contest.processorTime - second) / Double(size))
      }
      inserting.append(insert.sorted()[insert.count / 2] * 1e9)
      fetching.append(fetch.sorted()[fetch.count / 2] * 1e9)
    }
    for (name, times) in [("insert", inserting), ("fetch", fetching)] {
      for (size, time) in zip(sizes, times).dropFirst() {
        report.add(
          "\(name), \(size) objects", time, against: "\(sizes[0]) objects", times[0], bar: 1.2)
      }
    }
  }

  private static func insertObjects(_ count: Int, _ store: StoreFolder) throws {
    let context = store.context()
    try context.performAndWait {
      for row in 1...Int64(count) { Reading(context: context).fill(row) }
      try context.save()
    }
  }
}
