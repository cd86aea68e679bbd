import CoreData
import Testing

@Suite("Random undo and redo")
struct UndoWalkTests {
  /// All that can be seen of the graph, as text.
  private static func picture(_ context: NSManagedObjectContext) throws -> [String] {
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

  @Test("every step back and forward gives the graph that was there", arguments: 0..<12)
  func walk(round: Int) throws {
    var random = SeededGenerator("undo walk \(round)")
    let stack = try UndoTests.stack()
    let context = stack.context
    let manager = try #require(context.undoManager)
    manager.groupsByEvent = false
    try context.performAndWait {
      manager.disableUndoRegistration()
      for label in ["x", "y", "z"] { context.insert("Tag", ["label": label]) }
      try context.save()
      manager.enableUndoRegistration()
      // The naive twin: pictures of the whole graph.
      var past: [[String]] = []
      var future: [[String]] = []
      var number = 0
      var present = try Self.picture(context)
      for step in 0..<150 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...5:
          let count = manager.undoCount
          manager.beginUndoGrouping()
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            number += 1
            try Self.change(context, number, &random)
          }
          manager.endUndoGrouping()
          // A group that changes nothing is no step.
          if manager.undoCount > count {
            past.append(present)
            future = []
          }
        case 6, 7:
          manager.undo()
          if let last = past.popLast() {
            future.append(present)
            present = last
          }
          try Self.expect(context, present, "undo, step \(step) of round \(round)")
        case 8:
          manager.redo()
          if let next = future.popLast() {
            past.append(present)
            present = next
          }
          try Self.expect(context, present, "redo, step \(step) of round \(round)")
        default:
          try context.save()
          try Self.expect(stack.newContext(), present, "save, step \(step) of round \(round)")
        }
        present = try Self.picture(context)
        #expect(manager.undoCount == past.count && manager.redoCount == future.count)
      }
      while manager.canUndo { manager.undo() }
      #expect(try Self.picture(context) == [])
      while manager.canRedo { manager.redo() }
      while manager.canUndo { manager.undo() }
      try context.save()
      #expect(try stack.newContext().all("Player").isEmpty)
    }
  }

  private static func expect(
    _ context: NSManagedObjectContext, _ expected: [String], _ text: String
  ) throws {
    let found = try picture(context)
    #expect(found.filter { !expected.contains($0) } == [], "\(text): too much")
    #expect(expected.filter { !found.contains($0) } == [], "\(text): missing")
  }

  private static func change(
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
}
