import FixtureSupport
import Testing

@testable import CoreData

/// Compares random saves of two contexts with a table of the expected value of each property.
@Suite("Random conflicts")
struct RandomConflictTests {
  /// A player as plain values. A deleted player is nil.
  struct Picture: Equatable, CustomStringConvertible {
    var values: [String: Int?]
    var team: Int?
    var tags: Set<Int>

    var description: String {
      let list = values.sorted { $0.key < $1.key }.map {
        "\($0.key) \($0.value.map(String.init) ?? "-")"
      }
      return "\(list.joined(separator: " ")) team \(team.map(String.init) ?? "-") \(tags.sorted())"
    }

    func hasOtherRow(than other: Picture) -> Bool { values != other.values || team != other.team }
  }

  static let names = ["age", "score", "number", "name"]

  @Test("Each property follows the table of policies, in the context and in the store")
  func table() throws {
    var random = SeededGenerator("random conflicts")
    for round in 0..<WholeRun.steps(40, whole: 120) {
      let arrangement = TwoWriters.Arrangement.allCases.randomElement(using: &random) ?? .contexts
      let policy = NSMergePolicy.resolving.randomElement(using: &random) ?? .overwrite
      try Round(arrangement, policy).run(
        &random, "round \(round) \(arrangement) \(policy.mergeType)")
    }
  }

  /// Returns what the table expects of a player, and whether its two saves conflict.
  static func expected(
    _ old: Picture, here: Picture?, there: Picture?, _ policy: NSMergePolicy
  ) -> (result: Picture?, isConflict: Bool) {
    let storeWins =
      policy === NSMergePolicy.mergeByPropertyStoreTrump || policy === NSMergePolicy.rollback
    guard let here else {
      guard let there else { return (nil, false) }
      if !there.hasOtherRow(than: old) { return (nil, false) }
      return (storeWins ? there : nil, true)
    }
    if here == old { return (there, false) }
    guard let there else {
      if storeWins { return (nil, true) }
      // The tags in the store were removed with the row.
      var restored = here
      restored.tags = here.tags.subtracting(old.tags)
      return (restored, true)
    }
    var result = there
    result.tags = there.tags.union(here.tags.subtracting(old.tags))
      .subtracting(old.tags.subtracting(here.tags))
    let isConflict = here.hasOtherRow(than: old) && there.hasOtherRow(than: old)
    if isConflict, policy === NSMergePolicy.rollback { result.tags = there.tags }
    func settled<Value: Equatable>(_ old: Value, _ here: Value, _ there: Value) -> Value {
      if !isConflict { return here != old ? here : there }
      switch policy.mergeType {
      case .mergeByPropertyStoreTrumpMergePolicyType: return there != old ? there : here
      case .mergeByPropertyObjectTrumpMergePolicyType: return here != old ? here : there
      case .overwriteMergePolicyType: return here
      default: return there
      }
    }
    for name in names {
      result.values[name] = settled(
        old.values[name] ?? nil, here.values[name] ?? nil, there.values[name] ?? nil)
    }
    result.team = settled(old.team, here.team, there.team)
    return (result, isConflict)
  }

  struct Round {
    let writers: TwoWriters
    let policy: NSMergePolicy
    let teams: [NSManagedObject]
    let tags: [NSManagedObject]

    init(_ arrangement: TwoWriters.Arrangement, _ policy: NSMergePolicy) throws {
      let (writers, setup) = try Self.prepare(arrangement, policy)
      self.writers = writers
      self.policy = policy
      teams = try setup("Team", "name")
      tags = try setup("Tag", "label")
    }

    private static func prepare(
      _ arrangement: TwoWriters.Arrangement, _ policy: NSMergePolicy
    ) throws -> (TwoWriters, (String, String) throws -> [NSManagedObject]) {
      let writers = try TwoWriters(arrangement, policy: policy)
      for (entity, key) in [("Team", "name"), ("Tag", "label")] {
        for number in 0..<4 { writers.here.insert(entity, [key: "\(number)"]) }
      }
      try writers.here.save()
      return (writers, { try writers.here.all($0, sort: [$1]) })
    }

    func run(_ random: inout SeededGenerator, _ text: String) throws {
      let here = writers.here
      var players: [NSManagedObject] = []
      for _ in 0..<6 {
        let player = here.insert("Player")
        change(player, &random, here, probability: 0.8)
        players.append(player)
      }
      try here.save()
      // In some rounds the objects have values, in others they are faults. The same is true of the inverse
      // relationships.
      let isFresh = Bool.random(using: &random)
      if isFresh {
        here.refreshAllObjects()
        players = try players.map { player in
          try #require(try here.all("Player", "SELF == %@", [player]).first)
        }
      }
      if Bool.random(using: &random) {
        for team in teams { _ = (team.value(forKey: "players") as? NSSet)?.count }
        for tag in tags { _ = (tag.value(forKey: "players") as? NSSet)?.count }
      }
      let old = players.map { picture($0) }
      let twins = try players.map { try writers.twin($0) }
      for twin in twins where Int.random(in: 0..<4, using: &random) > 0 {
        alter(twin, &random, writers.there)
      }
      let there = twins.map { $0.isDeleted ? nil : picture($0) }
      try writers.there.save()
      for player in players where Int.random(in: 0..<4, using: &random) > 0 {
        alter(player, &random, here)
      }
      let mine = players.map { $0.isDeleted ? nil : picture($0) }
      try here.save()
      for (index, player) in players.enumerated() {
        let (expected, isConflict) = RandomConflictTests.expected(
          old[index], here: mine[index], there: there[index], policy)
        let text =
          "\(text), player \(index): \(old[index]) | here \(mine[index]?.description ?? "deleted")"
          + " | there \(there[index]?.description ?? "deleted")"
        #expect(writers.stored(player).map(picture) == expected, "\(text)")
        if isConflict {
          let found = player.managedObjectContext == nil ? nil : picture(player)
          #expect(found == expected, "in memory, \(text)")
        }
      }
      #expect(!here.hasChanges, "\(text)")
      #expect(here.checkInvariants() == nil, "\(text)")
      try expectBothSides(players, text)
    }

    /// Expects that relationships agree with their inverses, in memory and in the store.
    private func expectBothSides(_ players: [NSManagedObject], _ text: String) throws {
      writers.here.refreshAllObjects()
      let reader = writers.reader()
      for (entity, key) in [("Team", "team"), ("Tag", "tags")] {
        for context in [writers.here, reader] {
          for owner in try context.all(entity) {
            let members = owner.value(forKey: "players") as? Set<NSManagedObject> ?? []
            let leading = try context.all(
              "Player", key == "team" ? "team == %@" : "ANY tags == %@", [owner])
            #expect(members == Set(leading), "\(text) \(entity)")
          }
        }
      }
    }

    private func alter(
      _ player: NSManagedObject, _ random: inout SeededGenerator, _ context: NSManagedObjectContext
    ) {
      if Int.random(in: 0..<6, using: &random) == 0 {
        context.delete(player)
        context.processPendingChanges()
      } else {
        change(player, &random, context, probability: 0.35)
      }
    }

    private func change(
      _ player: NSManagedObject, _ random: inout SeededGenerator, _ context: NSManagedObjectContext,
      probability: Double
    ) {
      func happens() -> Bool { Double.random(in: 0..<1, using: &random) < probability }
      for name in RandomConflictTests.names where happens() {
        let number = Int.random(in: 0..<4, using: &random)
        if number == 0 {
          player.setValue(nil, forKey: name)
        } else {
          player.setValue(name == "name" ? "\(number)" : NSNumber(value: number), forKey: name)
        }
      }
      func own(_ object: NSManagedObject) -> NSManagedObject? {
        if context === writers.here { return object }
        return try? writers.twin(object)
      }
      if happens() {
        let number = Int.random(in: -1..<4, using: &random)
        player.setValue(number < 0 ? nil : own(teams[number]), forKey: "team")
      }
      for tag in tags where happens() {
        guard let tag = own(tag) else { continue }
        let set = player.mutableSetValue(forKey: "tags")
        if set.contains(tag) { set.remove(tag) } else { set.add(tag) }
      }
    }

    private func picture(_ player: NSManagedObject) -> Picture {
      var values: [String: Int?] = [:]
      for name in RandomConflictTests.names {
        let value = player.value(forKey: name)
        values[name] = .some(
          (value as? NSNumber)?.intValue ?? (value as? String).flatMap { Int($0) })
      }
      let team = player.value(forKeyPath: "team.name") as? String
      let tags = player.value(forKey: "tags") as? Set<NSManagedObject> ?? []
      return Picture(
        values: values, team: team.flatMap { Int($0) },
        tags: Set(tags.compactMap { ($0.value(forKey: "label") as? String).flatMap { Int($0) } }))
    }
  }
}
