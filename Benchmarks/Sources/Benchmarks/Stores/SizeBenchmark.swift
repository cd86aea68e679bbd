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
    var saves: [Double] = []
    var oneSave: [Double] = []
    var fetching: [Double] = []
    var floor: [Double] = []
    for size in sizes {
      // The smaller the size, the more rounds make a time that can be compared.
      let rounds = max(1, min(20, 1_000_000 / size))
      saves.append(
        try median(of: rounds, size) {
          try insertObjects(size, StoreFolder(), perSave: sizes[0])
        })
      floor.append(
        try median(of: rounds, size) { _ = try InsertionBenchmark.floor(size) })
      var filled: [StoreFolder] = []
      oneSave.append(
        try median(of: rounds, size) {
          let store = try StoreFolder()
          filled = [store]
          try insertObjects(size, store, perSave: size)
        })
      fetching.append(
        try median(of: rounds, size) {
          let context = filled[0].context()
          try context.performAndWait {
            _ = try context.fetch(NSFetchRequest<Reading>(entityName: "Reading"))
              .reduce(0) { $0 &+ $1.sum }
          }
        })
    }
    // The bar is for how so many objects are inserted. Those of one save are all in memory together, and
    // all in the sets of its notifications, whose members are hashed and let go at random places.
    for (name, times) in [
      ("insert in saves of 10000,", saves), ("insert in one save,", oneSave),
      ("C insert in one transaction,", floor), ("fetch,", fetching),
    ] {
      for (size, time) in zip(sizes, times).dropFirst() {
        report.add(
          "\(name) \(size) objects", time, against: "\(sizes[0]) objects", times[0],
          bar: name.hasPrefix("C ") || name.contains("one save") ? nil : 1.2)
      }
    }
  }

  /// The nanoseconds that one of `size` things takes, the median of some rounds.
  private static func median(
    of rounds: Int, _ size: Int, _ body: () throws -> Void
  ) throws -> Double {
    var times: [Double] = []
    for _ in 0..<rounds {
      let start = Contest.processorTime
      try body()
      times.append((Contest.processorTime - start) / Double(size))
    }
    return times.sorted()[times.count / 2] * 1e9
  }

  /// - Parameter batch: after so many objects they are saved and let go.
  private static func insertObjects(
    _ count: Int, _ store: StoreFolder, perSave batch: Int
  ) throws {
    let context = store.context()
    try context.performAndWait {
      for start in stride(from: 0, to: count, by: batch) {
        for row in start..<min(start + batch, count) {
          Reading(context: context).fill(Int64(row + 1))
        }
        try context.save()
        context.reset()
      }
    }
  }
}
