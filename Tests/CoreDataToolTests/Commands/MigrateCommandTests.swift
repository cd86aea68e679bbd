import CoreData
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct MigrateCommandTests {
  private let temporary: TemporaryStore
  private let path: String
  private let model: String

  init() throws {
    temporary = try TemporaryStore()
    path = temporary.sample()
    let old = try #require(
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: URL(fileURLWithPath: path)))
    let new = try #require(old.copy() as? NSManagedObjectModel)
    let person = try #require(new.entitiesByName["Person"])
    let rank = NSAttributeDescription()
    rank.name = "rank"
    rank.attributeType = .integer16AttributeType
    rank.defaultValue = NSNumber(value: 7)
    person.properties.append(rank)
    person.attributesByName["age"]?.renamingIdentifier = "age"
    person.attributesByName["age"]?.name = "years"
    let note = NSEntityDescription()
    note.name = "Note"
    new.entities.append(note)
    model = temporary.path("New.mom")
    try new.write(to: URL(fileURLWithPath: model))
  }

  private func rows(_ entity: String) throws -> Int {
    try PlainSQL(path).rows("SELECT Z_PK FROM Z\(entity.uppercased())").count
  }

  @Test
  func `A migrated store has the new model, and the output lists the rows of each entity`()
    throws
  {
    let people = try rows("Person")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let run = ToolRun.coredata("migrate", path, "--to", model, "--backup", "--quiet")
    #expect(run.code == 0, "\(run)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.contains { $0.split(separator: " ") == ["Note", "0", "new"] }, "\(run.output)")
    #expect(run.errors.hasPrefix("copy of the original store: "))
    #expect(try rows("Person") == people)
    #expect(ToolRun.coredata("verify", path).code == 0)
    let fetched = ToolRun.coredata(
      "fetch", path, "Person", "--where", "rank == 7", "--columns", "years", "--limit", "1")
    #expect(fetched.code == 0, "\(fetched)")
    let copy = temporary.path("Contacts before migration.sqlite")
    let rights = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions]
    #expect(rights as? Int == 0o600)
    #expect(ToolRun.coredata("fetch", copy, "Person", "--sort", "age", "--limit", "1").code == 0)
  }

  /// The store's model without the attribute age of Person, and with the `added` attributes.
  private func modelWithoutAge(adding added: [NSAttributeDescription] = []) throws -> String {
    let new = try NSManagedObjectModel(validating: URL(fileURLWithPath: model))
    new.entitiesByName["Person"]?.properties.removeAll { $0.name == "years" }
    new.entitiesByName["Person"]?.properties += added
    let path = temporary.path("Without.mom")
    try new.write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `Values are removed only after confirmation, and a dry run lists them`() throws {
    let other = try modelWithoutAge()
    let ages = try PlainSQL(path).rows("SELECT ZAGE FROM ZPERSON WHERE ZAGE IS NOT NULL").count
    #expect(ages > 1)
    let dry = ToolRun.coredata("migrate", path, "--to", other, "--quiet", "--dry-run")
    #expect(dry.code == 0 && dry.errors.contains("Person.age"), "\(dry)")
    let refused = ToolRun.coredata("migrate", path, "--to", other, "--quiet")
    #expect(refused.code == 64)
    #expect(
      refused.errors.contains(
        "this would remove \(CountText.counted(ages, "value")) of Person.age"),
      "\(refused)")
    #expect(
      try PlainSQL(path).rows("SELECT ZAGE FROM ZPERSON WHERE ZAGE IS NOT NULL").count == ages)
    let run = ToolRun.coredata("migrate", path, "--to", other, "--quiet", "--yes")
    #expect(run.code == 0, "\(run)")
  }

  @Test func `Removing an attribute without values requires no confirmation`() throws {
    let other = try modelWithoutAge()
    _ = try PlainSQL(path).rows("UPDATE ZPERSON SET ZAGE = NULL")
    let run = ToolRun.coredata("migrate", path, "--to", other, "--quiet")
    #expect(run.code == 0, "\(run)")
  }

  @Test func `An attribute that may have been renamed is reported before its values are removed`()
    throws
  {
    let grade = NSAttributeDescription()
    grade.name = "grade"
    grade.attributeType =
      try NSManagedObjectModel(validating: URL(fileURLWithPath: model))
      .entitiesByName["Person"]?.attributesByName["years"]?.attributeType ?? .undefinedAttributeType
    grade.isOptional = true
    let refused = ToolRun.coredata(
      "migrate", path, "--to", try modelWithoutAge(adding: [grade]), "--quiet")
    #expect(refused.code == 64)
    #expect(
      refused.errors.contains("age is removed and grade, rank of the same type are added"),
      "\(refused)")
    #expect(refused.errors.contains("renaming identifier of the new property to age"), "\(refused)")
  }

  @Test func `A dry run leaves the store unchanged, and its output says so`() throws {
    let before = try PlainSQL(path).rows("SELECT sql FROM sqlite_schema")
    let run = ToolRun.coredata("migrate", path, "--to", model, "--dry-run")
    #expect(run.code == 0, "\(run)")
    #expect(run.output.hasSuffix("; store unchanged\n"))
    #expect(try PlainSQL(path).rows("SELECT sql FROM sqlite_schema") == before)
  }

  @Test func `A change that cannot be inferred is reported`() throws {
    let other = try #require(
      NSManagedObjectModel(contentsOf: URL(fileURLWithPath: model))?.copy()
        as? NSManagedObjectModel)
    let rank = try #require(other.entitiesByName["Person"]?.attributesByName["rank"])
    rank.defaultValue = nil
    rank.isOptional = false
    let path = temporary.path("Other.mom")
    try other.write(to: URL(fileURLWithPath: path))
    let run = ToolRun.coredata("migrate", self.path, "--to", path)
    #expect(run.code == 65)
    #expect(
      run.errors.contains("Person.rank") && run.errors.contains("→ give the attribute a default"))
    // The obstacle is reported before a copy is made.
    let files = try FileManager.default.contentsOfDirectory(atPath: temporary.path(""))
    #expect(ToolRun.coredata("migrate", self.path, "--to", path, "--backup").code == 65)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.path("")).count == files.count)
    #expect(ToolRun.coredata("verify", self.path).code == 0)
  }

  @Test func `A step-by-step migration requires a model with versions`() throws {
    let missing = ToolRun.coredata("migrate", path, "--to", model, "--step-by-step")
    #expect(missing.code == 64)
    #expect(missing.errors.contains("has no versions"))
  }

  @Test func `Rows of an entity missing from the new model are removed only after confirmation`()
    throws
  {
    let smaller = temporary.path("Smaller.mom")
    let old = try #require(
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: URL(fileURLWithPath: path)))
    let new = try #require(old.copy() as? NSManagedObjectModel)
    let job = try #require(new.entitiesByName["Job"])
    for entity in new.entities {
      entity.properties.removeAll {
        ($0 as? NSRelationshipDescription)?.destinationEntity === job
      }
    }
    new.entities.removeAll { $0 === job }
    try new.write(to: URL(fileURLWithPath: smaller))
    let count = try rows("Job")
    #expect(count > 1)
    let refused = ToolRun.coredata("migrate", path, "--to", smaller, "--quiet")
    #expect(refused.code == 64)
    #expect(refused.errors.contains("\(CountText.rows(count)) of Job"), "\(refused)")
    #expect(try rows("Job") == count)
    let dry = ToolRun.coredata("migrate", path, "--to", smaller, "--quiet", "--dry-run")
    #expect(dry.code == 0 && dry.output.contains("removed, had \(CountText.rows(count))"), "\(dry)")
    let run = ToolRun.coredata("migrate", path, "--to", smaller, "--quiet", "--yes")
    #expect(run.code == 0 && run.output.contains("removed, had \(CountText.rows(count))"), "\(run)")
  }

  @Test func `A store that already has the model is left unchanged, without a copy`() throws {
    #expect(ToolRun.coredata("migrate", path, "--to", model, "--quiet").code == 0)
    let again = ToolRun.coredata("migrate", path, "--to", model, "--quiet", "--backup")
    #expect(again.code == 0 && again.errors == "the store already has this model\n", "\(again)")
    #expect(
      !FileManager.default.fileExists(atPath: temporary.path("Contacts before migration.sqlite")))
  }

  @Test func `The comparison finds a mapping model beside the new model`() throws {
    let folder = temporary.path("beside")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: model, toPath: folder + "/New.mom")
    #expect(ToolRun.coredata("model", "diff", path, folder + "/New.mom").errors == "")
    try writeMapping("Beside.cdm", keeping: "TRUEPREDICATE")
    try FileManager.default.moveItem(
      atPath: temporary.path("Beside.cdm"), toPath: folder + "/Beside.cdm")
    let run = ToolRun.coredata("model", "diff", path, folder + "/New.mom")
    #expect(run.code == 0)
    #expect(
      run.errors.contains("Beside.cdm is the mapping model from the old model to the new one"),
      "\(run)")
    let migrated = ToolRun.coredata("migrate", path, "--to", folder + "/New.mom", "--quiet")
    #expect(migrated.errors.contains("mapping model: ") && migrated.errors.contains("Beside.cdm"))
  }

  /// Writes the mapping inferred from the two models, restricted to the people that match a
  /// predicate.
  private func writeMapping(_ name: String, keeping predicate: String) throws {
    let old = try #require(
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: URL(fileURLWithPath: path)))
    let new = try NSManagedObjectModel(validating: URL(fileURLWithPath: model))
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    for entity in mapping.entityMappings where entity.sourceEntityName == "Person" {
      entity.sourceExpression = NSExpression(
        format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:',"
          + " 'Person', '\(predicate)'), $manager.sourceContext, NO)")
    }
    try mapping.write(to: URL(fileURLWithPath: temporary.path(name)))
  }

  @Test
  func `A mapping model beside the model is used unless another is named`()
    throws
  {
    let old = try PlainSQL(path).rows("SELECT Z_PK FROM ZPERSON WHERE ZAGE > 30").count
    try writeMapping("OldToNew.cdm", keeping: "age > 30")
    let dry = ToolRun.coredata("migrate", path, "--to", model, "--dry-run", "--quiet")
    let counts = dry.output.split(separator: "\n").first { $0.hasPrefix("Person ") }
    #expect(counts?.split(separator: " ").dropFirst().first == "\(old)", "\(dry)")
    try writeMapping("Named.mapping.cdm", keeping: "FALSEPREDICATE")
    let folder = temporary.path("elsewhere")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      atPath: temporary.path("Named.mapping.cdm"), toPath: folder + "/Named.cdm")
    // Each of several named mapping models must belong to a step.
    let other = temporary.path("elsewhere/Other.cdm")
    let empty = NSEntityMapping()
    empty.sourceEntityName = "Nobody"
    let useless = NSMappingModel()
    useless.entityMappings = [empty]
    try useless.write(to: URL(fileURLWithPath: other))
    let refused = ToolRun.coredata(
      "migrate", path, "--to", model, "--mapping", folder + "/Named.cdm", "--mapping", other)
    #expect(refused.code == 64)
    #expect(
      refused.errors.contains("'\(other)' is not a mapping model for any step of this migration"))
    #expect(ToolRun.coredata("migrate", path, "--to", model, "--mapping", other).code == 64)
    // A folder named Resources makes its parent folder a bundle for Foundation, but the mapping model in the parent
    // folder is still found.
    try FileManager.default.createDirectory(
      atPath: temporary.path("Resources"), withIntermediateDirectories: false)
    #expect(
      ToolRun.coredata("migrate", path, "--to", model, "--dry-run", "--quiet").output == dry.output)
    let run = ToolRun.coredata(
      "migrate", path, "--to", model, "--mapping", folder + "/Named.cdm", "--quiet")
    #expect(run.code == 0, "\(run)")
    #expect(try rows("Person") == 0)
  }
}

struct ProgressBarTests {
  /// Returns what a progress bar writes to standard error.
  private func errors(notesInTerminal: Bool, width: Int?) -> String {
    ToolRun.capturing(width: width, notesInTerminal: notesInTerminal) {
      let bar = ProgressBar()
      bar.show(0.5)
      bar.show(1)
      return 0
    }.errors
  }

  // `coredata migrate … > log` still shows the progress; `2> log` does not fill the log with it.
  @Test func `The progress bar depends on where notes go, not the output`() {
    #expect(errors(notesInTerminal: true, width: nil).contains("100 %"))
    #expect(errors(notesInTerminal: false, width: 80) == "")
  }

  @Test func `The progress bar shows the remaining time`() {
    #expect(ProgressBar.line(50, seconds: 9) == "[###############...............] 50 %, 9 s left ")
    #expect(
      ProgressBar.line(10, seconds: 10)
        == "[###...........................] 10 %, 1 min 30 s left ")
    #expect(ProgressBar.line(0, seconds: 1).hasSuffix("] 0 %"))
  }

  @Test func `A shorter line erases the rest of a longer one`() {
    let errors = errors(notesInTerminal: true, width: 80)
    let lines = errors.split(separator: "\r")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix("\u{1b}[K") }, "\(lines)")
  }
}
