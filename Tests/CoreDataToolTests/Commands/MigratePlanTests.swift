import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// The checks and decisions of `coredata migrate` before it writes anything.
struct MigratePlanTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  /// A model of notes and tags. The arguments are the attributes of a note; a renaming identifier may follow the name.
  private static func model(
    _ names: String..., configurations: [String: [String]] = [:]
  ) -> NSManagedObjectModel {
    func entity(_ name: String, _ attributes: [String]) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      entity.properties = attributes.map { text in
        let parts = text.split(separator: " ").map(String.init)
        let attribute = NSAttributeDescription()
        attribute.name = parts[0]
        attribute.attributeType = .stringAttributeType
        if parts.count > 1 { attribute.renamingIdentifier = parts[1] }
        return attribute
      }
      return entity
    }
    let model = NSManagedObjectModel()
    model.entities = [entity("Note", names), entity("Tag", ["label"])]
    for (name, entities) in configurations.sorted(by: { $0.key < $1.key }) {
      model.setEntities(
        entities.compactMap { model.entitiesByName[$0] }, forConfigurationName: name)
    }
    return model
  }

  /// Writes versions of a model; the last version is current.
  private func write(_ versions: [NSManagedObjectModel]) throws -> String {
    let bundle = temporary.path("Notes.momd")
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: false)
    for (number, model) in versions.enumerated() {
      try model.write(to: URL(fileURLWithPath: "\(bundle)/Notes \(number + 1).mom"))
    }
    let info: [String: Any] = ["NSManagedObjectModel_CurrentVersionName": "Notes \(versions.count)"]
    try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
      .write(to: URL(fileURLWithPath: bundle + "/VersionInfo.plist"))
    return bundle
  }

  private func fill(
    _ model: NSManagedObjectModel, _ configuration: String? = nil, tags: Int = 2
  ) throws -> String {
    let path = temporary.path("Notes.sqlite")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: configuration, at: URL(fileURLWithPath: path))
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let attribute = try #require(model.entitiesByName["Note"]?.attributesByName.keys.sorted())
      for number in 1...3 {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("Ann Smith \(number)", forKey: attribute[0])
      }
      for number in 0..<tags {
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue("tag \(number + 1)", forKey: "label")
      }
      try context.save()
    }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    return path
  }

  private func inferred(
    _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
  ) throws -> NSMappingModel {
    try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
  }

  private func values(_ path: String, _ column: String) throws -> [String?] {
    try PlainSQL(path).rows("SELECT \(column) FROM ZNOTE ORDER BY Z_PK").map { $0[0] }
  }

  private func labels(_ path: String) throws -> [String?] {
    try PlainSQL(path).rows("SELECT ZLABEL FROM ZTAG ORDER BY ZLABEL").map { $0[0] }
  }

  @Test(arguments: [[], ["--dry-run"], ["--backup"]])
  func `Rows without an entity mapping are reported before anything is written`(
    _ more: [String]
  ) throws {
    let versions = [Self.model("name"), Self.model("name", "text")]
    let (bundle, path) = (try write(versions), try fill(versions[0]))
    let mapping = try inferred(versions[0], versions[1])
    mapping.entityMappings.removeAll { $0.sourceEntityName == "Tag" }
    let file = temporary.path("Part.mapping")
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    try mapping.write(to: URL(fileURLWithPath: file + "/Part.cdm"))
    let names = try FileManager.default.contentsOfDirectory(atPath: temporary.path("")).sorted()
    let arguments = ["migrate", path, "--to", bundle, "--quiet", "--mapping", file + "/Part.cdm"]
    let run = ToolRun.coredata(arguments + more)
    #expect(run.code == 65)
    #expect(run.errors.contains("no entity mapping for Tag (2 rows)"), "\(run)")
    let advice = "→ add mappings for them; to remove the rows, add a mapping of the type remove"
    #expect(run.errors.contains(advice), "\(run)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.path("")).sorted() == names)
    #expect(try labels(path) == ["tag 1", "tag 2"])
    #expect(try values(path, "ZNAME") == ["Ann Smith 1", "Ann Smith 2", "Ann Smith 3"])
    // `model diff` finds a mapping model beside the model.
    try FileManager.default.moveItem(
      atPath: file + "/Part.cdm", toPath: temporary.path("Part.cdm"))
    let compared = ToolRun.coredata("model", "diff", path, bundle)
    #expect(
      compared.errors.contains(
        "Part.cdm has no entity mapping for Tag, which both models have: it cannot migrate a store with rows of this entity\n"
      ), "\(compared)")
  }

  @Test(arguments: [[], ["--dry-run"], ["--backup"]])
  func `A missing custom migration policy is reported before the first step`(_ more: [String])
    throws
  {
    let versions = [Self.model("name"), Self.model("name", "text"), Self.model("text")]
    let (bundle, path) = (try write(versions), try fill(versions[0]))
    let mapping = try inferred(versions[1], versions[2])
    mapping.entityMappings[0].entityMigrationPolicyClassName = "Notes.NotePolicy"
    try mapping.write(to: URL(fileURLWithPath: temporary.path("2to3.cdm")))
    let names = try FileManager.default.contentsOfDirectory(atPath: temporary.path("")).sorted()
    let run = ToolRun.coredata(
      ["migrate", path, "--to", bundle, "--quiet", "--step-by-step"] + more)
    #expect(run.code == 65)
    #expect(run.errors.contains("step 2 of 2 would fail: "), "\(run)")
    #expect(run.errors.contains("Notes.NotePolicy"), "\(run)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.path("")).sorted() == names)
    #expect(ToolRun.coredata("fetch", path, "Note", "--where", "name != nil").code == 0)
    let compared = ToolRun.coredata(
      "model", "diff", bundle, "--old", "Notes 2", "--new", "Notes 3")
    #expect(
      compared.errors.contains("needs the program's migration policy Notes.NotePolicy"),
      "\(compared)")
  }

  @Test func `Mapping models for steps between versions are used by default`() throws {
    let versions = [Self.model("name"), Self.model("title"), Self.model("title", "text")]
    let (bundle, path) = (try write(versions), try fill(versions[0]))
    // The models do not show that the title comes from the name.
    let mapping = try inferred(versions[0], versions[1])
    let note = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Note" })
    note.attributeMappings?.first { $0.name == "title" }?.valueExpression =
      NSExpression(format: "uppercase($source.name)")
    try mapping.write(to: URL(fileURLWithPath: temporary.path("1to2.cdm")))
    let copy = temporary.path("Copy.sqlite")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let run = ToolRun.coredata("migrate", path, "--to", bundle, "--quiet")
    #expect(run.code == 0, "\(run)")
    #expect(run.errors.contains("migrating version by version"), "\(run)")
    #expect(run.errors.contains("1to2.cdm"), "\(run)")
    #expect(try values(path, "ZTITLE") == ["ANN SMITH 1", "ANN SMITH 2", "ANN SMITH 3"])
    #expect(try labels(path) == ["tag 1", "tag 2"])
    // In one step, the mapping is inferred from the two models alone and would lose the names, so the command requires
    // confirmation.
    let arguments = ["migrate", copy, "--to", bundle, "--quiet", "--no-step-by-step"]
    let refused = ToolRun.coredata(arguments)
    #expect(refused.code == 64 && refused.errors.contains("3 values of Note.name"), "\(refused)")
    let single = ToolRun.coredata(arguments + ["--yes"])
    #expect(single.code == 0 && !single.errors.contains("1to2.cdm"), "\(single)")
    #expect(try values(copy, "ZTITLE") == [nil, nil, nil])
    #expect(try labels(copy) == ["tag 1", "tag 2"])
  }

  @Test func `A mapping model for all steps is used instead of models for single steps`() throws {
    let versions = [Self.model("name"), Self.model("title"), Self.model("title", "text")]
    let (bundle, path) = (try write(versions), try fill(versions[0]))
    try inferred(versions[0], versions[1]).write(
      to: URL(fileURLWithPath: temporary.path("1to2.cdm")))
    let mapping = try inferred(versions[0], versions[2])
    let note = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Note" })
    note.attributeMappings?.first { $0.name == "title" }?.valueExpression =
      NSExpression(format: "$source.name")
    try mapping.write(to: URL(fileURLWithPath: temporary.path("1to3.cdm")))
    let run = ToolRun.coredata("migrate", path, "--to", bundle, "--quiet")
    #expect(run.code == 0 && !run.errors.contains("version by version"), "\(run)")
    #expect(try values(path, "ZTITLE") == ["Ann Smith 1", "Ann Smith 2", "Ann Smith 3"])
    #expect(try labels(path) == ["tag 1", "tag 2"])
  }

  @Test(arguments: [[], ["--step-by-step"]])
  func `A store of one configuration is migrated, and the output contains the configuration`(
    _ more: [String]
  ) throws {
    let configurations = ["Local": ["Note"], "Cloud": ["Tag"]]
    let versions = [
      Self.model("name", configurations: configurations),
      Self.model("name", "text", configurations: configurations),
      Self.model("title name", "text", configurations: configurations),
    ]
    let (bundle, path) = (try write(versions), try fill(versions[0], "Local", tags: 0))
    let info = ToolRun.coredata("info", path)
    #expect(info.code == 0, "\(info)")
    #expect(info.output.contains("configuration  Local\n"), "\(info)")
    #expect(info.output.contains("3 rows in 1 entity"), "\(info)")
    let dry = ToolRun.coredata(["migrate", path, "--to", bundle, "--quiet", "--dry-run"] + more)
    #expect(dry.output == "Note  3\nDry run: 3 rows; store unchanged\n", "\(dry)")
    let wrong = ToolRun.coredata("migrate", path, "--to", bundle, "--configuration", "Other")
    #expect(wrong.code == 64 && wrong.errors.contains("it has Cloud, Local"), "\(wrong)")
    let run = ToolRun.coredata(["migrate", path, "--to", bundle, "--quiet"] + more)
    #expect(run.output == "Note  3\nThe store now has 3 rows.\n", "\(run)")
    #expect(ToolRun.coredata("info", path, "--model", bundle).output.contains("Local"))
    let again = ToolRun.coredata("migrate", path, "--to", bundle, "--quiet")
    #expect(again.errors == "the store already has this model\n", "\(again)")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: versions[2])
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: "Local", at: URL(fileURLWithPath: path))
  }
}
