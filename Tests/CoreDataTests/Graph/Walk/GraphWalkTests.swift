import CoreData
import FixtureSupport
import Testing

@Suite("Random walks over the object graph")
struct GraphWalkTests {
  /// How many walks of how many steps; more with `OPENCOREDATA_WALKS`.
  private static let walks =
    ProcessInfo.processInfo.environment["OPENCOREDATA_WALKS"].flatMap(Int.init) ?? 12

  @Test("a context, its fetches and its file agree with a naive graph after every step")
  func walks() throws {
    var seeds = SeededGenerator("graph walk")
    let first = seeds.seed
    for walk in 0..<Self.walks {
      let seed = walk == 0 ? first : seeds.next() % 1_000_000
      let generator = SeededGenerator(seed: seed)
      let graph = try GraphWalk(generator, .round(Int(seed % 5)))
      do {
        let fault = try graph.performing { try $0.run(steps: 250) }
        #expect(fault == nil, "OPENCOREDATA_SEED=\(seed)")
        if fault != nil { return }
      } catch {
        Issue.record(
          "OPENCOREDATA_SEED=\(seed): \(error)\n\(graph.log.suffix(25).joined(separator: "\n"))")
        return
      }
    }
  }
}
