import CoreData
import FixtureSupport
import ObjectModel
import Testing

/// Stores with damaged metadata, entity numbers or models, and stores with models that break this library's rules. Rows
/// that SQL can read must be readable. Both occur in real stores: the model of iOS's DataUsage.sqlite has an ordered
/// to-one relationship, and a NotesV7.storedata of macOS has a NULL property list (test data of the plaso project).
@Suite("Damaged and invalid stores can be read")
struct DegradedStoresTests {
  static var readOnly: [AnyHashable: Any] { [NSReadOnlyPersistentStoreOption: true] }

  // MARK: Models that break rules

  /// A rule, and a change to the sample's model that breaks it.
  struct Break: CustomTestStringConvertible, Sendable {
    let kind: ModelProblem.Kind
    /// Whether stores with such a model can be written as well.
    var isWritable = true
    let apply: @Sendable (NSManagedObjectModel) -> Void
    var testDescription: String { kind.rawValue }
  }

  private static func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType,
    _ change: (NSAttributeDescription) -> Void = { _ in }
  ) -> NSAttributeDescription {
    let attribute = SampleStore.attribute(name, type)
    change(attribute)
    return attribute
  }

  /// An entity outside any model.
  private static let outsider: NSEntityDescription = {
    let entity = NSEntityDescription()
    entity.name = "Elsewhere"
    return entity
  }()

  static let breaks: [Break] = [
    Break(kind: .orderedToOne) {
      $0.entitiesByName["Player"]?.relationshipsByName["team"]?.isOrdered = true
      $0.entitiesByName["Fan"]?.relationshipsByName["team"]?.isOrdered = true
    },
    Break(kind: .reservedName) {
      $0.entitiesByName["Club"]?.properties += [attribute("hash"), attribute("objectID")]
    },
    Break(kind: .impossibleName) {
      $0.entitiesByName["Club"]?.properties += [attribute("a@b"), attribute("c d.e")]
    },
    Break(kind: .impossibleCount) {
      $0.entitiesByName["Team"]?.relationshipsByName["players"]?.minCount = 5
      $0.entitiesByName["Team"]?.relationshipsByName["players"]?.maxCount = 2
    },
    Break(kind: .unstorableType) {
      $0.entitiesByName["Club"]?.properties += [
        attribute("nothing", .undefinedAttributeType), attribute("id", .objectIDAttributeType),
      ]
    },
    Break(kind: .wrongDefault) {
      $0.entitiesByName["Club"]?.properties += [
        attribute("count", .integer16AttributeType) { $0.defaultValue = "many" },
        attribute("text") { $0.defaultValue = NSNumber(value: 3) },
        attribute("day", .dateAttributeType) { $0.defaultValue = "today" },
        attribute("small", .integer16AttributeType) { $0.defaultValue = NSNumber(value: 1 << 40) },
      ]
    },
    Break(kind: .impossibleRange) {
      $0.entitiesByName["Club"]?.properties += [
        attribute("range", .integer16AttributeType) {
          $0.validationRules = [.init(.minimum(.integer(9))), .init(.maximum(.integer(1)))]
        }
      ]
    },
    Break(kind: .invalidPattern) {
      $0.entitiesByName["Club"]?.properties += [
        attribute("code") { $0.validationRules = [.init(.matches("(["))] }
      ]
    },
    Break(kind: .invalidDerivation) {
      let one = NSDerivedAttributeDescription()
      (one.name, one.attributeType) = ("one", .stringAttributeType)
      let two = NSDerivedAttributeDescription()
      (two.name, two.attributeType, two.derivationText) =
        ("two", .integer64AttributeType, "nowhere.@count")
      $0.entitiesByName["Club"]?.properties += [one, two]
    },
    Break(kind: .invalidConstraint) {
      $0.entitiesByName["Club"]?.uniquenessConstraints = [["nowhere"], ["players"], ["name", "x"]]
    },
    Break(kind: .invalidIndex) {
      $0.entitiesByName["Club"]?.indexes = [
        NSFetchIndexDescription(name: "none", elements: []),
        NSFetchIndexDescription(
          name: "nowhere",
          elements: [
            NSFetchIndexElementDescription(propertyName: "nowhere", collationType: .binary)
          ]),
      ]
    },
    Break(kind: .unnamedIndex) {
      $0.entitiesByName["Club"]?.indexes = [
        NSFetchIndexDescription(
          name: "",
          elements: [NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)])
      ]
    },
    Break(kind: .invalidFetchedProperty) {
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "found"
      let other = NSFetchedPropertyDescription()
      other.name = "lost"
      other.fetchTemplate = FetchRequestTemplate(name: "lost", entityName: "Nowhere")
      $0.entitiesByName["Club"]?.properties += [fetched, other]
    },
    Break(kind: .invalidFetchRequest) {
      $0.fetchRequestTemplates["lost"] = FetchRequestTemplate(name: "lost", entityName: "Nowhere")
    },
    Break(kind: .invalidConfiguration) {
      $0.setEntities($0.entities.filter { $0.name == "Club" }, forConfigurationName: "Some")
      $0.configurationTable[0].entityNames.append("Nowhere")
    },
    Break(kind: .invalidComposite) {
      let composite = NSCompositeAttributeDescription()
      composite.name = "place"
      let outer = NSCompositeAttributeDescription()
      (outer.name, outer.elements) = (
        "address",
        [
          attribute("picture", .binaryDataAttributeType) {
            $0.allowsExternalBinaryDataStorage = true
          }
        ]
      )
      $0.entitiesByName["Club"]?.properties += [composite, outer]
    },
    Break(kind: .missingName) {
      $0.entitiesByName["Club"]?.properties += [attribute(""), attribute("other")]
    },
    Break(kind: .repeatedName) {
      $0.entitiesByName["Club"]?.properties += [attribute("twice"), attribute("twice")]
    },
    Break(kind: .inheritedName) {
      $0.entitiesByName["Captain"]?.properties += [attribute("name")]
    },
    Break(kind: .missingDestination) {
      let relationship = NSRelationshipDescription()
      relationship.name = "nowhere"
      $0.entitiesByName["Club"]?.properties += [relationship]
    },
    Break(kind: .destinationOutsideModel) {
      let relationship = NSRelationshipDescription()
      (relationship.name, relationship.destinationEntity) = ("away", outsider)
      $0.entitiesByName["Club"]?.properties += [relationship]
    },
    Break(kind: .tableClash, isWritable: false) {
      let twin = NSEntityDescription()
      twin.name = "CLUB"
      $0.entities.append(twin)
    },
    Break(kind: .wrongInverse, isWritable: false) {
      let (team, fan) = ($0.entitiesByName["Team"], $0.entitiesByName["Fan"])
      team?.relationshipsByName["players"]?.inverseRelationship = fan?.relationshipsByName["team"]
    },
  ]

  /// The broken rules that an archive of a model cannot contain, because it has each entity only once, by name, and
  /// only valid strings.
  private static let beyondArchives: Set<ModelProblem.Kind> = [
    .circularParents, .tooManyAncestors, .relativeOutsideModel, .sharedDescription, .unreadableText,
  ]

  @Test("There is a model for each rule whose violation is an error that an archive can contain")
  func everyRule() {
    let errors = ModelProblem.Kind.allCases.filter { $0.severity == .error }
    #expect(Set(errors) == Set(Self.breaks.map(\.kind)).union(Self.beyondArchives))
  }

  /// Returns a model as it would be read from a compiled file or a store: archived and unarchived.
  private static func compiled(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
    try NSManagedObjectModel(storeModelCache: try model.storeModelCache())
  }

  func fill(_ context: NSManagedObjectContext) throws {
    let team = context.insert("Team", ["name": "Reds"])
    for name in ["Ann", "Bob"] {
      context.insert("Player", ["name": name]).setValue(team, forKey: "team")
    }
    context.insert("Captain", ["name": "Cid"]).setValue(team, forKey: "team")
    context.insert("Club", ["name": "Harbour"])
    try context.save()
  }

  @Test(
    "A broken rule is an error in a new model, and a warning in a store's model",
    arguments: breaks)
  func rules(_ rule: Break) throws {
    let built = SampleStore.model()
    rule.apply(built)
    #expect(built.problems.contains { $0.kind == rule.kind && $0.severity == .error })
    #expect(throws: NSError.self) { try built.validate() }
    let model = try Self.compiled(built)
    #expect(model.problems.allSatisfy { $0.severity == .warning })
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    if rule.isWritable {
      // The store is created and written with this model.
      let store = try OpenStore(url, model)
      try store.context.performAndWait {
        // These models have rules that no value satisfies, so no object can be saved.
        if rule.kind == .impossibleCount || rule.kind == .impossibleRange
          || rule.kind == .invalidPattern
        {
          return
        }
        try fill(store.context)
      }
      try store.close()
    } else {
      let store = try OpenStore(url, SampleStore.model())
      try store.context.performAndWait { try fill(store.context) }
      try store.close()
      let bytes = try built.storeModelCache().map { String(format: "%02x", $0) }.joined()
      try PlainDatabase(url).execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(bytes)'")
      var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: url)
      metadata[NSStoreModelVersionHashesKey] = built.entityVersionHashesByName
      try NSPersistentStoreCoordinator.setMetadata(
        metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: url)
      let refused = #expect(throws: NSError.self) { try OpenStore(url, model) }
      // The model can be used for reading, as below.
      let text = "Stores of the model can only be read (NSReadOnlyPersistentStoreOption)"
      #expect(refused?.localizedDescription.hasPrefix(text) == true)
    }
    let own = try #require(try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url))
    // An archive always repeats inherited properties, and cannot have two properties with one name, or a configuration
    // with an entity that the model lacks.
    if ![.inheritedName, .repeatedName, .invalidConfiguration].contains(rule.kind) {
      #expect(
        own.problems.contains { $0.kind == rule.kind || rule.kind == .wrongInverse }
          || !model.unrecognized.isEmpty)
    }
    let store = try OpenStore(url, own, options: Self.readOnly)
    try store.context.performAndWait { try expectRows(url, own, store.context) }
    try store.close()
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    #expect(!found.findings.contains { $0.kind == .model || $0.kind == .damage })
  }

  // A store has a copy of the whole model, including the texts that it does not use.
  @Test("A store can be created with a compiled model that contains an invalid text")
  func invalidText() throws {
    let model = SampleStore.model()
    model.entitiesByName["Club"]?.spotlightDisplayText = "name +"
    #expect(throws: NSError.self) { try model.validate() }
    model.isCompiled = true
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try OpenStore(url, model)
    try store.context.performAndWait { try fill(store.context) }
    try store.close()
    let own = try #require(try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url))
    #expect(own.entitiesByName["Club"]?.spotlightDisplayText == nil)
    #expect(own.entityVersionHashesByName == model.entityVersionHashesByName)
  }

  @Test("Unknown parts of a model are omitted and listed, and everything else is read")
  func foreignParts() throws {
    let built = SampleStore.model()
    let club = try #require(built.entitiesByName["Club"])
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "found"
    fetched.fetchTemplate = FetchRequestTemplate(name: "found", entityName: "Team")
    fetched.fetchTemplate?.predicateFormat = "name == 'Reds'"
    let text = Self.attribute("text") { $0.validationRules = [.init(.format("SELF != 'x'"))] }
    let derived = NSDerivedAttributeDescription()
    (derived.name, derived.attributeType, derived.derivationText) =
      ("upper", .stringAttributeType, "uppercase:(name)")
    club.properties += [fetched, text, derived]
    let index = NSFetchIndexDescription(
      name: "partial",
      elements: [NSFetchIndexElementDescription(propertyName: "name", collationType: .binary)])
    index.partialPredicateFormat = "name != 'x'"
    club.indexes = [index]
    built.fetchRequestTemplates["reds"] = FetchRequestTemplate(name: "reds", entityName: "Team")
    built.fetchRequestTemplates["reds"]?.predicateFormat = "name == 'Reds'"
    try built.validate()
    // A later version of Apple's systems may archive predicates and expressions with other classes.
    var archive = try Deflate.decompress(try built.storeModelCache(), limit: 1 << 20)
    for name in ["NSComparisonPredicate", "NSFunctionExpression"] {
      let (old, new) = (Data(name.utf8), Data(("XX" + name.dropFirst(2)).utf8))
      while let place = archive.range(of: old) { archive.replaceSubrange(place, with: new) }
    }
    let read = try NSManagedObjectModel(storeModelCache: try Deflate.compress(archive))
    try read.validate()
    let readClub = try #require(read.entitiesByName["Club"])
    #expect(
      Set(club.propertiesByName.keys).subtracting(readClub.propertiesByName.keys) == ["found"])
    #expect(readClub.attributesByName["text"]?.validationRules.isEmpty == true)
    #expect(readClub.indexes.isEmpty && read.fetchRequestTemplates.isEmpty)
    #expect(read.unrecognized.filter { $0.contains("XXComparisonPredicate") }.count == 4)
    #expect(read.unrecognized.filter { $0.contains("XXFunctionExpression") }.count == 1)
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait { try fill(store.context) }
    try store.close()
    var options = Self.readOnly
    options[NSIgnorePersistentStoreVersioningOption] = true
    let again = try OpenStore(url, read, options: options)
    try again.context.performAndWait { try expectRows(url, read, again.context) }
    try again.close()
  }

  @Test("Composite attributes that are nested too deeply are omitted")
  func deepComposite() throws {
    var nested: NSAttributeDescription = Self.attribute("x")
    for _ in 0..<40 {
      let composite = NSCompositeAttributeDescription()
      (composite.name, composite.elements) = ("level", [nested])
      nested = composite
    }
    let deep = SampleStore.model()
    deep.entitiesByName["Club"]?.properties += [nested]
    let read = try Self.compiled(deep)
    #expect(read.unrecognized.contains { $0.contains("nested too deep") })
    try read.validate()
  }

  /// Checks that all rows of all entities can be read, with a value for each property.
  private func expectRows(
    _ url: URL, _ model: NSManagedObjectModel, _ context: NSManagedObjectContext,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let plain = try PlainDatabase(url)
    let tables = Set(
      try plain.values("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap {
        $0[0].text
      })
    let roots = Dictionary(grouping: model.entities.filter { $0.superentity == nil }) {
      "Z" + ($0.name ?? "").uppercased()
    }
    for (table, roots) in roots where tables.contains(table) {
      let count = try plain.values("SELECT COUNT(*) FROM \"\(table)\"")[0][0].integer
      let objects = try roots.flatMap {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: $0.name ?? ""))
      }
      #expect(objects.count == count.map(Int.init), "\(table)", sourceLocation: sourceLocation)
      for object in objects.prefix(20) {
        for property in object.entity.properties where !(property is NSFetchedPropertyDescription) {
          _ = object.value(forKey: property.name)
        }
      }
    }
  }

  // MARK: Descriptions of the store itself

  static let damages: [String] = [
    "UPDATE Z_METADATA SET Z_PLIST = NULL",
    "UPDATE Z_METADATA SET Z_PLIST = x'0011223344'",
    "UPDATE Z_METADATA SET Z_PLIST = SUBSTR(Z_PLIST, 1, LENGTH(Z_PLIST) / 2)",
    "UPDATE Z_METADATA SET Z_UUID = NULL",
    "DELETE FROM Z_METADATA",
    "DROP TABLE Z_METADATA",
    "ALTER TABLE Z_METADATA DROP COLUMN Z_PLIST",
    "DROP TABLE Z_PRIMARYKEY",
    "DELETE FROM Z_PRIMARYKEY",
    "ALTER TABLE Z_PRIMARYKEY RENAME COLUMN Z_NAME TO LOST",
    "ALTER TABLE Z_PRIMARYKEY RENAME COLUMN Z_ENT TO LOST",
    "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL",
    "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'",
    "UPDATE Z_MODELCACHE SET Z_CONTENT = SUBSTR(Z_CONTENT, 1, LENGTH(Z_CONTENT) * 9 / 10)",
    "UPDATE Z_MODELCACHE SET Z_CONTENT = SUBSTR(Z_CONTENT, 1, LENGTH(Z_CONTENT) / 3)",
    "UPDATE Z_MODELCACHE SET Z_CONTENT = SUBSTR(Z_CONTENT, 100)",
    "DELETE FROM Z_MODELCACHE",
    "DROP TABLE Z_MODELCACHE",
    "DROP TABLE Z_METADATA; DROP TABLE Z_PRIMARYKEY",
    "UPDATE Z_METADATA SET Z_PLIST = NULL; UPDATE Z_MODELCACHE SET Z_CONTENT = NULL",
    "DROP TABLE Z_PRIMARYKEY; UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'",
  ]

  @Test(
    "A damaged store can be read with any model, and written only if that is safe",
    arguments: damages)
  func ours(_ damage: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait { try fill(store.context) }
    try store.close()
    try PlainDatabase(url).execute(damage)
    try expectReadable(url, SampleStore.model())
    let isUnsafe = damage.contains("Z_METADATA") || damage.contains("Z_PRIMARYKEY")
    if isUnsafe {
      #expect(throws: NSError.self) { try OpenStore(url, SampleStore.model()) }
      if damage.contains("Z_METADATA") {
        #expect(throws: NSError.self) {
          try NSPersistentStoreCoordinator.setMetadata(
            ["a": "b"], forPersistentStoreOfType: NSSQLiteStoreType, at: url)
        }
      }
    } else {
      let again = try OpenStore(url, SampleStore.model())
      try again.context.performAndWait {
        again.context.insert("Club", ["name": "Bay"])
        try again.context.save()
      }
      try again.close()
    }
    // A damaged store is copied unchanged.
    let copy = folder.file("copy.sqlite")
    try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
      .replacePersistentStore(at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    try expectReadable(copy, SampleStore.model())
  }

  /// The stores below 1 MB, which are tested with every kind of damage. The larger ones are photo libraries, which
  /// differ only in size.
  static let small = StoreFixture.all.filter { fixture in
    let size =
      try? FileManager.default.attributesOfItem(atPath: Fixtures.url(fixture.path).path)[
        .size] as? NSNumber
    return (size?.intValue ?? 0) < 1_000_000
  }

  func expectReadable(
    _ url: URL, _ given: NSManagedObjectModel?, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let readable = try NSPersistentStoreCoordinator.readableStore(at: url)
    for model in [given, readable.model].compactMap({ $0 }) {
      var options = Self.readOnly
      if model === readable.model {
        options[NSIgnorePersistentStoreVersioningOption] = true
      }
      let store = try OpenStore(url, model, options: options)
      #expect(store.coordinator.persistentStores.first?.identifier.isEmpty == false)
      try store.context.performAndWait {
        try expectRows(url, model, store.context, sourceLocation: sourceLocation)
      }
      try store.close()
    }
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, model: given)
    if !readable.warnings.isEmpty, given == nil {
      #expect(!found.isIntact, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "Stores written by Apple's Core Data can be read with each kind of damage",
    .enabled(if: Fixtures.areAvailable, "no fixtures"),
    arguments: small)
  func apples(_ fixture: StoreFixture) throws {
    let number = Self.small.firstIndex { $0.path == fixture.path } ?? 0
    for (index, damage) in Self.damages.enumerated() {
      // By default, each store has every fourth kind of damage, and each kind of damage is in every fourth store.
      guard WholeRun.isChosen || (number + index).isMultiple(of: 4) else { continue }
      let folder = try TemporaryFolder()
      let url = try fixture.copy(into: folder)
      // Old stores contain no model.
      if damage.contains("Z_MODELCACHE"),
        try PlainDatabase(url).columns()["Z_MODELCACHE"] == nil
      {
        continue
      }
      try PlainDatabase(url).execute(damage)
      do { try expectReadable(url, nil) } catch {
        Issue.record("\(damage): \(error.localizedDescription)")
      }
    }
  }

  @Test("The rest of a truncated model provides the spelling of names")
  func spelling() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait { try fill(store.context) }
    try store.close()
    try PlainDatabase(url).execute(
      "UPDATE Z_MODELCACHE SET Z_CONTENT = SUBSTR(Z_CONTENT, 1, LENGTH(Z_CONTENT) * 19 / 20)")
    let readable = try NSPersistentStoreCoordinator.readableStore(at: url)
    #expect(!readable.isOwn && readable.warnings.count == 1)
    #expect(readable.warnings.first?.contains("Z_MODELCACHE") == true)
    let player = try #require(readable.model.entitiesByName["Player"])
    #expect(player.attributesByName["isActive"]?.attributeType == .integer64AttributeType)
  }

  @Test(
    "A store with missing parts is not migrated and not changed",
    arguments: [
      "ALTER TABLE ZPLAYER DROP COLUMN ZHEIGHT", "DROP TABLE ZCLUB",
      "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Captain'",
      "UPDATE Z_METADATA SET Z_PLIST = NULL",
    ])
  func migrating(_ damage: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let old = SampleStore.model()
    let made = try OpenStore(url, old)
    try made.context.performAndWait { try fill(made.context) }
    try made.close()
    try PlainDatabase(url).execute(damage)
    let new = SampleStore.model()
    new.entitiesByName["Player"]?.properties.append(Self.attribute("note"))
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    let target = folder.file("new.sqlite")
    #expect(throws: NSError.self) {
      try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
        from: url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
    }
    #expect(!FileManager.default.fileExists(atPath: target.path))
    #expect(throws: NSError.self) {
      try OpenStore(
        url, new,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true,
          NSInferMappingModelAutomaticallyOption: true,
        ])
    }
    try expectReadable(url, old)
  }

  @Test("Missing tables and columns affect only their own values")
  func lostTables() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let model = SampleStore.model()
    let made = try OpenStore(url, model)
    try made.context.performAndWait { try fill(made.context) }
    try made.close()
    try PlainDatabase(url).execute(
      "ALTER TABLE ZPLAYER DROP COLUMN ZHEIGHT; DROP TABLE ZCLUB;"
        + " DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Captain'")
    let store = try OpenStore(url, model, options: Self.readOnly)
    try store.context.performAndWait {
      let players = try store.context.all("Player", sort: ["name"])
      #expect(players.map { $0.value(forKey: "name") as? String } == ["Ann", "Bob", "Cid"])
      #expect(players.map { $0.value(forKey: "height") as? Double } == [nil, nil, nil])
      #expect(players.last?.entity.name == "Captain")
      let team = try #require(try store.context.all("Team").first)
      #expect((team.value(forKey: "players") as? Set<NSManagedObject>)?.count == 3)
    }
    try store.close()
    #expect(throws: NSError.self) { try OpenStore(url, model) }
  }
}
