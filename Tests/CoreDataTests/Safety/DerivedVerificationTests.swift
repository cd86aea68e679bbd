import FixtureSupport
import Testing

@testable import CoreData

/// The kinds of derived attributes are those of Apple's page for NSDerivedAttributeDescription.
@Suite("Verification of derived attributes")
struct DerivedVerificationTests {
  private let folder: TemporaryFolder
  private let url: URL

  /// The name, type and expression of each derived attribute of a team.
  private static let attributes: [(String, NSAttributeType, String)] = [
    ("upper", .stringAttributeType, "uppercase:(name)"),
    ("lower", .stringAttributeType, "lowercase:(name)"),
    ("plain", .stringAttributeType, "canonical:(name)"), ("changed", .dateAttributeType, "now()"),
    ("leader", .stringAttributeType, "captain.name"),
    ("size", .integer64AttributeType, "players.@count"),
    ("years", .integer64AttributeType, "players.age.@sum"),
    ("points", .doubleAttributeType, "players.score.@sum"),
    ("youngest", .integer64AttributeType, "players.age.@min"),
    ("oldest", .integer64AttributeType, "players.age.@max"),
    ("average", .doubleAttributeType, "players.age.@avg"),
    ("fans", .integer64AttributeType, "followers.@count"),
    ("fanYears", .integer64AttributeType, "followers.age.@sum"),
    ("alias", .stringAttributeType, "name"), ("letters", .integer64AttributeType, "length:(name)"),
    ("leaderTeam", .stringAttributeType, "captain.team.name"),
    ("shout", .stringAttributeType, "uppercase:(captain.name)"),
    ("peers", .integer64AttributeType, "captain.team.players.@count"),
    ("share", .doubleAttributeType, "players.@sum.score * 0.5"),
  ]

  static func makeModel() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    guard let team = model.entitiesByName["Team"], let player = model.entitiesByName["Player"]
    else {
      return model
    }
    team.properties += attributes.map { name, type, expression in
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.derivationExpression = NSExpression(format: expression)
      return attribute
    }
    for (name, inverse, isToMany) in [
      ("captain", "leads", false), ("followers", "follows", true),
    ] {
      let one = SampleStack.relationship(name, to: player, toMany: isToMany)
      let other = SampleStack.relationship(inverse, to: team, toMany: isToMany)
      one.inverseRelationship = other
      other.inverseRelationship = one
      team.properties.append(one)
      player.properties.append(other)
    }
    return model
  }

  private static let right: [String: String] = [
    "upper": "ÄPFEL", "lower": "äpfel", "plain": "apfel", "leader": "Ann", "size": "2",
    "years": "50",
    "points": "0.75", "youngest": "20", "oldest": "30", "average": "25.0", "fans": "1",
    "fanYears": "20", "alias": "Äpfel", "letters": "5", "leaderTeam": "Äpfel", "shout": "ANN",
    "peers": "2", "share": "0.375",
  ]

  private static func fill(_ context: NSManagedObjectContext) throws -> NSManagedObject {
    let team = context.insert("Team", ["name": "Äpfel"])
    let ann = context.insert("Player", ["name": "Ann", "age": 20, "score": 0.25, "team": team])
    context.insert("Player", ["name": "Bob", "age": 30, "score": 0.5, "team": team])
    team.setValue(ann, forKey: "captain")
    team.setValue(NSSet(object: ann), forKey: "followers")
    context.insert("Team")
    try context.save()
    return team
  }

  private func derived(_ team: NSManagedObject) -> [String: String] {
    var values: [String: String] = [:]
    for name in Self.right.keys { values[name] = team.value(forKey: name).map { "\($0)" } }
    return values
  }

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
  }

  private func makeStore() throws {
    let stack = try SampleStack(url: url, model: Self.makeModel())
    try stack.context.performAndWait { _ = try Self.fill(stack.context) }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  private func verify(repairing: Bool = false) throws -> StoreVerification {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: repairing)
  }

  @Test("A copy of the model that is still unreadable after its repair does not count as repaired")
  func unrepairedModel() throws {
    try makeStore()
    let plain = try PlainDatabase(url)
    try plain.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'")
    // A repair runs foreign triggers if the store also has its own, which derive values.
    try plain.execute(
      "CREATE TRIGGER spoil AFTER UPDATE ON Z_MODELCACHE BEGIN"
        + " UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'; END")
    func verify() throws -> StoreFinding {
      let result = try NSPersistentStoreCoordinator.verifyPersistentStore(
        at: url, model: Self.makeModel(), repairing: true)
      return try #require(result.findings.first { $0.kind == .model })
    }
    let spoiled = try verify()
    #expect(spoiled.isRepairable && !spoiled.isRepaired)
    try plain.execute("DROP TRIGGER spoil")
    #expect(try verify().isRepaired)
  }

  @Test
  func `Correct values of every kind have no findings, and wrong ones are listed and repaired`()
    throws
  {
    try makeStore()
    #expect(try verify().findings == [])
    // The triggers are removed, because they would derive some of the values again.
    let plain = try PlainDatabase(url)
    for row in try plain.values("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      try plain.execute("DROP TRIGGER \"\(row[0].text ?? "")\"")
    }
    for (name, type, _) in Self.attributes where name != "changed" {
      let wrong = type == .stringAttributeType ? "'wrong'" : "60"
      try plain.execute("UPDATE ZTEAM SET Z\(name.uppercased()) = \(wrong) WHERE Z_PK = 1")
    }
    let found = try verify()
    #expect(
      found.findings.allSatisfy {
        // A canonical string is not repaired: only Apple's Core Data defines what is canonical, so the value may be
        // correct.
        $0.kind == .derivedValue && $0.isRepairable == ($0.property != "plain") && $0.count == 1
      })
    #expect(Set(found.findings.compactMap(\.property)) == Set(Self.right.keys))
    #expect(
      found.findings.map(\.description).contains(
        "Team.size: 1 value differs from count:(players) (key 1)")
        || found.findings.map(\.description).contains(
          "Team.size: 1 value differs from players.@count (key 1)"),
      "\(found.findings)")
    let repaired = try verify(repairing: true)
    #expect(repaired.findings.filter { !$0.isRepaired }.map(\.property) == ["plain"])
    #expect(try verify().findings.map(\.property) == ["plain"])
    try plain.execute("UPDATE ZTEAM SET ZPLAIN = 'apfel' WHERE Z_PK = 1")
    #expect(try verify().findings == [])
    let stack = try SampleStack(url: url, model: Self.makeModel())
    try stack.context.performAndWait {
      let team = try #require(try stack.context.all("Team", "name != nil").first)
      #expect(derived(team) == Self.right)
    }
  }

  @Test(arguments: [
    "NULL", "'never'", "9e999", "\(Date.distantFuture.timeIntervalSinceReferenceDate)",
  ])
  func `An invalid or future time of change is listed and not repaired`(value: String) throws {
    try makeStore()
    try PlainDatabase(url).execute("UPDATE ZTEAM SET ZCHANGED = \(value) WHERE Z_PK = 2")
    let found = try verify(repairing: true).findings.filter { $0.kind == .derivedValue }
    #expect(
      found.map(\.description) == ["Team.changed: 1 value is not the time of a change (key 2)"]
        || found.map(\.description) == ["Team.changed: 1 value differs from now() (key 2)"])
    #expect(found.allSatisfy { !$0.isRepairable })
  }

  // Source: Apple's page for NSDerivedAttributeDescription: "Core Data sets and updates the
  // attribute's value when you save a managed object", whatever it was before.
  @Test func `Values that a program sets in derived attributes of any kind are not stored`() throws
  {
    let stack = try SampleStack(url: url, model: Self.makeModel())
    try stack.context.performAndWait {
      let context = stack.context
      let team = try Self.fill(context)
      #expect(derived(team) == Self.right)
      let before = try #require(team.value(forKey: "changed") as? Date)
      func setAll(_ team: NSManagedObject) {
        for (name, type, _) in Self.attributes {
          switch type {
          case .stringAttributeType: team.setValue("wrong", forKey: name)
          case .dateAttributeType: team.setValue(Date.distantPast, forKey: name)
          default: team.setValue(60, forKey: name)
          }
        }
      }
      setAll(team)
      #expect(team.value(forKey: "size") as? Int == 60)
      try context.save()
      #expect(derived(team) == Self.right)
      #expect(!context.hasChanges)
      let after = try #require(team.value(forKey: "changed") as? Date)
      #expect(after >= before)
      context.refreshAllObjects()
      #expect(derived(team) == Self.right)
      #expect(
        try context.all("Team", "#size == 60 OR upper == 'wrong' OR leader == 'wrong'").isEmpty)
      // The same attributes are set together with other changes.
      setAll(team)
      team.setValue("Birnen", forKey: "name")
      if let bob = try context.all("Player", "name == 'Bob'").first { context.delete(bob) }
      try context.save()
      #expect(team.value(forKey: "upper") as? String == "BIRNEN")
      #expect(team.value(forKey: "size") as? Int == 1)
      #expect(team.value(forKey: "oldest") as? Int == 20)
      // The attributes of a new object are set, in its context and then in a child context.
      let other = context.insert("Team", ["name": "New"])
      setAll(other)
      try context.save()
      #expect(
        other.value(forKey: "size") as? Int == 0 && other.value(forKey: "upper") as? String == "NEW"
      )
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      let id = other.objectID
      try child.performAndWait {
        setAll(child.object(with: id))
        try child.save()
      }
      try context.save()
      #expect(
        other.value(forKey: "size") as? Int == 0 && other.value(forKey: "upper") as? String == "NEW"
      )
      try child.performAndWait {
        let twin = try child.existingObject(with: id)
        child.refresh(twin, mergeChanges: false)
        #expect(twin.value(forKey: "size") as? Int == 0)
      }
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
    #expect(try verify().findings == [])
  }
}
