import FixtureSupport

@testable import CoreData

/// Makes random changes to relationships that are prefetched from time to time, and compares them
/// with a simple copy of the expected state.
final class PrefetchWalk {
  private let stack: SampleStack
  private let context: NSManagedObjectContext
  /// Retains the teams, so that the prefetched members remain with them.
  private var teams: [NSManagedObject] = []
  private var truth = Picture()
  private var saved = Picture()
  private var lastNumber = 0
  private(set) var steps: [String] = []

  /// The teams and names of the players by number, and the titles of the teams' trophies.
  private struct Picture: Equatable {
    var teams: [Int: Int?] = [:]
    var names: [Int: String] = [:]
    var trophies: [[String]] = [[], [], []]
  }

  init() throws {
    stack = try SampleStack()
    let first = stack.context
    try first.performAndWait {
      for name in 0..<3 { first.insert("Team", ["name": "\(name)"]) }
      try first.save()
      first.reset()
    }
    context = stack.newContext()
    try context.performAndWait { teams = try context.all("Team", sort: ["name"]) }
  }

  /// Performs one random step.
  ///
  /// - Returns: A description of what is wrong, or nil.
  func step(_ random: inout SeededGenerator) throws -> String? {
    try context.performAndWait {
      let team = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<15, using: &random) {
      case 0: try prefetch(&random)
      case 1...3: insert(team)
      case 4: try move(to: team, &random)
      case 5: try change(team, &random)
      case 6: try delete(&random)
      case 7: addTrophy(team, &random)
      case 8: try save()
      case 9: rollBack()
      case 10: try refresh(team, &random)
      case 11: try saveElsewhere(&random)
      case 12: try rename(&random)
      default: return check(team, &random)
      }
      return context.checkInvariants()
    }
  }

  private func prefetch(_ random: inout SeededGenerator) throws {
    // Relationships that were already read are not prefetched.
    if Int.random(in: 0..<4, using: &random) > 0 {
      try save()
      context.refreshAllObjects()
    }
    steps.append("prefetch")
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    request.relationshipKeyPathsForPrefetching =
      Int.random(in: 0..<4, using: &random) > 0
      ? ["players", "trophies"] : ["trophies", "players.tags"]
    _ = try context.fetch(request)
  }

  private func insert(_ team: Int) {
    lastNumber += 1
    steps.append("insert \(lastNumber) into \(team)")
    context.insert("Player", ["number": lastNumber, "team": teams[team]])
    truth.teams[lastNumber] = team
  }

  private func player(_ random: inout SeededGenerator) throws -> (Int, NSManagedObject)? {
    guard let number = truth.teams.keys.sorted().randomElement(using: &random) else { return nil }
    guard let object = try context.all("Player", "number == \(number)").first else { return nil }
    return (number, object)
  }

  private func move(to team: Int, _ random: inout SeededGenerator) throws {
    guard let (number, player) = try player(&random) else { return }
    let isOut = Int.random(in: 0..<4, using: &random) == 0
    steps.append("move \(number) to \(isOut ? "none" : "\(team)")")
    player.setValue(isOut ? nil : teams[team], forKey: "team")
    truth.teams[number] = .some(isOut ? nil : team)
  }

  /// Adds or removes a member on the team's side.
  private func change(_ team: Int, _ random: inout SeededGenerator) throws {
    guard let (number, player) = try player(&random) else { return }
    let members = teams[team].mutableSetValue(forKey: "players")
    if truth.teams[number] == .some(team) {
      steps.append("remove \(number) from \(team)")
      members.remove(player)
      truth.teams[number] = .some(nil)
    } else {
      steps.append("add \(number) to \(team)")
      members.add(player)
      truth.teams[number] = .some(team)
    }
  }

  /// Changes a name, and sometimes saves. After the save, the context no longer retains the player, and its prefetched
  /// row is out of date.
  private func rename(_ random: inout SeededGenerator) throws {
    guard let (number, player) = try player(&random) else { return }
    lastNumber += 1
    steps.append("rename \(number)")
    player.setValue("\(lastNumber)", forKey: "name")
    truth.names[number] = "\(lastNumber)"
    if Bool.random(using: &random) { try save() }
  }

  private func delete(_ random: inout SeededGenerator) throws {
    guard let (number, player) = try player(&random) else { return }
    steps.append("delete \(number)")
    context.delete(player)
    context.processPendingChanges()
    truth.teams[number] = nil
  }

  private func addTrophy(_ team: Int, _ random: inout SeededGenerator) {
    lastNumber += 1
    let place = Int.random(in: 0...truth.trophies[team].count, using: &random)
    steps.append("trophy \(lastNumber) at \(team), \(place)")
    let trophy = context.insert("Trophy", ["title": "\(lastNumber)"])
    if Bool.random(using: &random) {
      teams[team].mutableOrderedSetValue(forKey: "trophies").insert(trophy, at: place)
      truth.trophies[team].insert("\(lastNumber)", at: place)
    } else {
      trophy.setValue(teams[team], forKey: "winner")
      truth.trophies[team].append("\(lastNumber)")
    }
  }

  private func save() throws {
    steps.append("save")
    try context.save()
    saved = truth
  }

  private func rollBack() {
    steps.append("roll back")
    context.rollback()
    truth = saved
  }

  private func refresh(_ team: Int, _ random: inout SeededGenerator) throws {
    // A refresh would discard changes on only one side of a relationship.
    guard !context.hasChanges else { return }
    if Bool.random(using: &random) {
      steps.append("refresh all")
      context.refreshAllObjects()
    } else {
      steps.append("refresh \(team)")
      context.refresh(teams[team], mergeChanges: false)
    }
  }

  /// Renames players in another context, moves or deletes each of them there, inserts others, and merges the save.
  private func saveElsewhere(_ random: inout SeededGenerator) throws {
    guard !context.hasChanges else { return }
    let other = stack.context
    let recorder = Recorder(.NSManagedObjectContextDidSave, of: other)
    try other.performAndWait {
      other.reset()
      let teams = try other.all("Team", sort: ["name"])
      for player in try other.all("Player", sort: ["number"])
      where Int.random(in: 0..<3, using: &random) == 0 {
        let number: Int = player["number"] ?? 0
        lastNumber += 1
        steps.append("rename \(number) elsewhere")
        player.setValue("\(lastNumber)", forKey: "name")
        truth.names[number] = "\(lastNumber)"
        if Bool.random(using: &random) {
          steps.append("delete \(number) elsewhere")
          other.delete(player)
          truth.teams[number] = nil
        } else {
          let team = Int.random(in: 0..<3, using: &random)
          steps.append("move \(number) to \(team) elsewhere")
          player.setValue(teams[team], forKey: "team")
          truth.teams[number] = .some(team)
        }
      }
      for team in 0..<3 where Int.random(in: 0..<3, using: &random) == 0 {
        lastNumber += 1
        steps.append("insert \(lastNumber) into \(team) elsewhere")
        other.insert("Player", ["number": lastNumber, "team": teams[team]])
        truth.teams[lastNumber] = team
      }
      try other.save()
    }
    saved = truth
    for notification in recorder.notifications {
      context.mergeChanges(fromContextDidSave: notification)
    }
  }

  private func check(_ team: Int, _ random: inout SeededGenerator) -> String? {
    steps.append("check \(team)")
    let wanted = truth.teams.filter { $0.value == .some(team) }.keys.sorted()
    let count = teams[team].value(forKeyPath: "players.@count") as? Int
    if count != wanted.count { return "\(count ?? -1) players instead of \(wanted.count)" }
    if Bool.random(using: &random) { return nil }
    let players = teams[team].value(forKey: "players") as? Set<NSManagedObject> ?? []
    let numbers = players.compactMap { $0["number"] as Int? }.sorted()
    if numbers != wanted { return "players \(numbers) instead of \(wanted)" }
    for player in players {
      let (number, name) = (player["number"] as Int? ?? 0, player["name"] as String?)
      let expected = truth.names[number]
      if name != expected { return "\(number) is \(name ?? "-"), not \(expected ?? "-")" }
    }
    let trophies = teams[team].value(forKey: "trophies") as? NSOrderedSet
    let titles = (trophies?.array as? [NSManagedObject] ?? []).compactMap {
      $0.value(forKey: "title") as? String
    }
    return titles == truth.trophies[team]
      ? nil : "trophies \(titles) instead of \(truth.trophies[team])"
  }
}
