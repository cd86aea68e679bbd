import CoreData
import FixtureSupport
import Testing

/// Two coordinators of one store save and execute batch requests at random. After each step, the
/// history must list exactly the differences between the store's contents before and after it.
@Suite(
  "Random histories",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores keep persistent history"))
struct RandomHistoryTests {
  /// All stored values of all objects, by ID and property.
  private typealias Picture = [URL: [String: String]]

  private func picture(_ stack: HistoryStack) throws -> Picture {
    let context = stack.newContext()
    var picture: Picture = [:]
    for entity in ["Team", "Player", "Tag", "Locker", "Trophy"] {
      for object in try context.all(entity) {
        var values: [String: String] = [:]
        for property in object.entity.properties {
          let value = object.value(forKey: property.name)
          values[property.name] =
            switch value {
            case nil: "nil"
            case let other as NSManagedObject: name(other)
            case let set as Set<NSManagedObject>: "\(set.map(name).sorted())"
            case let set as NSOrderedSet:
              "\(set.compactMap { ($0 as? NSManagedObject).map(name) })"
            case let value?: "\(value)"
            }
        }
        picture[object.objectID.uriRepresentation()] = values
      }
    }
    return picture
  }

  private func name(_ object: NSManagedObject) -> String {
    object.objectID.uriRepresentation().lastPathComponent
  }

  @Test("The history lists the inserted, deleted and updated objects, and the updated properties")
  func random() throws {
    var random = SeededGenerator("RandomHistoryTests")
    for round in 0..<3 {
      let first = try HistoryStack.onFile()
      let stacks = [first, try first.another()]
      for label in ["a", "b", "c"] { first.context.insert("Tag", ["label": label]) }
      try first.context.save()
      var token = first.token
      var before = try picture(first)
      var replayed = Set(before.keys)
      for step in 0..<WholeRun.steps(25, whole: 70) {
        let stack = stacks[Int.random(in: 0..<2, using: &random)]
        let context = stack.newContext()
        context.transactionAuthor = "step \(step)"
        var isBatch = true
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
          try context.batchInsert(
            Bool.random(using: &random) ? "Player" : "Captain",
            (0..<Int.random(in: 1...4, using: &random)).map { ["name": "B\(step)-\($0)"] })
        case 1:
          let age = Int.random(in: 0..<50, using: &random)
          try context.batchUpdate("Player", "age < \(age) AND age != \(step)", ["age": step])
        case 2:
          let number = Int.random(in: 0..<4, using: &random)
          try context.batchDelete(
            ["Player", "Team", "Trophy", "Captain"][number],
            number == 1 ? "players.@count < 2" : "SELF != nil AND \(number) < 4")
        default:
          isBatch = false
          for number in 0..<Int.random(in: 1...6, using: &random) {
            try GraphPicture.change(context, step * 10 + number, &random)
          }
          if Int.random(in: 0..<8, using: &random) == 0 { context.rollback() }
          try context.save()
        }
        let place = Comment("seed \(random.seed), round \(round), step \(step), batch \(isBatch)")
        #expect(context.findBrokenInvariant() == nil, place)
        let after = try picture(stacks[0])
        let transactions = try stacks[1].transactions(.fetchHistory(after: token))
        #expect(transactions.count <= 1, place)
        #expect(transactions.allSatisfy { $0.author == "step \(step)" }, place)
        try check(transactions.first?.changes ?? [], before, after, place)
        for change in transactions.first?.changes ?? [] {
          let id = change.changedObjectID.uriRepresentation()
          switch change.changeType {
          case .insert: replayed.insert(id)
          case .update: #expect(replayed.contains(id), place)
          case .delete: replayed.remove(id)
          }
        }
        #expect(replayed == Set(after.keys), place)
        token = stacks[1].token
        before = after
      }
    }
  }

  private func check(
    _ changes: [NSPersistentHistoryChange], _ before: Picture, _ after: Picture, _ place: Comment
  ) throws {
    var expected: [String] = []
    var found: [String] = []
    for (id, values) in after {
      guard let old = before[id] else {
        expected.append("+\(id)")
        continue
      }
      let names = values.filter { old[$0.key] != $0.value }.keys.sorted()
      if !names.isEmpty { expected.append("~\(id) \(names)") }
    }
    for id in before.keys where after[id] == nil { expected.append("-\(id)") }
    let types = changes.map(\.changeType.rawValue)
    #expect(types == types.sorted(), place)
    for change in changes {
      let id = change.changedObjectID.uriRepresentation()
      switch change.changeType {
      case .insert: found.append("+\(id)")
      case .delete: found.append("-\(id)")
      case .update:
        var names = (change.updatedProperties ?? []).map(\.name).sorted()
        // The order of the trophies may have been changed and changed back.
        if after[id]?["trophies"] == before[id]?["trophies"] {
          names.removeAll { $0 == "trophies" }
        }
        if !names.isEmpty { found.append("~\(id) \(names)") }
      }
    }
    let (missing, extra) = (Set(expected).subtracting(found), Set(found).subtracting(expected))
    #expect(missing.isEmpty && extra.isEmpty, "\(place): missing \(missing), extra \(extra)")
    #expect(found.count == Set(found).count, place)
  }
}
