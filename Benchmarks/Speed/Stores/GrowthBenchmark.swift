import CoreData
import Floor
import Foundation

/// Measures the points of the growth curves: inserting and fetching an object, for a thousand to three
/// million objects, in steps of half a power of ten.
enum GrowthBenchmark {
  private static let sizes = (6...(Scale.current.isQuick ? 9 : 13)).map {
    Int(pow(10, Double($0) / 2).rounded())
  }

  static var comparisons: [Comparison] { sizes.map(insertion) + sizes.map(fetch) }

  private static func point(
    _ curve: String, _ size: Int, _ prepare: @escaping (inout Contest) throws -> Void
  ) -> Comparison {
    Comparison(
      name: "growth: \(curve) \(size) objects", items: size, floor: "C",
      point: GrowthPoint(curve: curve, size: size),
      prepare: prepare)
  }

  private static func insertion(_ size: Int) -> Comparison {
    point("insert", size) { contest in
      contest.ours { lap in
        try SizeBenchmark.insert(size, perSave: 10_000, lap)
        return 0
      }
      contest.floor { try InsertionBenchmark.floor(size, $0) }
    }
  }

  private static func fetch(_ size: Int) -> Comparison {
    point("fetch", size) { contest in
      let store = try StoreFolder()
      try store.insertReadings(size)
      let database = try FloorDatabase(store.url)
      let names = (0..<10).map { "ZN\($0)" }.joined(separator: ", ")
      contest.ours { _ in try Int(SizeBenchmark.fetch(store)) }
      contest.floor { _ in
        var sum: Int64 = 0
        let rows = floor_read_integers(
          database.handle, "SELECT \(names) FROM ZREADING", 10, &sum)
        return try database.rows(rows, sum)
      }
    }
  }
}
