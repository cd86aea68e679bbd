import CoreData
import Foundation
import ObjectModel
import Testing

/// A rule of this library: Apple's article "Migrating your data model automatically" lists a change
/// from to-many to to-one among the changes that can be inferred, and does not mention the objects
/// that are left over.
@Suite("Objects that a relationship requires")
struct RequiredObjectsTests {
  /// Returns a model in which the relationships at these paths require an object.
  private static func model(_ text: String, requiring paths: String...) -> NSManagedObjectModel {
    let model = ModelText.model(text)
    for path in paths {
      let names = path.split(separator: ".").map(String.init)
      model.entitiesByName[names[0]]?.relationshipsByName[names[1]]?.isOptional = false
    }
    return model
  }

  private static let team = "Team: name string; players ->> Player.team"
  private static let player = "Player: name string; team -> Team.players"

  /// Makes one team for each count, with that many players.
  private func filled(_ kind: TestedStore, _ counts: [Int]) throws -> MigratedStore {
    let store = try MigratedStore(kind)
    let old = Self.model("\(Self.team)\n\(Self.player)", requiring: "Player.team")
    try store.with(old) { context in
      for (number, count) in counts.enumerated() {
        let team = context.insert("Team", ["name": "T\(number)"])
        for place in 0..<count {
          context.insert("Player", ["name": "P\(number).\(place)", "team": team])
        }
      }
    }
    return store
  }

  private static let one = model(
    "Team: name string; players -> Player.team\nPlayer: name string; team -> Team.players",
    requiring: "Player.team")

  private func migrate(_ store: MigratedStore, to model: NSManagedObjectModel) throws {
    try ProgressiveMigration(through: [model]).run(
      at: store.url, type: .init(rawValue: store.kind.type))
  }

  @Test(
    "A to-many relationship cannot become to-one if members require their owner",
    arguments: TestedStore.fileKinds
  )
  func oneMember(_ kind: TestedStore) throws {
    let old = Self.model("\(Self.team)\n\(Self.player)", requiring: "Player.team")
    let store = try filled(kind, [1, 3])
    var migration = ProgressiveMigration(through: [Self.one])
    migration.knownModels = [old]
    let error = #expect(throws: NSError.self) {
      try migration.run(at: store.url, type: .init(rawValue: kind.type))
    }
    if kind == .sqlite {
      #expect(error?.code == NSMigrationError)
      #expect(
        error?.localizedDescription.hasPrefix("Player.team requires an object, which 2 rows of ")
          == true)
    }
    try store.with(old, migrates: false) { context in
      let teams = try context.all("Player").compactMap { $0.value(forKey: "team") }
      #expect(teams.count == 4)
    }
    // With one player in each team, no relationship is emptied.
    let other = try filled(kind, [1, 1])
    try migration.run(at: other.url, type: .init(rawValue: kind.type))
    try other.with(Self.one, migrates: false) { context in
      let teams = try context.all("Player", sort: ["name"]).map { $0.text("team.name") }
      #expect(teams == ["T0", "T1"])
    }
  }

  @Test("Members may lose their owner if they do not require one")
  func optional() throws {
    let store = try filled(.sqlite, [3])
    let model = Self.model(
      "Team: name string; players -> Player.team\nPlayer: name string; team -> Team.players")
    try migrate(store, to: model)
    try store.with(model, migrates: false) { context in
      let teams = try context.all("Player", sort: ["name"]).map { $0.text("team.name") }
      #expect(teams == ["T0", "nil", "nil"])
    }
  }

  private static let places = "Home: x i16\nHut < Home: y i16\nTent < Home: z i16"

  private func housed(_ entities: [String]) throws -> MigratedStore {
    let store = try MigratedStore()
    let old = Self.model("Person: n i16; home -> Home\n\(Self.places)", requiring: "Person.home")
    try store.with(old) { context in
      for (number, entity) in entities.enumerated() {
        context.insert("Person", ["n": number, "home": context.insert(entity)])
      }
    }
    return store
  }

  @Test(
    "A migration fails if it would remove an object that a relationship requires",
    arguments: [
      "Person: n i16; home -> Home\nHome: x i16\nHut < Home: y i16",
      "Person: n i16; home -> Home\nHome: x i16\nHut < Home: y i16\nTent: x i16; z i16",
    ])
  func entity(_ text: String) throws {
    let new = Self.model(text, requiring: "Person.home")
    let store = try housed(["Hut", "Tent", "Tent"])
    let error = #expect(throws: NSError.self) { try migrate(store, to: new) }
    #expect(
      error?.localizedDescription.hasPrefix("Person.home requires an object, which 2 rows of ")
        == true)
    let old = Self.model("Person: n i16; home -> Home\n\(Self.places)", requiring: "Person.home")
    try store.with(old, migrates: false) { context in
      let count = try context.all("Tent").count
      #expect(count == 2)
    }
    // The migration succeeds if no required object is removed.
    try migrate(try housed(["Hut", "Hut"]), to: new)
  }

  @Test("A required object that was missing before the migration does not make it fail")
  func missingBefore() throws {
    let store = try housed(["Hut", "Tent"])
    let database = try PlainDatabase(store.url)
    // One row has no home, and the other refers to a row that does not exist.
    try database.execute("UPDATE ZPERSON SET ZHOME = NULL WHERE ZN = 0")
    try database.execute("UPDATE ZPERSON SET ZHOME = 99 WHERE ZN = 1")
    let new = Self.model(
      "Person: n i16; home -> Home\nHome: x i16\nHut < Home: y i16", requiring: "Person.home")
    try migrate(store, to: new)
    try store.with(new, migrates: false) { context in
      let homes = try context.all("Person").map { $0.value(forKey: "home") == nil }
      #expect(homes == [true, true])
    }
  }

  @Test("The comparison of the models warns about required objects that may be lost")
  func caveats() {
    func texts(_ old: NSManagedObjectModel, _ new: NSManagedObjectModel) -> [String] {
      ModelComparison(from: old, to: new).changes.compactMap { change in
        guard case .lightweight(let caveat?) = change.migration else { return nil }
        return caveat.text
      }
    }
    let end = "which fails if a row loses the object that"
    let team = Self.model("\(Self.team)\n\(Self.player)", requiring: "Player.team")
    #expect(
      texts(team, Self.one) == ["only one of several objects is kept, \(end) Player.team requires"])
    let home = Self.model("Person: n i16; home -> Home\n\(Self.places)", requiring: "Person.home")
    let without = Self.model(
      "Person: n i16; home -> Home\nHome: x i16\nHut < Home: y i16", requiring: "Person.home")
    #expect(texts(home, without) == ["its rows are deleted, \(end) Person.home requires"])
    let apart = Self.model(
      "Person: n i16; home -> Home\nHome: x i16\nHut < Home: y i16\nTent: x i16; z i16",
      requiring: "Person.home")
    #expect(
      texts(home, apart).contains("fails if a row loses the object that Person.home requires"))
    let shared = Self.model("A: b -> B\nB: n i16", requiring: "A.b")
    let own = Self.model("A: b -> B.a\nB: n i16; a -> A.b", requiring: "A.b")
    #expect(
      texts(shared, own).contains(
        "an object can have only one owner: only one of several owners is kept, \(end) A.b requires"
      ))
    // Without required relationships, the migration cannot fail for this reason.
    let free = ModelText.model("\(Self.team)\n\(Self.player)")
    let freeOne = ModelText.model(
      "Team: name string; players -> Player.team\nPlayer: name string; team -> Team.players")
    #expect(texts(free, freeOne) == ["only one of several objects is kept"])
  }

  // Threema's database migrates from version 40 to 41 by an inferred mapping in which a
  // relationship becomes required.
  @Test("A relationship can become required if each row has an object")
  func becomesRequired() throws {
    for counts in [[1, 2], [1]] {
      let store = try MigratedStore()
      let old = ModelText.model("\(Self.team)\n\(Self.player)")
      try store.with(old) { context in
        let team = context.insert("Team", ["name": "T"])
        for count in counts {
          context.insert("Player", ["name": "P\(count)", "team": count == 1 ? team : nil])
        }
      }
      let new = Self.model("\(Self.team)\n\(Self.player)", requiring: "Player.team")
      if counts.count == 1 {
        try migrate(store, to: new)
        try store.with(new, migrates: false) { context in
          let players = try context.all("Player")
          #expect(players.allSatisfy { $0.value(forKey: "team") != nil })
        }
      } else {
        #expect(throws: NSError.self) { try migrate(store, to: new) }
        try store.with(old, migrates: false) { context in
          let count = try context.all("Player").count
          #expect(count == 2)
        }
      }
    }
  }
}
