import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// After each random change, the old rows with the report applied must equal a new fetch.
@Suite("Hierarchical results under random changes")
struct RandomHierarchyTests {
  typealias Controller = HierarchicalResultsController<NSManagedObject, NSManagedObject>

  struct Setting: CustomStringConvertible, Sendable {
    /// For each level, the name of a relationship and the keys that sort its members. A "-" means descending order.
    /// Without keys, the members have the relationship's own order.
    let levels: [[String]]
    var predicate: String?
    var limit = 0

    var description: String {
      "\(levels.map { $0.joined(separator: " ") }), where \(predicate ?? "all"), limit \(limit)"
    }
  }

  static let settings: [Setting] = [
    Setting(levels: [["players", "age"]]),
    Setting(levels: [["players", "-age", "name"]], predicate: "name != 'B'"),
    Setting(levels: [["players", "age"]], limit: 2),
    Setting(levels: [["trophies"]]),
    Setting(levels: [["players", "team.founded", "name"], ["tags", "label"]]),
    Setting(
      levels: [["players", "age"], ["tags", "label"], ["players", "-age"]], predicate: "name < 'E'"),
  ]

  @Test("report changes that transform the old rows into the new ones", arguments: settings)
  func randomWalk(_ setting: Setting) throws {
    var random = SeededGenerator("random hierarchy, \(setting)")
    let stack = try SampleStack(.round(Int.random(in: 0..<5, using: &random)))
    let context = stack.context
    try context.performAndWait {
      var world = World(context, &random)
      try context.save()
      let request = request(setting)
      request.fetchLimit = setting.limit
      let controller = Controller(
        fetchRequest: request, levels: setting.levels.map(level), managedObjectContext: context)
      try controller.performFetch()
      let table = HierarchicalResultsTests.table(controller)
      if setting.levels.count == 1 { controller.keepUpdated(table) }
      var shown = HierarchyTree.shown(controller)
      var wrongReports: [String] = []
      controller.addObserver { [unowned controller] updates in
        let present = HierarchyTree.shown(controller)
        shown = HierarchyTree.apply(updates, to: shown) { HierarchyTree.object(controller, $0) }
        if shown != present { wrongReports.append("\(updates)") }
        shown = present
      }
      // A second controller, which gets an observer and loses it again at random steps.
      let late = Controller(
        fetchRequest: request, levels: setting.levels.map(level), managedObjectContext: context)
      try late.performFetch()
      var lateShown = HierarchyTree.shown(late)
      var lateObserver: AnyObject?
      for step in 0..<WholeRun.steps(27, whole: 80) {
        for _ in 0..<Int.random(in: 1...4, using: &random) { world.change(&random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try context.save()
        case 1: context.rollback()
        default: context.processPendingChanges()
        }
        world.removeDeleted()
        let expected = try expected(setting, context)
        let message: Comment = "seed \(random.seed), \(setting), step \(step): \(wrongReports)"
        if Int.random(in: 0..<5, using: &random) == 0 {
          if let observer = lateObserver {
            late.removeObserver(observer)
            lateObserver = nil
          } else {
            lateObserver = late.addObserver { [unowned late] updates in
              lateShown = HierarchyTree.apply(updates, to: lateShown) {
                HierarchyTree.object(late, $0)
              }
            }
          }
        }
        #expect(lateShown == (lateObserver == nil ? HierarchyTree.shown(late) : expected), message)
        #expect(wrongReports.isEmpty && table.violations.isEmpty, message)
        #expect(shown == expected, message)
        for broken in [
          context.findBrokenInvariant(), controller.findBrokenInvariant(),
          late.findBrokenInvariant(),
        ] { #expect(broken == nil, message) }
        let isWrong = !wrongReports.isEmpty || shown != expected
        if isWrong { return }
        for (section, tree) in shown.enumerated() {
          #expect(controller.section(of: tree.object) == section, message)
          for (row, child) in tree.children.enumerated() {
            let path = IndexPath(row: row, section: section)
            #expect(controller.object(at: path) === child.object, message)
            #expect(controller.indexPaths(forObject: child.object).contains(path), message)
          }
        }
      }
    }
  }

  private func request(_ setting: Setting) -> NSFetchRequest<NSManagedObject> {
    HierarchicalResultsTests.teams(setting.predicate)
  }

  private func descriptors(_ level: [String]) -> [NSSortDescriptor] {
    level.dropFirst().map {
      $0.hasPrefix("-")
        ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
        : NSSortDescriptor(key: $0, ascending: true)
    }
  }

  private func level(_ level: [String]) -> HierarchyLevel {
    HierarchyLevel(level[0], sortedBy: level.count == 1 ? nil : descriptors(level))
  }

  // MARK: The expected hierarchy

  /// Returns the hierarchy as separate fetches return it.
  private func expected(_ setting: Setting, _ context: NSManagedObjectContext) throws
    -> [HierarchyTree]
  {
    var parents = try context.fetch(request(setting))
    if setting.limit > 0 { parents = Array(parents.prefix(setting.limit)) }
    func tree(_ object: NSManagedObject, _ depth: Int) throws -> HierarchyTree {
      guard depth < setting.levels.count else { return HierarchyTree(object) }
      let level = setting.levels[depth]
      let relationship = try #require(object.entity.relationshipsByName[level[0]])
      let members: [NSManagedObject]
      if level.count == 1 {
        members = object.mutableOrderedSetValue(forKey: level[0]).compactMap {
          $0 as? NSManagedObject
        }
      } else {
        let request = NSFetchRequest<NSManagedObject>(
          entityName: try #require(relationship.destinationEntity?.name))
        request.sortDescriptors = descriptors(level)
        let inverse = try #require(relationship.inverseRelationship)
        request.predicate = NSPredicate(
          format: inverse.isToMany ? "ANY %K == %@" : "%K == %@", inverse.name, object)
        members = try context.fetch(request)
      }
      return HierarchyTree(
        object, try members.filter { !$0.isDeleted }.map { try tree($0, depth + 1) })
    }
    return try parents.map { try tree($0, 0) }
  }
}

/// Teams, players, tags and trophies that change at random.
private struct World {
  let context: NSManagedObjectContext
  var teams: [NSManagedObject] = []
  var players: [NSManagedObject] = []
  var tags: [NSManagedObject] = []
  var trophies: [NSManagedObject] = []

  init(_ context: NSManagedObjectContext, _ random: inout SeededGenerator) {
    self.context = context
    teams = ["A", "B", "C"].map { context.insert("Team", ["name": $0]) }
    tags = ["x", "y", "z"].map { context.insert("Tag", ["label": $0]) }
    for _ in 0..<12 { addPlayer(&random) }
    for _ in 0..<6 { addTrophy(&random) }
  }

  private mutating func addPlayer(_ random: inout SeededGenerator) {
    let player = context.insert(Bool.random(using: &random) ? "Player" : "Captain")
    player.setValue(Int.random(in: 0..<5, using: &random), forKey: "age")
    player.setValue(["a", "b", nil].randomElement(using: &random).flatMap(\.self), forKey: "name")
    player.setValue(teams.randomElement(using: &random), forKey: "team")
    if let tag = tags.randomElement(using: &random) {
      player.setValue(NSSet(array: [tag]), forKey: "tags")
    }
    players.append(player)
  }

  private mutating func addTrophy(_ random: inout SeededGenerator) {
    let trophy = context.insert("Trophy", ["title": "t"])
    trophy.setValue(teams.randomElement(using: &random), forKey: "winner")
    trophies.append(trophy)
  }

  mutating func change(_ random: inout SeededGenerator) {
    let player = players.randomElement(using: &random)
    let team = teams.randomElement(using: &random)
    let tag = tags.randomElement(using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1: addPlayer(&random)
    case 2: if let player { context.delete(player) }
    case 3, 4: player?.setValue(Int.random(in: 0..<5, using: &random), forKey: "age")
    case 5:
      player?.setValue(
        ["a", "b", nil].randomElement(using: &random).flatMap(\.self), forKey: "name")
    case 6, 7: player?.setValue(teams.randomElement(using: &random), forKey: "team")
    case 8:
      team?.setValue(["A", "B", "C", "D", "E", "F"].randomElement(using: &random), forKey: "name")
    case 9:
      if teams.count > 2, let team, Bool.random(using: &random) {
        context.delete(team)
      } else {
        teams.append(context.insert("Team", ["name": "B"]))
      }
    case 10, 11:
      let members = tags.filter { _ in Bool.random(using: &random) }
      player?.setValue(NSSet(array: members), forKey: "tags")
    case 12: tag?.setValue(["w", "x", "y", "z"].randomElement(using: &random), forKey: "label")
    case 13: addTrophy(&random)
    case 14:
      if let members = team?.mutableOrderedSetValue(forKey: "trophies"), members.count > 1 {
        members.moveObjects(
          at: [Int.random(in: 0..<members.count, using: &random)],
          to: Int.random(in: 0..<members.count, using: &random))
      } else if let trophy = trophies.randomElement(using: &random) {
        trophy.setValue(team, forKey: "winner")
      }
    default:
      team?.setValue(
        Date(timeIntervalSince1970: Double(Int.random(in: 0..<3, using: &random))),
        forKey: "founded")
      if let player, !player.objectID.isTemporaryID { context.refresh(player, mergeChanges: true) }
    }
    removeDeleted()
  }

  mutating func removeDeleted() {
    for list in [\World.teams, \.players, \.tags, \.trophies] {
      self[keyPath: list].removeAll { $0.isDeleted || $0.managedObjectContext == nil }
    }
  }
}
