import CoreData
import FixtureSupport
import Testing

/// The mapping models among the fixtures are XML stores that Apple's tools wrote.
@Suite struct ReadingXMLStoresTests {
  /// The model of mapping models, derived from the files themselves: entities, attributes and their
  /// types, relationships and their bounds.
  private static func model() -> NSManagedObjectModel {
    func entity(_ name: String) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    let model = entity("XDDevMappingModel")
    let mapping = entity("XDDevEntityMapping")
    let property = entity("XDDevPropertyMapping")
    property.isAbstract = true
    let attribute = entity("XDDevAttributeMapping")
    let relationship = entity("XDDevRelationshipMapping")
    property.subentities = [attribute, relationship]
    let strings = NSAttributeType.stringAttributeType
    let bytes = NSAttributeType.binaryDataAttributeType
    let entityMappings = SampleStack.relationship("entityMappings", to: mapping, toMany: true)
    let mappingModel = SampleStack.relationship("mappingModel", to: model)
    let attributes = SampleStack.relationship("attributeMappings", to: attribute, toMany: true)
    let attributeOwner = SampleStack.relationship("entityMapping", to: mapping)
    let relationships = SampleStack.relationship(
      "relationshipMappings", to: relationship, toMany: true)
    let relationshipOwner = SampleStack.relationship("entityMapping", to: mapping)
    for (one, other) in [
      (entityMappings, mappingModel), (attributes, attributeOwner),
      (relationships, relationshipOwner),
    ] {
      one.inverseRelationship = other
      other.inverseRelationship = one
      other.isOptional = false
      other.minCount = 1
    }
    model.properties =
      ["sourceModelPath", "destinationModelPath"].map { SampleStack.attribute($0, strings) }
      + ["sourceModelData", "destinationModelData"].map { SampleStack.attribute($0, bytes) }
      + [entityMappings]
    mapping.properties =
      [
        "name", "sourceName", "destinationName", "mappingTypeName", "migrationPolicyClassName",
        "sourceFilterPredicateString",
      ].map { SampleStack.attribute($0, strings) }
      + [
        SampleStack.attribute("mappingNumber", .integer16AttributeType),
        SampleStack.attribute("autoGenerateExpression", .booleanAttributeType),
        SampleStack.attribute("userInfoData", bytes), mappingModel, attributes, relationships,
      ]
    property.properties = [
      SampleStack.attribute("name", strings), SampleStack.attribute("valueExpressionData", bytes),
      SampleStack.attribute("userInfoData", bytes),
      SampleStack.attribute("sourceKeyPath", strings),
      SampleStack.attribute("sourceMappingName", strings),
      SampleStack.attribute("autoGenerateExpression", .booleanAttributeType),
    ]
    attribute.properties = [attributeOwner]
    relationship.properties = [relationshipOwner]
    let result = NSManagedObjectModel()
    result.entities = [model, mapping, property, attribute, relationship]
    return result
  }

  private static var files: [URL] {
    guard
      let all = FileManager.default.enumerator(
        at: Fixtures.url("mappings"), includingPropertiesForKeys: nil)
    else { return [] }
    return all.compactMap { $0 as? URL }.filter { $0.lastPathComponent == "xcmapping.xml" }
      .sorted { $0.path < $1.path }
  }

  /// The contents of a file, from its text alone: each object with its values and its sorted
  /// references.
  private static func facts(_ url: URL) throws -> Set<String> {
    let text = try String(contentsOf: url, encoding: .utf8)
    var facts: Set<String> = []
    var object = ""
    for var piece in text.components(separatedBy: "<").dropFirst() {
      piece = piece.replacingOccurrences(of: "\n", with: "")
      if piece.hasPrefix("object ") { object = piece.trimmingCharacters(in: .whitespaces) }
      if piece.hasPrefix("attribute ") { facts.insert("\(object) \(piece)") }
      if piece.hasPrefix("relationship ") {
        let parts = piece.trimmingCharacters(in: .whitespaces).components(separatedBy: "idrefs=\"")
        let ids = parts.count < 2 ? [] : parts[1].dropLast(2).split(separator: " ").sorted()
        let head = parts[0].trimmingCharacters(in: CharacterSet(charactersIn: " >"))
        facts.insert("\(object) \(head) \(ids)")
      }
    }
    return facts
  }

  @Test(
    "Apple's XML stores are read and written back with the same contents",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func readAndWrittenBack() throws {
    let folder = try TemporaryFolder()
    #expect(Self.files.count == 15)
    var objects = 0
    for (index, file) in Self.files.enumerated() {
      let copy = folder.file("\(index).xml")
      try FileManager.default.copyItem(at: file, to: copy)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
      let store = try coordinator.addPersistentStore(
        ofType: NSXMLStoreType, configurationName: nil, at: copy,
        options: [NSIgnorePersistentStoreVersioningOption: true])
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("<UUID>\(store.identifier!)</UUID>"))
      let hashes = store.metadata[NSStoreModelVersionHashesKey] as? [String: Data]
      #expect(hashes?.count == 5, "\(file.path)")
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        let attributes = try context.all("XDDevAttributeMapping")
        for mapping in try context.all("XDDevEntityMapping") {
          let owned = attributes.filter { $0["entityMapping"] as NSManagedObject? === mapping }
          #expect((mapping["attributeMappings"] as Set<NSManagedObject>?) == Set(owned))
        }
        let paths = try context.all("XDDevMappingModel").compactMap {
          $0["sourceModelPath"] as String?
        }
        #expect(paths.count == 1)
        objects += attributes.count
        // Makes a change and reverts it, so that the file is written.
        let model = try #require(try context.all("XDDevMappingModel").first)
        model["sourceModelPath"] = "x"
        try context.save()
        model["sourceModelPath"] = paths[0]
        try context.save()
      }
      let written = try Self.facts(copy)
      let original = try Self.facts(file)
      #expect(original.subtracting(written) == [], "\(file.path)")
      #expect(written.subtracting(original) == [], "\(file.path)")
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSXMLStoreType, at: file)
      let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSXMLStoreType, at: copy)
      #expect(NSDictionary(dictionary: metadata) == NSDictionary(dictionary: after))
    }
    #expect(objects > 50)
  }
}
