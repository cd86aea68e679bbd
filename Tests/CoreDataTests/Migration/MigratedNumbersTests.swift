import CoreData
import Foundation
import Testing

/// Sources: see ``LightweightMigrationTests``.
@Suite("Values after a migration to another type")
struct MigratedNumbersTests {
  @Test("Numbers are converted to their new type, and truncated if it is smaller")
  func numbers() throws {
    let store = try MigratedStore()
    try store.with("N: a double; b i64; c i16; d decimal") { context in
      context.insert("N", ["a": 3.9, "b": 70_000, "c": 5, "d": NSDecimalNumber(string: "2.5")])
      context.insert("N", ["a": -3.9, "b": -1, "c": -5])
    }
    try store.with("N: a i32; b i16; c double; d double") { context in
      let found = try context.all("N", sort: ["c"])
      #expect(found.map { $0["a"] } == [-3, 3] as [Int32?])
      #expect(found.map { $0["b"] } == [-1, 4464] as [Int16?])
      #expect(found.map { $0["c"] } == [-5, 5] as [Double?])
      #expect(found.map { $0["d"] } == [nil, 2.5] as [Double?])
    }
  }

  @Test("Large numbers lose their upper bits", arguments: TestedStore.fileKinds)
  func largeNumbers(_ kind: TestedStore) throws {
    let numbers = [Int64.max, .max - 1, .min, 1 << 40, -1]
    let store = try MigratedStore(kind)
    let models = ["N: n i16; a i64; b i64", "N: n i16; a i32; b i16"].map(ModelText.model)
    try store.with(models[0]) { context in
      for (n, number) in numbers.enumerated() {
        context.insert("N", ["n": n, "a": number, "b": number])
      }
    }
    try ProgressiveMigration(through: models).run(
      at: store.url, type: NSPersistentStore.StoreType(rawValue: kind.type))
    try store.with(models[1], migrates: false) { context in
      let found = try context.all("N", sort: ["n"])
      #expect(found.map { $0["a"] } == numbers.map { Int32(truncatingIfNeeded: $0) })
      #expect(found.map { $0["b"] } == numbers.map { Int16(truncatingIfNeeded: $0) })
    }
  }

  // A Boolean of Wire's model became an Integer 32 by an inferred mapping.
  @Test("Booleans become numbers, and numbers become Booleans", arguments: TestedStore.fileKinds)
  func truthValues(_ kind: TestedStore) throws {
    let store = try MigratedStore(kind)
    let models = [
      "N: n i16; a bool! = 0; b bool; c i32; d double; e decimal",
      "N: n i16; f i32! was a = 7; b double; c bool; d bool; e bool",
    ].map(ModelText.model)
    try store.with(models[0]) { context in
      context.insert(
        "N", ["n": 1, "a": true, "b": false, "c": 70_000, "d": 0.5, "e": NSDecimalNumber(value: 2)])
      context.insert("N", ["n": 2, "a": false, "c": 0, "d": 0.0, "e": NSDecimalNumber(value: 0)])
      context.insert("N", ["n": 3])
    }
    // The new model cannot read the file, and the error says that the store has a different model.
    let refused = #expect(throws: NSError.self) {
      try store.with(models[1], migrates: false) { _ in }
    }
    #expect(refused?.code == NSPersistentStoreIncompatibleVersionHashError)
    try ProgressiveMigration(through: models).run(
      at: store.url, type: NSPersistentStore.StoreType(rawValue: kind.type))
    try store.with(models[1], migrates: false) { context in
      let found = try context.all("N", sort: ["n"])
      #expect(found.map { $0["f"] } == [1, 0, 0] as [Int32?])
      #expect(found.map { $0["b"] } == [0, nil, nil] as [Double?])
      #expect(found.map { $0["c"] } == [true, false, nil] as [Bool?])
      #expect(found.map { $0["d"] } == [true, false, nil] as [Bool?])
      #expect(found.map { $0["e"] } == [true, false, nil] as [Bool?])
      let all = try context.all("N", "c == YES AND d == YES AND e == YES").count
      #expect(all == 1)
    }
  }

  @Test("Values survive a move to the parent entity if only some of them are stored externally")
  func externalSisters() throws {
    let store = try MigratedStore()
    let one = Data([1, 2, 3])
    let text = "P: n i16\nA < P: photo data external\nB < P: photo data"
    try store.with(text) { context in
      context.insert("A", ["n": 1, "photo": one])
      context.insert("B", ["n": 2, "photo": one])
    }
    for external in ["", " external", ""] {
      try store.with("P: n i16; photo data\(external)\nA < P:\nB < P:") { context in
        let photos = try context.all("P", sort: ["n"]).map { $0["photo"] as Data? }
        #expect(photos == [one, one])
      }
    }
  }
}
