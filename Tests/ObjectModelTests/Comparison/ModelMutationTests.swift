import FixtureSupport
import Foundation
import Testing

@testable import ObjectModel

@Suite("Random changes to real models", .enabled(if: Fixtures.areAvailable, "no fixtures"))
struct ModelMutationTests {
  @Test func `A comparison reports exactly the change, and the reverse comparison mirrors it`()
    throws
  {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["OPENCOREDATA_ROUNDS"].flatMap(Int.init) ?? 20
    var random = SeededGenerator("mutated models, \(rounds) rounds")
    let models = FixtureModels.sources.compactMap { path in
      (try? NSManagedObjectModel(validating: Fixtures.url(path))).map { (path, $0) }
    }.filter { !$0.1.entities.isEmpty }
    var applied: [String: Int] = [:]
    for (name, mutation) in ModelMutation.all.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<rounds * 3 where applied[name, default: 0] < rounds {
        guard let (path, model) = models.randomElement(using: &random),
          let changed = model.copy() as? NSManagedObjectModel,
          let expected = mutation.apply(changed, &random)
        else { continue }
        let comparison = ModelComparison(from: model, to: changed)
        #expect(comparison.lines.sorted() == expected.sorted(), "\(name) on \(path)")
        let back = ModelComparison(from: changed, to: model)
        #expect(
          comparison.places(exchanged: false) == back.places(exchanged: true),
          "\(name) on \(path), back")
        let isSame = model.entityVersionHashesByName == changed.entityVersionHashesByName
        if expected.allSatisfy({ $0.hasPrefix("=") }) {
          #expect(isSame, "\(name) on \(path): \(expected)")
        }
        applied[name, default: 0] += 1
      }
    }
    // A mutation that never applies would test nothing.
    let rare = ["move attribute to the parent"]
    for name in ModelMutation.all.keys where !rare.contains(name) {
      #expect(applied[name, default: 0] > 0, "\(name)")
    }
  }

  @Test func `Two changes at once are both reported`() throws {
    var random = SeededGenerator("models mutated twice")
    let path = "models/CoreDataPlus/SampleModel/SampleModel.xcdatamodeld/SampleModel3.xcdatamodel"
    let model = try NSManagedObjectModel(validating: Fixtures.url(path))
    let first = try #require(ModelMutation.all["add optional attribute"])
    for (name, second) in ModelMutation.all.sorted(by: { $0.key < $1.key })
    where !name.contains("entity") && !name.contains("add") && !name.contains("parent") {
      let changed = try #require(model.copy() as? NSManagedObjectModel)
      guard let lines = second.apply(changed, &random), let more = first.apply(changed, &random)
      else { continue }
      let comparison = ModelComparison(from: model, to: changed)
      #expect(comparison.lines.sorted() == (lines + more).sorted(), "\(name)")
    }
  }
}
