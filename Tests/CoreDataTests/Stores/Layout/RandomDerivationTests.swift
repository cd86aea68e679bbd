import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

@Suite(
  "Derived values after random changes",
  .only([.sqlite], "only SQLite stores support derived attributes, and only files can be verified"))
struct RandomDerivationTests {
  private struct Objects {
    let teams: [NSManagedObject]
    let tags: [NSManagedObject]
    let lockers: [NSManagedObject]
    var players: [NSManagedObject] = []

    init(_ context: NSManagedObjectContext) {
      teams = (0..<3).map { context.insert("Team", ["name": "Team \($0)"]) }
      tags = (0..<3).map { context.insert("Tag", ["label": "\($0)"]) }
      lockers = (0..<4).map { context.insert("Locker", ["number": $0]) }
    }
  }

  @Test("Derived values equal the objects' values after random changes, and the store is valid")
  func random() throws {
    var generator = SeededGenerator("derived expressions")
    for _ in 0..<4 {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      let (store, context) = try TestedStore.sqlite.open(DerivedSample.model(), at: url)
      try context.performAndWait {
        var objects = Objects(context)
        for _ in 0..<80 { try change(&objects, in: context, &generator) }
        try context.save()
        try check(objects, in: context)
      }
      try context.persistentStoreCoordinator?.remove(store)
      let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
      #expect(found.findings == [])
    }
  }

  private func name(_ generator: inout SeededGenerator) -> String {
    String(repeating: "n", count: Int.random(in: 1..<6, using: &generator))
  }

  /// Makes one random change, or saves.
  private func change(
    _ objects: inout Objects, in context: NSManagedObjectContext, _ generator: inout SeededGenerator
  ) throws {
    let players = objects.players
    switch Int.random(in: 0..<8, using: &generator) {
    case 0:
      objects.players.append(
        context.insert(
          Bool.random(using: &generator) ? "Player" : "Captain",
          ["name": name(&generator), "age": Int.random(in: 0..<50, using: &generator)]))
    case 1 where players.count > 3:
      let place = Int.random(in: 0..<players.count, using: &generator)
      let player = objects.players.remove(at: place)
      player.setValue(nil, forKey: "locker")
      context.delete(player)
    case 2: try context.save()
    case 3:
      objects.teams.randomElement(using: &generator)?
        .setValue(name(&generator), forKey: "name")
    case 4:
      objects.lockers.randomElement(using: &generator)?
        .setValue(players.randomElement(using: &generator), forKey: "owner")
    default:
      guard let player = players.randomElement(using: &generator) else { return }
      player.setValue(name(&generator), forKey: "name")
      player.setValue(Double(Int.random(in: 0..<9, using: &generator)), forKey: "score")
      let team: NSManagedObject? =
        (objects.teams + [nil]).randomElement(using: &generator) ?? nil
      player.setValue(team, forKey: "team")
      let tags = objects.tags.filter { _ in Bool.random(using: &generator) }
      player.setValue(NSSet(array: tags), forKey: "tags")
    }
  }

  /// Compares the derived values with values computed from the objects.
  private func check(_ objects: Objects, in context: NSManagedObjectContext) throws {
    for locker in objects.lockers {
      let team = locker.value(forKeyPath: "owner.team") as? NSManagedObject
      let name = team?["name"] as String?
      let fellows = Double((team?.value(forKey: "players") as? NSSet)?.count ?? 0)
      #expect(
        locker.derivedText == "\(name ?? "nil") \(name?.uppercased() ?? "nil") \(fellows)")
    }
    for player in objects.players {
      let name = try #require(player["name"] as String?)
      let twice = (player["score"] as Double?).map { "\($0 * 2)" } ?? "nil"
      let team = (player.value(forKeyPath: "team.name") as? String)?.uppercased()
      let volume = team.map { "\(Double($0.count))" } ?? "nil"
      #expect(
        player.derivedText == "\(name) \(Double(name.count)) \(twice) \(team ?? "nil") \(volume)")
    }
    for team in objects.teams {
      let members = try context.all("Player", "team == %@", [team])
      let ages = members.compactMap { $0["age"] as Int? }
      let span = ages.max().flatMap { most in ages.min().map { Double(most - $0) } }
      #expect(team.derivedText == (span.map { "\($0)" } ?? "nil"))
    }
    for tag in objects.tags {
      let members = (tag.value(forKey: "players") as? NSSet)?.allObjects ?? []
      let scores = members.compactMap { ($0 as? NSManagedObject)?["score"] as Double? }
      #expect(tag.derivedText == "\(scores.reduce(0, +) + Double(members.count))")
    }
  }
}
