import CoreData
import Floor
import Foundation

/// Measures the memory of a fetched object, and how the time per object changes as the store grows.
enum SizeBenchmark {
  static var comparisons: [Comparison] { [memory] + growth }

  private static var memory: Comparison {
    Comparison(
      name: "bytes of a fetched object of 10 numbers, row included", unit: "bytes",
      floor: "the bar", bar: 1
    ) { contest in
      let store = try StoreFolder()
      try store.insertReadings(Scale.current.rows / 10)
      let request = NSFetchRequest<Reading>(entityName: "Reading")
      // Fetches before measuring, because the first fetch of an entity creates what all later ones share.
      let first = store.context()
      _ = try first.performAndWait { try first.fetch(request).reduce(0) { $0 &+ $1.sum } }
      contest.ours { lap in
        let context = store.context()
        try context.performAndWait {
          let before = floor_bytes_in_use()
          let objects = try context.fetch(request)
          _ = objects.reduce(0) { $0 &+ $1.sum }
          lap.record(Double(floor_bytes_in_use() - before) / Double(objects.count))
        }
        return 0
      }
      contest.floor { lap in
        lap.record(250)
        return 0
      }
    }
  }

  /// Compares the time per object at larger sizes with the time at the smallest size.
  private static var growth: [Comparison] {
    let sizes = Scale.current.isQuick ? [100_000] : [100_000, 1_000_000, 5_000_000]
    // Many saves and one save are measured separately: all objects of one save are in memory at once, and in the sets
    // of its notifications, which hash and release their members at scattered addresses.
    return sizes.map {
      larger("insert in saves of 10000,", $0, bar: 1.2) { try insert($0, perSave: 10_000, $1) }
    }
      + sizes.map {
        larger("insert in one save,", $0, bar: 1.2) { try insert($0, perSave: $0, $1) }
      }
      + sizes.map {
        larger("C insert in one transaction,", $0, bar: nil) {
          _ = try InsertionBenchmark.floor($0, $1)
        }
      }
      + sizes.map { larger("fetch,", $0, bar: 1.2, fetch) }
  }

  private static func larger(
    _ name: String, _ size: Int, bar: Double?, _ body: @escaping (Int, Lap) throws -> Void
  ) -> Comparison {
    let few = 10_000
    return Comparison(
      name: "\(name) \(size) objects", items: size, floor: "\(few) objects", bar: bar
    ) { contest in
      contest.ours { lap in
        try body(size, lap)
        return 0
      }
      contest.floor(items: few) { lap in
        // The median of several runs, because a single run is too short to be reliable.
        let times = try (0..<9).map { _ in
          let lap = Lap(.processor)
          try body(few, lap)
          return lap.turn(of: few).value
        }
        lap.record(times.sorted()[times.count / 2])
        return 0
      }
    }
  }

  /// Inserts objects into a new store; saves after each batch and resets the context.
  static func insert(_ count: Int, perSave batch: Int, _ lap: Lap) throws {
    let store = try StoreFolder()
    try lap.measured {
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

  /// Measures a fetch of all objects of a new store.
  private static func fetch(_ count: Int, _ lap: Lap) throws {
    let store = try StoreFolder()
    try store.insertReadings(count)
    _ = try lap.measured { try fetch(store) }
  }

  /// Fetches all objects, and returns the sum of their values.
  static func fetch(_ store: StoreFolder) throws -> Int64 {
    let context = store.context()
    return try context.performAndWait {
      try context.fetch(NSFetchRequest<Reading>(entityName: "Reading"))
        .reduce(0) { $0 &+ $1.sum }
    }
  }
}
