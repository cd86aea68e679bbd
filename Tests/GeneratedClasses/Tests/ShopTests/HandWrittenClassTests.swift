import CoreData
import Foundation
import Testing

/// The classes that `GeneratedClasses.md` shows as an example of handwritten ones.
@MainActor @Suite struct HandWrittenClassTests {
  private func container() throws -> NSPersistentContainer {
    ManagedObjectClasses.register([Team.self, Player.self])
    let model = try #require(
      NSManagedObjectModel(
        contentsOf: Self.repository.appendingPathComponent(
          "Examples/Contacts/Contacts.xcdatamodeld")))
    let container = NSPersistentContainer(name: "Contacts", managedObjectModel: model)
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    ]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `The classes of this file equal those of the documentation`() throws {
    let article = try String(
      contentsOf: Self.repository.appendingPathComponent(
        "Sources/CoreData/CoreData.docc/GeneratedClasses.md"), encoding: .utf8)
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let begin = try #require(article.range(of: "```swift\nfinal class Team"))
    let end = try #require(article[begin.upperBound...].range(of: "```"))
    let classes = article[begin.lowerBound..<end.lowerBound].dropFirst("```swift\n".count)
    #expect(source.replacing("private final class", with: "final class").contains(classes))
  }

  @Test func `The classes have values, relationships and named key paths`() throws {
    let container = try container()
    let context = container.viewContext
    let team = Team(context: context)
    team.name = "Reds"
    for (name, age) in [("Kim", 20), ("Max", 22)] {
      let player = Player(context: context)
      player.name = name
      player.age = Int16(age)
      team.addToPlayers(player)
    }
    try context.save()

    let request = NSFetchRequest<Player>(entityName: "Player")
    request.predicate = NSPredicate(
      format: "%K == 'Reds'", NSExpression(forKeyPath: \Player.team?.name).keyPath)
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Player.age, ascending: false)]
    let players = try container.newBackgroundContext().performAndWait {
      try request.execute().map { "\($0.name) \($0.age) \($0.team?.players.count ?? 0)" }
    }
    #expect(players == ["Max 22 2", "Kim 20 2"])
  }
}

private final class Team: NSManagedObject {
  private static let nameKey = ManagedKey("name")
  var name: String {
    get { requiredManagedValue(Self.nameKey) }
    set { setManagedValue(newValue, Self.nameKey) }
  }

  private static let playersKey = ManagedKey("players")
  var players: Set<Player> {
    get { requiredManagedValue(Self.playersKey) }
    set { setManagedValue(newValue, Self.playersKey) }
  }
  func addToPlayers(_ player: Player) { addManagedMembers(player, Self.playersKey) }
}

private final class Player: NSManagedObject {
  private static let nameKey = ManagedKey("name")
  var name: String {
    get { requiredManagedValue(Self.nameKey) }
    set { setManagedValue(newValue, Self.nameKey) }
  }

  private static let ageKey = ManagedKey("age")
  var age: Int16 {
    get { managedValue(Self.ageKey) }
    set { setManagedValue(newValue, Self.ageKey) }
  }

  private static let teamKey = ManagedKey("team")
  var team: Team? {
    get { managedValue(Self.teamKey) }
    set { setManagedValue(newValue, Self.teamKey) }
  }
}
