import CoreData
import CoreDataTestSupport
import FixtureSupport
import Testing

/// Derived attributes with many kinds of expressions, such as key paths of several steps, calculations, and functions
/// of these. Source of the allowed expressions: NSDerivedAttributeDescription.h (macOS 11.3): "the expression must
/// either be a keypath expression (including @operation components) or a function expression using one of the
/// predefined functions"; Apple's page for the class: to-one key paths, and functions of them.
@Suite(
  "Derived attributes that are expressions",
  .only(TestedStore.sqlKinds, "Apple: only SQLite stores support derived attributes"))
struct DerivedExpressionTests {
  private static func derive(
    _ model: NSManagedObjectModel, _ entity: String, _ name: String, _ expression: String,
    _ type: NSAttributeType = .integer64AttributeType
  ) {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.derivationExpression = NSExpression(format: expression)
    model.entitiesByName[entity]?.properties.append(attribute)
  }

  private static func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    derive(model, "Locker", "teamName", "owner.team.name", .stringAttributeType)
    derive(model, "Locker", "shout", "uppercase:(owner.team.name)", .stringAttributeType)
    derive(model, "Locker", "fellows", "owner.team.players.@count")
    derive(model, "Player", "alias", "name", .stringAttributeType)
    derive(model, "Player", "letters", "length:(name)")
    derive(model, "Player", "twice", "score * 2", .doubleAttributeType)
    derive(model, "Player", "shout", "uppercase:(team.name)", .stringAttributeType)
    // Depends on another derived attribute.
    derive(model, "Player", "volume", "length:(shout)")
    derive(model, "Team", "span", "players.@max.age - players.@min.age")
    derive(model, "Tag", "both", "players.@sum.score + players.@count", .doubleAttributeType)
    return model
  }

  private static let names: [String: [String]] = [
    "Locker": ["teamName", "shout", "fellows"],
    "Player": ["alias", "letters", "twice", "shout", "volume"], "Team": ["span"], "Tag": ["both"],
  ]

  /// The derived values as text: numbers as `2.0`, missing values as `nil`.
  private func derived(_ object: NSManagedObject) -> String {
    let entity = object.entity.name ?? ""
    return (Self.names[entity == "Captain" ? "Player" : entity] ?? []).map { name in
      switch object.value(forKey: name) {
      case let number as NSNumber: "\(number.doubleValue)"
      case let text as String: text
      default: "nil"
      }
    }.joined(separator: " ")
  }

  @Test("Derived values follow every row they depend on, through functions and several steps")
  func kinds() throws {
    try SampleStack.withContext(model: Self.model()) { context in
      // The locker is inserted first, so the rows that it depends on are written after it.
      let locker = context.insert("Locker", ["number": 1])
      let captain = context.insert("Captain", ["name": "Ann", "score": 1.5, "age": 20])
      let (red, blue) = (
        context.insert("Team", ["name": "Red"]), context.insert("Team", ["name": "Bluebirds"])
      )
      let tag = context.insert("Tag", ["label": "t"])
      try context.save()
      #expect(derived(locker) == "nil nil 0.0")
      #expect(derived(captain) == "Ann 3.0 3.0 nil nil")
      #expect(derived(red) == "nil" && derived(tag) == "0.0")
      // The following saves change both ends of each relationship, and the values of the objects there.
      locker.setValue(captain, forKey: "owner")
      try context.save()
      #expect(derived(locker) == "nil nil 0.0")
      captain.setValue(red, forKey: "team")
      try context.save()
      #expect(derived(locker) == "Red RED 1.0")
      #expect(derived(captain) == "Ann 3.0 3.0 RED 3.0")
      #expect(derived(red) == "0.0")
      red.setValue("Reds", forKey: "name")
      try context.save()
      #expect(derived(locker) == "Reds REDS 1.0")
      #expect(derived(captain) == "Ann 3.0 3.0 REDS 4.0")
      let bob = context.insert("Player", ["name": "Bob", "age": 33, "score": 0.25, "team": red])
      tag.setValue(NSSet(array: [bob, captain]), forKey: "players")
      try context.save()
      #expect(derived(locker) == "Reds REDS 2.0" && derived(red) == "13.0")
      #expect(derived(tag) == "3.75")
      bob.setValue(blue, forKey: "team")
      captain.setValue("Annabel", forKey: "name")
      captain.setValue(8.0, forKey: "score")
      try context.save()
      #expect(derived(bob) == "Bob 3.0 0.5 BLUEBIRDS 9.0")
      #expect(derived(captain) == "Annabel 7.0 16.0 REDS 4.0")
      #expect(derived(locker) == "Reds REDS 1.0" && derived(tag) == "10.25")
      #expect(derived(red) == "0.0" && derived(blue) == "0.0")
      captain.setValue(nil, forKey: "name")
      captain.setValue(nil, forKey: "score")
      locker.setValue(bob, forKey: "owner")
      tag.setValue(NSSet(object: bob), forKey: "players")
      try context.save()
      #expect(derived(captain) == "nil nil nil REDS 4.0")
      #expect(derived(locker) == "Bluebirds BLUEBIRDS 1.0" && derived(tag) == "1.25")
      context.delete(blue)
      try context.save()
      #expect(derived(bob) == "Bob 3.0 0.5 nil nil" && derived(locker) == "nil nil 0.0")
      context.delete(bob)
      context.delete(captain)
      try context.save()
      #expect(derived(red) == "nil" && derived(tag) == "0.0")
      #expect(derived(locker) == "nil nil 0.0")
    }
  }

  @Test("Operators inside lists use the value of each member, too")
  func nestedOperators() throws {
    let model = SampleStack.makeModel()
    Self.derive(model, "Team", "most", "max:({players.age.@sum, 1})")
    try SampleStack.withContext(model: model) { context in
      let team = context.insert("Team", ["name": "Red"])
      for _ in 0..<2 { context.insert("Player", ["age": 30, "team": team]) }
      try context.save()
      #expect(team["most"] as Int? == 60)
    }
  }

  /// Returns a model of trees. The size of a node is the number of nodes in the tree below and including it.
  private static func trees() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let node = NSEntityDescription()
    node.name = "Node"
    let parent = SampleStack.relationship("parent", to: node)
    let children = SampleStack.relationship("children", to: node, toMany: true)
    parent.inverseRelationship = children
    children.inverseRelationship = parent
    node.properties = [parent, children]
    model.entities.append(node)
    derive(model, "Node", "size", "children.@sum.size + 1")
    return model
  }

  @Test("A value that is derived from the same value of other rows follows any number of steps")
  func depth() throws {
    try SampleStack.withContext(model: Self.trees()) { context in
      // The root is inserted first, so each value depends on one that is computed after it.
      var nodes = [context.insert("Node")]
      for _ in 1..<10 { nodes.append(context.insert("Node", ["parent": nodes[nodes.count - 1]])) }
      try context.save()
      #expect(nodes.map { $0["size"] as Int? ?? 0 } == Array((1...10).reversed()))
      nodes.append(context.insert("Node", ["parent": nodes[9]]))
      try context.save()
      #expect(nodes.map { $0["size"] as Int? ?? 0 } == Array((1...11).reversed()))
      context.delete(nodes.removeLast())
      try context.save()
      #expect(nodes.map { $0["size"] as Int? ?? 0 } == Array((1...10).reversed()))
    }
  }

  @Test("A save that makes a value depend on itself is an error, and changes nothing")
  func circle() throws {
    try SampleStack.withContext(model: Self.trees()) { context in
      let root = context.insert("Node")
      let leaf = context.insert("Node", ["parent": root])
      try context.save()
      root.setValue(leaf, forKey: "parent")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSPersistentStoreOperationError)
      #expect(
        error?.localizedDescription.contains(": Node.size (key ") == true,
        "\(error.map { "\($0)" } ?? "")")
      context.rollback()
      #expect(root["size"] == 2 as Int? && leaf["size"] == 1 as Int?)
      leaf.setValue(nil, forKey: "parent")
      try context.save()
      #expect(root["size"] == 1 as Int?)
    }
  }

  @Test("A value that no expression can use is copied between attributes of the same form")
  func copies() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("logo", .transformableAttributeType))
    Self.derive(model, "Player", "teamLogo", "team.logo", .transformableAttributeType)
    try SampleStack.withContext(model: model) { context in
      let logo = NSArray(array: ["red", "white"])
      let team = context.insert("Team", ["logo": logo])
      let player = context.insert("Player", ["team": team])
      try context.save()
      #expect(player.value(forKey: "teamLogo") as? NSArray == logo)
    }
  }

  /// A derived attribute of a player that copies a number of its team.
  struct CopiedNumber: Sendable {
    let source: NSAttributeType
    let value: Double
    let type: NSAttributeType
    let result: Double

    init(_ source: NSAttributeType, _ value: Double, _ type: NSAttributeType, _ result: Double) {
      (self.source, self.value, self.type, self.result) = (source, value, type, result)
    }
  }

  // The results are this library's design. Migrations convert numbers in the same way.
  @Test(
    "A copied number is stored as its attribute's type, and is read and fetched as the same number",
    .only([.sqlite], "the file is read with SQLite and verified"),
    arguments: [
      CopiedNumber(.doubleAttributeType, 2.5, .integer16AttributeType, 2),
      CopiedNumber(.decimalAttributeType, -2.5, .integer64AttributeType, -2),
      // A number out of range keeps its lower bits.
      CopiedNumber(.integer64AttributeType, 100_000, .integer16AttributeType, -31_072),
      CopiedNumber(.integer64AttributeType, 4_294_967_297, .integer32AttributeType, 1),
      CopiedNumber(.integer32AttributeType, 7, .booleanAttributeType, 1),
      CopiedNumber(.doubleAttributeType, 0.1, .floatAttributeType, Double(Float(0.1))),
      CopiedNumber(.integer16AttributeType, 7, .integer64AttributeType, 7),
      CopiedNumber(.integer16AttributeType, 7, .doubleAttributeType, 7),
    ])
  func copiedNumbers(_ copy: CopiedNumber) throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(SampleStack.attribute("given", copy.source))
    Self.derive(model, "Player", "copied", "team.given", copy.type)
    let given: NSNumber =
      copy.source == .decimalAttributeType
      ? NSDecimalNumber(value: copy.value) : NSNumber(value: copy.value)
    try check(model, "Player", "copied", is: copy.result) { context in
      let team = context.insert("Team", ["given": given])
      context.insert("Player", ["team": team])
    }
  }

  @Test(
    "The result of an operator is stored as its attribute's type",
    .only([.sqlite], "the file is read with SQLite and verified"),
    arguments: [
      ("players.@avg.age", NSAttributeType.integer32AttributeType, 1.0),
      ("players.@avg.age", .doubleAttributeType, 1.5),
      ("players.@sum.age", .integer16AttributeType, 3.0),
      ("players.@max.age", .booleanAttributeType, 1.0),
      ("players.@max.score", .integer16AttributeType, 2.0),
      ("players.@count", .integer16AttributeType, 2.0),
    ])
  func operators(expression: String, type: NSAttributeType, result: Double) throws {
    let model = SampleStack.makeModel()
    Self.derive(model, "Team", "outcome", expression, type)
    try check(model, "Team", "outcome", is: result) { context in
      let team = context.insert("Team")
      for age in [1, 2] {
        context.insert(
          "Player",
          ["age": age, "score": Double(age) + 0.5, "number": 50_000, "team": team])
      }
    }
  }

  /// Checks a derived value of the only object of an entity: in the store, in the object, and in a fetch.
  private func check(
    _ model: NSManagedObjectModel, _ entity: String, _ name: String, is result: Double,
    after insert: (NSManagedObjectContext) -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let (store, context) = try TestedStore.sqlite.open(model, at: url)
    try context.performAndWait {
      insert(context)
      try context.save()
      context.reset()
      let format = "\(name) == %@"
      let found = try context.all(entity, format, [NSNumber(value: result)])
      #expect(found.count == 1)
      let object = try #require(try context.all(entity).first)
      #expect((object.value(forKey: name) as? NSNumber)?.doubleValue == result)
    }
    try context.persistentStoreCoordinator?.remove(store)
    let cells = try PlainDatabase(url).values(
      "SELECT Z\(name.uppercased()) FROM Z\(entity.uppercased())")
    #expect(cells.map { $0.first?.real } == [result])
    let verification = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    #expect(verification.findings == [])
  }

  @Test("Derived values can be used in predicates, sort descriptors and dictionaries")
  func fetched() throws {
    try SampleStack.withContext(model: Self.model()) { context in
      let team = context.insert("Team", ["name": "Red"])
      let players = [("Annabel", 1.0), ("Bo", 2.0), ("Cid", 3.0)].map {
        context.insert("Player", ["name": $0, "score": $1, "team": team])
      }
      context.insert("Locker", ["owner": players[1]])
      try context.save()
      context.reset()
      #expect(try context.all("Player", "letters < 4 AND twice > 4").map { $0["name"] } == ["Cid"])
      let sorted = try context.all("Player", sort: ["letters"]).map { $0["name"] as String? }
      #expect(sorted == ["Bo", "Cid", "Annabel"])
      #expect(try context.all("Locker", "shout == 'RED' AND owner.volume == 3").count == 1)
      let request = NSFetchRequest<NSDictionary>(entityName: "Locker")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["teamName", "fellows"]
      let row = try #require(try context.fetch(request).first)
      #expect(row["teamName"] as? String == "Red" && row["fellows"] as? Int == 3)
    }
  }

  @Test("Values that a program sets are not stored")
  func ownValues() throws {
    try SampleStack.withContext(model: Self.model()) { context in
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert(
        "Player", ["name": "Ann", "score": 1.0, "team": team, "alias": "x", "letters": 70])
      let locker = context.insert("Locker", ["owner": player, "teamName": "x", "fellows": 70])
      try context.save()
      #expect(derived(player) == "Ann 3.0 2.0 RED 3.0" && derived(locker) == "Red RED 1.0")
      for (object, key) in [(player, "shout"), (locker, "teamName")] {
        object.setValue("wrong", forKey: key)
      }
      player.setValue(4.0, forKey: "score")
      try context.save()
      #expect(derived(player) == "Ann 3.0 8.0 RED 3.0" && derived(locker) == "Red RED 1.0")
      context.refreshAllObjects()
      #expect(derived(player) == "Ann 3.0 8.0 RED 3.0" && derived(locker) == "Red RED 1.0")
    }
  }

  @Test("Rows with only derived changes are refreshed and reported, and do not conflict")
  func reported() throws {
    let stack = try SampleStack(model: Self.model())
    let (context, other) = (stack.context, stack.newContext())
    other.automaticallyMergesChangesFromParent = true
    let id = try onQueues(of: context, other) {
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["name": "Ann", "team": team])
      let locker = context.insert("Locker", ["owner": player])
      try context.save()
      let twin = try other.existingObject(with: locker.objectID)
      #expect(derived(twin) == "Red RED 1.0")
      let saved = Recorder(.NSManagedObjectContextDidSave, of: context)
      team.setValue("Blue", forKey: "name")
      #expect(!locker.hasChanges && !player.hasChanges)
      try context.save()
      #expect(derived(locker) == "Blue BLUE 1.0")
      let info = try #require(saved.notifications.first?.userInfo)
      #expect(info[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [team])
      #expect(info[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [player, locker])
      // A change to such a row does not conflict.
      locker.setValue(7, forKey: "number")
      try context.save()
      return locker.objectID
    }
    try other.performAndWait {
      let twin = try other.existingObject(with: id)
      #expect(derived(twin) == "Blue BLUE 1.0")
    }
  }

  @Test("Batch requests update derived values")
  func batches() throws {
    try SampleStack.withContext(model: Self.model()) { context in
      context.automaticallyMergesChangesFromParent = true
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["name": "Ann", "age": 20, "team": team])
      let locker = context.insert("Locker", ["owner": player])
      try context.save()
      try context.batchInsert("Player", [["name": "Robert", "score": 2.0, "letters": 70]])
      let inserted = try #require(try context.all("Player", "name == 'Robert'").first)
      #expect(derived(inserted) == "Robert 6.0 4.0 nil nil")
      try context.batchUpdate("Team", nil, ["name": "Blue"])
      #expect(derived(locker) == "Blue BLUE 1.0")
      try context.batchUpdate("Player", nil, ["score": 9.0])
      #expect(derived(inserted) == "Robert 6.0 18.0 nil nil")
      inserted.setValue(team, forKey: "team")
      inserted.setValue(29, forKey: "age")
      try context.save()
      #expect(derived(team) == "9.0" && derived(locker) == "Blue BLUE 2.0")
      try context.batchDelete("Player", "name == 'Robert'")
      #expect(derived(team) == "0.0" && derived(locker) == "Blue BLUE 1.0")
    }
  }

  @Test(
    "Derived values equal the objects' values after random changes, and the store is valid",
    .only([.sqlite], "only files can be verified"))
  func random() throws {
    var generator = SeededGenerator("derived expressions")
    for _ in 0..<4 {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      let (store, context) = try TestedStore.sqlite.open(Self.model(), at: url)
      try context.performAndWait {
        let teams = (0..<3).map { context.insert("Team", ["name": "Team \($0)"]) }
        let tags = (0..<3).map { context.insert("Tag", ["label": "\($0)"]) }
        let lockers = (0..<4).map { context.insert("Locker", ["number": $0]) }
        var players: [NSManagedObject] = []
        func name() -> String {
          String(repeating: "n", count: Int.random(in: 1..<6, using: &generator))
        }
        for _ in 0..<80 {
          switch Int.random(in: 0..<8, using: &generator) {
          case 0:
            players.append(
              context.insert(
                Bool.random(using: &generator) ? "Player" : "Captain",
                ["name": name(), "age": Int.random(in: 0..<50, using: &generator)]))
          case 1 where players.count > 3:
            let player = players.remove(at: Int.random(in: 0..<players.count, using: &generator))
            player.setValue(nil, forKey: "locker")
            context.delete(player)
          case 2: try context.save()
          case 3: teams.randomElement(using: &generator)?.setValue(name(), forKey: "name")
          case 4:
            lockers.randomElement(using: &generator)?.setValue(
              players.randomElement(using: &generator), forKey: "owner")
          default:
            guard let player = players.randomElement(using: &generator) else { continue }
            player.setValue(name(), forKey: "name")
            player.setValue(Double(Int.random(in: 0..<9, using: &generator)), forKey: "score")
            player.setValue(
              (teams + [nil]).randomElement(using: &generator) ?? nil, forKey: "team")
            player.setValue(
              NSSet(array: tags.filter { _ in Bool.random(using: &generator) }), forKey: "tags")
          }
        }
        try context.save()
        for locker in lockers {
          let team = locker.value(forKeyPath: "owner.team") as? NSManagedObject
          let name = team?["name"] as String?
          let fellows = Double((team?.value(forKey: "players") as? NSSet)?.count ?? 0)
          #expect(
            derived(locker) == "\(name ?? "nil") \(name?.uppercased() ?? "nil") \(fellows)")
        }
        for player in players {
          let name = try #require(player["name"] as String?)
          let twice = (player["score"] as Double?).map { "\($0 * 2)" } ?? "nil"
          let team = (player.value(forKeyPath: "team.name") as? String)?.uppercased()
          let volume = team.map { "\(Double($0.count))" } ?? "nil"
          #expect(
            derived(player)
              == "\(name) \(Double(name.count)) \(twice) \(team ?? "nil") \(volume)")
        }
        for team in teams {
          let members = try context.all("Player", "team == %@", [team])
          let ages = members.compactMap { $0["age"] as Int? }
          let span = ages.max().flatMap { most in ages.min().map { Double(most - $0) } }
          #expect(derived(team) == (span.map { "\($0)" } ?? "nil"))
        }
        for tag in tags {
          let members = (tag.value(forKey: "players") as? NSSet)?.allObjects ?? []
          let scores = members.compactMap { ($0 as? NSManagedObject)?["score"] as Double? }
          #expect(derived(tag) == "\(scores.reduce(0, +) + Double(members.count))")
        }
      }
      try context.persistentStoreCoordinator?.remove(store)
      let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
      #expect(found.findings == [])
    }
  }

  /// Returns a model with a derived attribute that SQLite stores cannot compute.
  private static func impossible(
    _ expression: String, _ type: NSAttributeType
  ) -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    let mood = SampleStack.attribute("mood", .stringAttributeType)
    mood.isTransient = true
    model.entitiesByName["Player"]?.properties.append(mood)
    derive(model, "Player", "odd", expression, type)
    return model
  }

  /// Source: NSDerivedAttributeDescription.h: a store that does not support a derivation is not
  /// added. Apple's error for this case is not known.
  @Test(
    "A store whose derivation cannot be computed is not added, and the error says why",
    arguments: [
      ("uppercase:(age)", NSAttributeType.stringAttributeType), ("name", .integer64AttributeType),
      ("length:(name)", .stringAttributeType), ("tags.players.@count", .integer64AttributeType),
      ("team.players.name", .stringAttributeType), ("now()", .stringAttributeType),
      ("length:(mood)", .integer64AttributeType), ("team", .stringAttributeType),
      ("odd + 1", .integer64AttributeType),
      // Triggers could compute these values, but the attribute cannot store them.
      ("team.name", .integer64AttributeType), ("team.founded", .stringAttributeType),
      ("tags.@avg.label", .doubleAttributeType), ("tags.@max.label", .integer64AttributeType),
      ("tags.@count", .stringAttributeType),
      // A copied cell could contain the name of another row's file.
      ("team.photo", .binaryDataAttributeType),
    ])
  func refused(expression: String, type: NSAttributeType) throws {
    let model = Self.impossible(expression, type)
    let photo = SampleStack.attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Team"]?.properties.append(photo)
    let error = #expect(throws: NSError.self) { try SampleStack(model: model) }
    #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(
      error?.localizedDescription.contains(" cannot derive Player.odd: ") == true,
      "\(error.map { "\($0)" } ?? "")")
  }

  @Test(
    "In a compiled model, an attribute that cannot store its values has no value and no triggers",
    .only([.sqlite], "the store is a file"))
  func compiled() throws {
    let model = Self.impossible("team.name", .integer64AttributeType)
    model.isCompiled = true
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let (store, context) = try TestedStore.sqlite.open(model, at: url)
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Red"])
      let player = context.insert("Player", ["team": team])
      try context.save()
      #expect(player.value(forKey: "odd") == nil)
    }
    try context.persistentStoreCoordinator?.remove(store)
    let triggers = try PlainDatabase(url).values(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    #expect(triggers.isEmpty)
  }

  @Test(
    "An unsupported derivation prevents creating a store, but not reading one",
    .only([.sqlite], "the store is a file"))
  func readOnly() throws {
    let model = Self.impossible("uppercase:(age)", .stringAttributeType)
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    #expect(throws: NSError.self) { try TestedStore.sqlite.open(model, at: url) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    // Makes a store like those of earlier versions of this library: its column `odd` is never derived.
    let plain = SampleStack.makeModel()
    plain.entitiesByName["Player"]?.properties.append(
      SampleStack.attribute("odd", .stringAttributeType))
    let (store, context) = try TestedStore.sqlite.open(plain, at: url)
    try context.performAndWait {
      context.insert("Player", ["name": "Ann"])
      try context.save()
    }
    try context.persistentStoreCoordinator?.remove(store)
    let (_, reader) = try TestedStore.sqlite.open(
      model, at: url,
      options: [
        NSReadOnlyPersistentStoreOption: NSNumber(value: true),
        NSIgnorePersistentStoreVersioningOption: NSNumber(value: true),
      ])
    try reader.performAndWait {
      let players = try reader.all("Player")
      #expect(players.map { $0["name"] } == ["Ann"])
    }
  }
}
