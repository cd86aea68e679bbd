import CoreData
import FixtureSupport
import Foundation
import Testing

@Suite struct MigrationValuesTests {
  // MARK: Random graphs

  private func relationship(
    _ name: String, to destination: NSEntityDescription, isToMany: Bool, isOrdered: Bool = false
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.isOptional = true
    relationship.minCount = 0
    relationship.maxCount = isToMany ? 0 : 1
    relationship.isOrdered = isOrdered
    return relationship
  }

  /// Teams with members of two kinds, friends and tags of all members, and a captain.
  private func graphModel(isNew: Bool) -> NSManagedObjectModel {
    let name = LibraryModels.attribute("name", .stringAttributeType)
    let team = LibraryModels.entity("Team", [])
    let member = LibraryModels.entity("Member", [])
    let guest = LibraryModels.entity("Guest", [])
    let tag = LibraryModels.entity("Tag", [])
    func pair(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
      one.inverseRelationship = other
      other.inverseRelationship = one
    }
    let members = relationship("members", to: member, isToMany: true)
    let teamOf = relationship(isNew ? "club" : "team", to: team, isToMany: false)
    if isNew { teamOf.renamingIdentifier = "team" }
    pair(members, teamOf)
    let friends = relationship("friends", to: member, isToMany: true)
    friends.inverseRelationship = friends
    let tags = relationship("tags", to: tag, isToMany: true, isOrdered: true)
    let tagged = relationship("tagged", to: member, isToMany: true)
    pair(tags, tagged)
    let captain = relationship("captain", to: member, isToMany: false)
    let captainOf = relationship("captainOf", to: team, isToMany: false)
    pair(captain, captainOf)
    team.properties = [name, members, captain]
    member.properties = [
      LibraryModels.attribute("name", .stringAttributeType), teamOf, friends, tags, captainOf,
    ]
    guest.properties = [LibraryModels.attribute("fee", .decimalAttributeType)]
    tag.properties = [LibraryModels.attribute("name", .stringAttributeType), tagged]
    if isNew {
      for entity in [team, member, tag] {
        entity.properties.append(
          LibraryModels.attribute(
            "stamp", .integer32AttributeType, isOptional: false, defaultValue: 7))
      }
    }
    member.subentities = [guest]
    let model = NSManagedObjectModel()
    model.entities = [team, member, guest, tag]
    return model
  }

  private func fill(
    _ context: NSManagedObjectContext, _ generator: inout SeededGenerator, members: Int
  ) throws {
    func make(_ entity: String, _ count: Int) -> [NSManagedObject] {
      (0..<count).map { number in
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue("\(entity) \(number)", forKey: "name")
        return object
      }
    }
    let (teams, tags) = (make("Team", 7), make("Tag", 9))
    let people = make("Member", members) + make("Guest", members / 3)
    for person in people {
      if Bool.random(using: &generator) {
        person.setValue(teams.randomElement(using: &generator), forKey: "team")
      }
      let friends = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
        people.randomElement(using: &generator)
      }
      person.setValue(NSSet(array: friends), forKey: "friends")
      person.setValue(
        NSOrderedSet(array: Array(tags.shuffled(using: &generator).prefix(3))), forKey: "tags")
      if person.entity.name == "Guest" {
        person.setValue(NSDecimalNumber(string: "12.50"), forKey: "fee")
      }
    }
    for team in teams.dropLast() {
      team.setValue(people.randomElement(using: &generator), forKey: "captain")
    }
    try context.save()
  }

  /// Everything in a store, as text.
  private func picture(_ rows: Rows, team: String) throws -> [String] {
    var texts: [String] = []
    texts += try rows.map("Team") {
      "\($0.text("name")): \($0.texts("members", "name")) captain \($0.text("captain.name"))"
    }
    for entity in ["Member", "Guest"] {
      texts += try rows.map(entity) {
        "\($0.text("name")) of \($0.text("\(team).name")) friends \($0.texts("friends", "name"))"
          + " tags \($0.texts("tags", "name")) leads \($0.text("captainOf.name"))"
      }
    }
    texts += try rows.map("Guest") { "\($0.text("name")) pays \($0.text("fee"))" }
    texts += try rows.map("Tag") { "\($0.text("name")) on \($0.texts("tagged", "name"))" }
    return texts.sorted()
  }

  @Test("Random graphs survive mappings that set both sides of relationships or only one")
  func randomGraphs() throws {
    var generator = SeededGenerator("migrated graphs")
    for (kind, members) in [
      (TestedStore.sqlite, 30), (.sqlite, 1010), (.xml, 30), (.binary, 30),
    ] {
      let folder = try TemporaryFolder()
      let (old, new) = (graphModel(isNew: false), graphModel(isNew: true))
      let source = kind.url(in: folder, "old")
      let first = try Rows(source, old, type: kind.type)
      try first.context.performAndWait {
        try fill(first.context, &generator, members: members)
      }
      let expected = try picture(first, team: "team")
      try first.close()
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: old, destinationModel: new)
      // A custom policy makes the migration set every relationship itself, rather than rely on
      // inverses.
      NSEntityMigrationPolicy.register([PlainPolicy.self])
      for policy in [nil, "PlainPolicy"] {
        for entity in mapping.entityMappings { entity.entityMigrationPolicyClassName = policy }
        let destination = kind.url(in: folder, "new \(policy ?? "")")
        try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
          from: source, sourceType: kind.type, options: nil, with: mapping,
          toDestinationURL: destination, destinationType: kind.type, destinationOptions: nil)
        let rows = try Rows(destination, new, type: kind.type)
        let found = try picture(rows, team: "club")
        #expect(found == expected, "\(kind), seed \(generator.seed)")
        #expect(try rows.map("Guest") { $0.text("stamp") }.allSatisfy { $0 == "7" })
        try rows.close()
      }
    }
  }

  // MARK: Values of special kinds

  @Test("External values are copied, and the old files stay")
  func externalValues() throws {
    func model(isNew: Bool) -> NSManagedObjectModel {
      let data = LibraryModels.attribute("data", .binaryDataAttributeType)
      data.allowsExternalBinaryDataStorage = true
      let model = NSManagedObjectModel()
      model.entities = [
        LibraryModels.entity(
          "Picture",
          [data, LibraryModels.attribute("name", .stringAttributeType)]
            + (isNew ? [LibraryModels.attribute("size", .integer64AttributeType)] : []))
      ]
      return model
    }
    let folder = try TemporaryFolder()
    let url = folder.file("pictures.sqlite")
    let first = try Rows(url, model(isNew: false))
    let bytes = Data.pattern(400_000, step: 31)
    try first.context.performAndWait {
      for number in 0..<3 {
        let picture = NSEntityDescription.insertNewObject(
          forEntityName: "Picture", into: first.context)
        picture.setValue(number == 2 ? Data("small".utf8) : bytes + [UInt8(number)], forKey: "data")
        picture.setValue("\(number)", forKey: "name")
      }
      try first.context.save()
    }
    try first.close()
    let before = try folder.state()
    #expect(before.count == 6 || before.count > 3)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: model(isNew: false), destinationModel: model(isNew: true))
    mapping.entityMappings[0].attributeMappings?.removeAll { $0.name == "size" }
    mapping.entityMappings[0].attributeMappings?.append(
      LibraryModels.property("size", "TERNARY($source.name == '9', 0, 1)"))
    let new = folder.file("new.sqlite")
    try NSMigrationManager(sourceModel: model(isNew: false), destinationModel: model(isNew: true))
      .migrateStore(
        from: url, type: .sqlite, options: nil, mapping: mapping, to: new, type: .sqlite,
        options: [NSPersistentHistoryTrackingKey: true])
    for (name, state) in before where !name.hasSuffix("-shm") {
      #expect(try folder.state()[name]?.bytes == state.bytes)
    }
    try FileManager.default.removeItem(at: url)
    let rows = try Rows(new, model(isNew: true))
    let found = try rows.map("Picture") { ($0.text("name"), $0.value(forKey: "data") as? Data) }
    for (name, data) in found {
      let expected = name == "2" ? Data("small".utf8) : bytes + [UInt8(name) ?? 0]
      #expect(data == expected)
    }
    #expect(found.count == 3)
    #expect(try rows.map("Picture") { $0.text("size") } == ["1", "1", "1"])
    try rows.close()
  }

  @Test("Numbers are converted to other types and truncated if they do not fit")
  func numbers() throws {
    let types: [NSAttributeType] = [
      .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .decimalAttributeType,
    ]
    func model(_ type: (Int) -> NSAttributeType) -> NSManagedObjectModel {
      let model = NSManagedObjectModel()
      model.entities = [
        LibraryModels.entity(
          "Row", types.indices.map { LibraryModels.attribute("n\($0)", type($0)) })
      ]
      return model
    }
    for target in types {
      let folder = try TemporaryFolder()
      let url = folder.file("numbers.sqlite")
      let (old, new) = (model { types[$0] }, model { _ in target })
      let first = try Rows(url, old)
      try first.context.performAndWait {
        let row = NSEntityDescription.insertNewObject(forEntityName: "Row", into: first.context)
        for place in types.indices { row.setValue(1, forKey: "n\(place)") }
        row.setValue(65_541, forKey: "n1")
        // As a double, this loses its lowest bits.
        row.setValue((1 << 62) + 5, forKey: "n2")
        try first.context.save()
      }
      try first.close()
      let mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: old, destinationModel: new)
      try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
        from: url, type: .sqlite, mapping: mapping, to: folder.file("new.sqlite"), type: .sqlite)
      let rows = try Rows(folder.file("new.sqlite"), new)
      let values = try rows.map("Row") { row in
        types.indices.map { (row.value(forKey: "n\($0)") as? NSNumber)?.doubleValue }
      }
      let large: Double =
        switch target {
        case .integer16AttributeType: 5
        default: 65_541
        }
      let largest: Double =
        switch target {
        case .integer16AttributeType, .integer32AttributeType: 5
        default: Double((1 << 62) + 5)
        }
      #expect(values == [[1, large, largest, 1, 1, 1]], "\(target)")
      try rows.close()
    }
  }
}

private final class PlainPolicy: NSEntityMigrationPolicy, @unchecked Sendable {}
