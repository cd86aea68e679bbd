import CoreData
import FixtureSupport
import Testing

/// Describes the teams, players and trophies of a context as text, and changes them at random.
enum GraphPicture {
  /// Returns a sorted list with one line for each object, with its values and relationships.
  static func of(_ context: NSManagedObjectContext) throws -> [String] {
    try context.performAndWait { try lines(context) }
  }

  private static func lines(_ context: NSManagedObjectContext) throws -> [String] {
    var lines: [String] = []
    func name(_ value: Any?) -> String {
      guard let object = value as? NSManagedObject else { return "nil" }
      let key = object.value(forKey: object.entity.name == "Trophy" ? "title" : "name")
      return "\(key ?? "?")"
    }
    for team in try context.all("Team") {
      let players = (team.value(forKey: "players") as? Set<NSManagedObject> ?? []).map(name)
      let trophies = (team.value(forKey: "trophies") as? NSOrderedSet)?.map(name) ?? []
      lines.append("team \(name(team)) players \(players.sorted()) trophies \(trophies)")
    }
    for player in try context.all("Player") {
      let tags = (player.value(forKey: "tags") as? Set<NSManagedObject> ?? []).compactMap {
        $0.value(forKey: "label") as? String
      }
      lines.append(
        "player \(name(player)) age \(player.value(forKey: "age") ?? "nil") team"
          + " \(name(player.value(forKey: "team"))) tags \(tags.sorted())")
    }
    for trophy in try context.all("Trophy") {
      lines.append("trophy \(name(trophy)) winner \(name(trophy.value(forKey: "winner")))")
    }
    return lines.sorted()
  }

  /// Makes one random change.
  static func change(
    _ context: NSManagedObjectContext, _ number: Int, _ random: inout SeededGenerator
  ) throws {
    func any(_ entity: String) throws -> NSManagedObject? {
      try context.all(entity, sort: []).sorted {
        $0.objectID.uriRepresentation().absoluteString
          < $1.objectID.uriRepresentation().absoluteString
      }.randomElement(using: &random)
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: context.insert("Team", ["name": "T\(number)"])
    case 1, 2: context.insert("Player", ["name": "P\(number)", "team": try any("Team")])
    case 3: context.insert("Trophy", ["title": "C\(number)", "winner": try any("Team")])
    case 4: try any("Player")?.setValue(number % 50, forKey: "age")
    case 5: try any("Player")?.setValue("P\(number)", forKey: "name")
    case 6, 7: try any("Player")?.setValue(try any("Team"), forKey: "team")
    case 8:
      let tags = try context.all("Tag").filter { _ in Bool.random(using: &random) }
      try any("Player")?.setValue(Set(tags), forKey: "tags")
    case 9:
      guard let team = try any("Team"), let order = team.value(forKey: "trophies") as? NSOrderedSet
      else { return }
      var trophies = order.compactMap { $0 as? NSManagedObject }
      trophies.shuffle(using: &random)
      if let other = try any("Trophy"), !trophies.contains(other) { trophies.insert(other, at: 0) }
      team.setValue(NSOrderedSet(array: trophies), forKey: "trophies")
    default:
      let entity = ["Player", "Player", "Team", "Trophy"].randomElement(using: &random) ?? "Player"
      if let object = try any(entity) { context.delete(object) }
    }
  }

  /// Expects the description of a context to contain these lines and no others.
  static func expect(
    _ context: NSManagedObjectContext, _ expected: [String], _ text: String
  ) throws {
    var missing = expected
    // Objects without distinct values have equal lines.
    let surplus = try of(context).filter { line in
      guard let place = missing.firstIndex(of: line) else { return true }
      missing.remove(at: place)
      return false
    }
    #expect(surplus == [], "\(text): surplus lines")
    #expect(missing == [], "\(text): missing lines")
  }
}
