import CoreData
import FixtureSupport
import Testing

/// Random saves that violate uniqueness constraints, together with other conflicts. The tests check what must
/// hold afterwards with every policy.
@Suite("Random constraint conflicts")
struct RandomConstraintTests {
  @Test("Every policy leaves unique values, and a context that agrees with the store")
  func invariants() throws {
    var random = SeededGenerator("random constraints")
    for round in 0..<WholeRun.steps(40, whole: 120) {
      let arrangement = TwoWriters.Arrangement.allCases.randomElement(using: &random) ?? .contexts
      let policy = NSMergePolicy.resolving.randomElement(using: &random) ?? .overwrite
      try run(arrangement, policy, &random, "round \(round) \(arrangement) \(policy.mergeType)")
    }
  }

  private func run(
    _ arrangement: TwoWriters.Arrangement, _ policy: NSMergePolicy,
    _ random: inout SeededGenerator, _ text: String
  ) throws {
    let writers = try TwoWriters(
      arrangement, model: ConstraintConflictTests.model(), policy: policy)
    writers.there.mergePolicy = policy
    for number in 0..<3 { writers.here.insert("Tag", ["label": "\(number)"]) }
    try writers.here.save()
    // Both contexts read the rows, and then change them independently.
    alter(writers.here, &random, inserting: 6)
    try writers.here.save()
    for context in [writers.there, writers.here] {
      for player in try context.all("Player") where Bool.random(using: &random) {
        _ = player.value(forKey: "name")
        _ = (player.value(forKey: "tags") as? NSSet)?.count
      }
    }
    alter(writers.there, &random, inserting: 3)
    try writers.there.save()
    alter(writers.here, &random, inserting: 5)
    try writers.here.save()
    #expect(!writers.here.hasChanges, "\(text)")
    for context in [writers.here, writers.there] {
      #expect(context.findBrokenInvariant() == nil, "\(text)")
    }

    let reader = writers.reader()
    let stored = try reader.all("Player")
    func expectUnique(_ values: [String?]) {
      let present = values.compactMap { $0 }
      #expect(Set(present).count == present.count, "\(text): \(present.sorted())")
    }
    expectUnique(stored.map { $0["name"] })
    expectUnique(
      stored.map { player in
        guard let number: Int = player["number"], let score: Double = player["score"] else {
          return nil
        }
        return "\(number) \(score)"
      })
    expectUnique(
      stored.map { $0.entity.name == "Captain" ? ($0["since"] as Date?)?.description : nil })
    expectUnique(try reader.all("Team").map { $0["name"] })
    writers.here.refreshAllObjects()
    for entity in ["Player", "Team", "Tag"] {
      let here = try writers.here.all(entity).map(picture)
      #expect(here.sorted() == (try reader.all(entity).map(picture)).sorted(), "\(text) \(entity)")
    }
    for context in [writers.here, reader] {
      for tag in try context.all("Tag") {
        let members = tag.value(forKey: "players") as? Set<NSManagedObject> ?? []
        #expect(members == Set(try context.all("Player", "ANY tags == %@", [tag])), "\(text)")
      }
      for team in try context.all("Team") {
        let members = team.value(forKey: "players") as? Set<NSManagedObject> ?? []
        #expect(members == Set(try context.all("Player", "team == %@", [team])), "\(text)")
      }
    }
    // The next save finds no conflict.
    writers.here.mergePolicy = NSMergePolicy.error
    for player in try writers.here.all("Player") { player["age"] = 99 }
    try writers.here.save()
  }

  private func picture(_ object: NSManagedObject) -> String {
    let attributes = object.entity.attributesByName.keys.sorted().map { key in
      "\(key) \(object.value(forKey: key).map { "\($0)" } ?? "-")"
    }
    let id = object.objectID.uriRepresentation().lastPathComponent
    let team = (object.entity.relationshipsByName["team"]).flatMap { _ in
      object.value(forKeyPath: "team.name") as? String
    }
    return "\(id) \(attributes.joined(separator: " ")) \(team ?? "-")"
  }

  private func alter(
    _ context: NSManagedObjectContext, _ random: inout SeededGenerator, inserting count: Int
  ) {
    let tags = (try? context.all("Tag", sort: ["label"])) ?? []
    var teams = (try? context.all("Team", sort: ["name"])) ?? []
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      teams.append(
        context.insert("Team", ["name": "team \(Int.random(in: 0..<3, using: &random))"]))
    }
    func set(_ player: NSManagedObject, _ probability: Double) {
      func happens() -> Bool { Double.random(in: 0..<1, using: &random) < probability }
      if happens() { player["name"] = "name \(Int.random(in: 0..<8, using: &random))" }
      if happens() { player["number"] = Int.random(in: 0..<3, using: &random) }
      if happens() { player["score"] = Double(Int.random(in: 0..<3, using: &random)) }
      if happens() { player["age"] = Int.random(in: 0..<50, using: &random) }
      if happens(), player.entity.name == "Captain" {
        player["since"] = Date(
          timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<3, using: &random)))
      }
      if happens(), let team = teams.randomElement(using: &random) { player["team"] = team }
      for tag in tags where happens() {
        let members = player.mutableSetValue(forKey: "tags")
        if members.contains(tag) { members.remove(tag) } else { members.add(tag) }
      }
    }
    for player in (try? context.all("Player", sort: ["name", "age"])) ?? [] {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: context.delete(player)
      case 1, 2: break
      default: set(player, 0.4)
      }
    }
    for _ in 0..<Int.random(in: 0...count, using: &random) {
      let entity = Int.random(in: 0..<4, using: &random) == 0 ? "Captain" : "Player"
      set(context.insert(entity), 0.8)
    }
  }
}
