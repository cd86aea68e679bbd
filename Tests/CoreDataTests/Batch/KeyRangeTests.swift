import CoreDataTestSupport
import FixtureSupport
import Testing

@testable import CoreData

@Suite("Rows written by a batch request, looked up by key")
struct KeyRangeTests {
  @Test("are found even if the largest key precedes smaller ones")
  func largestKey() throws {
    let model = SampleStack.makeModel()
    defer { withExtendedLifetime(model) {} }
    let layout = try #require(ModelLayout.of(model).entities.first)
    let origin = StoreOrigin(identifier: "a")
    var outcome = BatchOutcome()
    for key in [Int64.max - 1, .max, .min, 1] { outcome.updated.append(key, layout, origin) }
    #expect(outcome.count == 4)
    #expect([Int64.max - 1, .max, .min, 1].allSatisfy { outcome.written.contains($0, layout) })
    #expect(!outcome.written.contains(2, layout))
  }

  @Test("are found if and only if they were recorded, in any order")
  func random() throws {
    let model = SampleStack.makeModel()
    defer { withExtendedLifetime(model) {} }
    let layouts = try ["Player", "Team"].map { name in
      try #require(ModelLayout.of(model).entities.first { $0.name == name })
    }
    let origin = StoreOrigin(identifier: "a")
    var generator = SeededGenerator("key ranges")
    for _ in 0..<200 {
      var outcome = BatchOutcome()
      var written: Set<[Int64]> = []
      for _ in 0..<Int.random(in: 0...30, using: &generator) {
        let entity = Int.random(in: 0...1, using: &generator)
        let key = Int64.random(in: 1...40, using: &generator)
        if Bool.random(using: &generator) {
          outcome.updated.append(key, layouts[entity], origin)
        } else {
          outcome.deleted.append(key, layouts[entity], origin)
        }
        written.insert([Int64(entity), key])
      }
      let ranges = outcome.written
      for entity in 0...1 {
        for key in Int64(0)...42 {
          #expect(
            ranges.contains(key, layouts[entity]) == written.contains([Int64(entity), key]))
        }
      }
    }
  }
}
