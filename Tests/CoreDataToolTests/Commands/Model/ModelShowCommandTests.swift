import FixtureSupport
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ModelShowCommandTests {
  private let models: TemporaryModel
  private let path: String

  init() throws {
    models = try TemporaryModel()
    path = try models.writeStaff("Staff", "Staff 2", "Staff 10", current: "Staff 2")
  }

  @Test func `The output lists the model's versions, its entities and the properties they declare`()
  {
    let run = ToolRun.coredata("model", "show", path)
    #expect(run.code == 0)
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.first == "model     \(path)")
    #expect(
      lines.dropFirst().filter { !$0.hasPrefix("checksum") }.joined(separator: "\n") == """
        version   Staff 2 (current)
        versions  Staff, Staff 2, Staff 10

        2 entities
          Person            3 attributes, 1 relationship
          Team    abstract  1 relationship

        Person · class Person
          attributes
            age       Integer 32  default 0
            email     String
            fullName  String      required, valid if length >= 1, was name
          relationships
            team      → Team      inverse members, nullifies

        Team · abstract · class NSManagedObject
          relationships
            members  →→ Person  inverse team, cascades

        """)
  }

  @Test
  func `Another version is shown by its name, and an unknown name is reported with the nearest`() {
    let run = ToolRun.coredata("model", "show", path, "--version", "Staff")
    #expect(run.output.contains("\nversion   Staff\n"))
    #expect(!run.output.contains("email"))
    let wrong = ToolRun.coredata("model", "show", path, "--version", "Staf 10")
    #expect(wrong.code == 64)
    #expect(wrong.output == "")
    #expect(
      wrong.errors == """
        error: --version 'Staf 10': '\(path)' has no version of that name
        Did you mean 'Staff 10'?

        """)
  }

  @Test func `One entity is shown with its inherited properties`() throws {
    let body = """
      <entity name="Being" isAbstract="YES">
        <attribute name="born" optional="YES" attributeType="Date"/>
      </entity>
      <entity name="Person" parentEntity="Being">
        <attribute name="photo" optional="YES" attributeType="Binary" \
      allowsExternalBinaryDataStorage="YES"/>
        <attribute name="key" attributeType="String" preserveAfterDeletion="YES"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="key"/>\
      </uniquenessConstraint></uniquenessConstraints>
      </entity>
      """
    let path = try models.write("Beings", versions: [("Beings", body)])
    let run = ToolRun.coredata("model", "show", path, "Person")
    #expect(
      run.output == """
        Being › Person · class NSManagedObject
          attributes
            born   Date    from Being
            key    String  required, preserved after deletion
            photo  Binary  external storage
          unique
            key

        """)
    let wrong = ToolRun.coredata("model", "show", path, "Persn")
    #expect(wrong.code == 64)
    #expect(
      wrong.errors == "error: there is no entity 'Persn' in the model\nDid you mean 'Person'?\n")
  }

  @Test func `A store's model is its cached copy, which has no versions`() throws {
    let stores = try TemporaryStore()
    let store = stores.sample(rows: 10)
    let run = ToolRun.coredata("model", "show", store, "Team")
    #expect(
      run.output == """
        Team · class Team
          attributes
            name     String     required
          relationships
            players  →→ Player  inverse team, nullifies
          indexes
            byName   name

        """)
    let version = ToolRun.coredata("model", "show", store, "--version", "1")
    #expect(version.code == 64)
    #expect(version.errors == "error: --version '1': '\(store)' has no versions\n")
  }

  @Test func `A file that is not a model is reported as such`() throws {
    let missing = ToolRun.coredata("model", "show", models.path("Nothing.momd"))
    #expect(missing.code == 65)
    #expect(missing.errors == "error: there is no model at '\(models.path("Nothing.momd"))'\n")
    let text = models.path("text.mom")
    try Data("hello".utf8).write(to: URL(fileURLWithPath: text))
    let damaged = ToolRun.coredata("model", "show", text)
    #expect(damaged.code == 65)
    #expect(damaged.errors.hasPrefix("error: "))
    #expect(damaged.errors.contains(text))
    #expect(damaged.output == "")
  }

  @Test func `Names from a file cannot control the terminal`() throws {
    let body = #"<entity name="A&#27;B"/>"#.replacing("&#27;", with: "\u{9B}31m")
    let path = try models.write("Hostile", versions: [("Hostile", body)])
    let run = ToolRun.coredata("model", "show", path)
    #expect(run.code == 0)
    #expect(!run.output.unicodeScalars.contains("\u{9B}"))
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `Every model among the fixtures is shown`() throws {
    let root = Fixtures.url("models")
    let names = try #require(FileManager.default.enumerator(atPath: root.path))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".xcdatamodel") }
    #expect(names.count > 100)
    for name in names.sorted() {
      let run = ToolRun.coredata("model", "show", root.appendingPathComponent(name).path)
      #expect(run.code == 0, "\(name): \(run.errors)")
      #expect(run.output.hasPrefix("model"), "\(name)")
    }
  }
}
