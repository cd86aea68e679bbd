import CoreData
import FixtureSupport
import Testing

/// The same random work on a store of every kind must leave the same objects, after reopening as
/// well.
@Suite struct StoreAgreementTests {
  private struct World {
    let kind: TestedStore
    let url: URL
    let folder: TemporaryFolder
    var context: NSManagedObjectContext
    var players: [NSManagedObject] = []
    var teams: [NSManagedObject] = []

    init(_ kind: TestedStore) throws {
      self.kind = kind
      folder = try TemporaryFolder()
      url = kind.url(in: folder)
      context = try kind.open(SampleStack.makeModel(), at: url).context
    }

    mutating func reopen() throws {
      if kind.isFile {
        let coordinator = context.persistentStoreCoordinator
        try coordinator?.persistentStores.forEach { try coordinator?.remove($0) }
        context = try kind.open(SampleStack.makeModel(), at: url).context
      } else {
        context.reset()
      }
      let context = context
      (players, teams) = try context.performAndWait {
        (try context.all("Player", sort: ["number"]), try context.all("Team", sort: ["name"]))
      }
    }

    mutating func step(_ choice: Int, _ a: Int, _ b: Int) throws {
      let names = ["ä", "b & <c>", "", "line\nbreak", "\u{1}control", "😀"]
      switch choice {
      case 0...2:
        players.append(
          context.insert(
            a % 4 == 0 ? "Captain" : "Player",
            ["number": b, "name": names[a % 6], "score": Double(a) / 7, "isActive": b % 2 == 0]))
      case 3: teams.append(context.insert("Team", ["name": "team \(b)"]))
      case 4 where !players.isEmpty && !teams.isEmpty:
        players[a % players.count].setValue(teams[b % teams.count], forKey: "team")
      case 5 where !players.isEmpty:
        players[a % players.count]["score"] = b % 3 == 0 ? nil : Double(b) * 1e-3
      case 6 where !players.isEmpty:
        let tag = context.insert("Tag", ["label": "tag \(b)"])
        tag.setValue(Set(players.filter { ($0["number"] ?? 0) % 3 == a % 3 }), forKey: "players")
      case 7 where !teams.isEmpty:
        let team = teams[a % teams.count]
        let old = (team.value(forKey: "trophies") as? NSOrderedSet)?.array ?? []
        let new = context.insert("Trophy", ["title": "trophy \(b)"])
        team.setValue(NSOrderedSet(array: [new] + old.reversed()), forKey: "trophies")
      case 8 where players.count > 3:
        context.delete(players.remove(at: a % players.count))
      case 9 where teams.count > 2: context.delete(teams.remove(at: a % teams.count))
      case 10: try context.save()
      case 11:
        try context.save()
        try reopen()
      default: break
      }
    }

    /// The complete contents, without IDs.
    func text() throws -> [String] {
      let players = try context.all("Player", sort: ["number", "name"]).map { player in
        let tags = (player["tags"] as Set<NSManagedObject>?)?.compactMap { $0["label"] as String? }
        let team: String? = (player["team"] as NSManagedObject?)?["name"]
        let values = ["number", "name", "score", "isActive"].map {
          player.value(forKey: $0).map { "\($0)" } ?? "-"
        }
        return "\(player.entity.name ?? "") \(values) \(team ?? "-") \((tags ?? []).sorted())"
      }
      let teams = try context.all("Team", sort: ["name"]).map { team in
        let trophies = (team.value(forKey: "trophies") as? NSOrderedSet)?.array ?? []
        let titles = trophies.compactMap { ($0 as? NSManagedObject)?["title"] as String? }
        return "\(team["name"] ?? "-") \(titles)"
      }
      let count = try context.all("Player", "score > 2 OR team.name CONTAINS '1'").count
      return players + teams + ["\(count)"]
    }
  }

  @Test("Random work leaves the same objects in every kind of store")
  func randomWork() throws {
    var generator = SeededGenerator("StoreAgreementTests")
    var worlds = try TestedStore.allCases.map { try World($0) }
    for number in 1...300 {
      let choice = Int.random(in: 0...11, using: &generator)
      let a = Int.random(in: 0..<1000, using: &generator)
      for index in worlds.indices {
        try worlds[index].context.performAndWait { try worlds[index].step(choice, a, number) }
      }
      guard number % 10 == 0 else { continue }
      for world in worlds {
        let broken = world.context.performAndWait { world.context.findBrokenInvariant() }
        #expect(broken == nil, "\(world.kind) after \(number) steps, seed \(generator.seed)")
      }
      let expected = try worlds[0].context.performAndWait { try worlds[0].text() }
      for world in worlds.dropFirst() {
        let found = try world.context.performAndWait { try world.text() }
        if found != expected {
          Issue.record("\(world.kind) after \(number) steps, seed \(generator.seed)")
          #expect(found == expected)
          return
        }
      }
    }
  }
}
