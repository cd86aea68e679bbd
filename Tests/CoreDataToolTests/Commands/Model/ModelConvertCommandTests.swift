import Foundation
import ObjectModel
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ModelConvertCommandTests {
  private let models: TemporaryModel
  private let path: String

  init() throws {
    models = try TemporaryModel()
    path = try models.write(
      versions: [("Staff", TemporaryModel.first), ("Staff 2", TemporaryModel.second)],
      current: "Staff 2")
  }

  @Test
  func `A source model is compiled with all its versions, and the conversion back restores it`() {
    let compiled = models.path("Staff.momd")
    let run = ToolRun.coredata("model", "convert", path, compiled)
    #expect(run.code == 0)
    #expect(run.output == "\(compiled): 2 entities, 2 versions\n")
    let back = models.path("Back.xcdatamodeld")
    #expect(ToolRun.coredata("model", "convert", compiled, back).code == 0)
    for version in ["Staff", "Staff 2"] {
      let same = ToolRun.coredata(
        "model", "diff", path, back, "--old", version, "--new", version)
      #expect(same.output == "The models are the same.\n")
    }
    let current = ToolRun.coredata("model", "show", back)
    #expect(current.output.contains("\nversion   Staff 2 (current)\n"))
  }

  @Test func `A format for one version holds the current version or the named version`() {
    let single = models.path("Single.mom")
    let run = ToolRun.coredata("model", "convert", path, single)
    #expect(run.output == "\(single): 2 entities, version Staff 2\n")
    #expect(
      run.errors == "left out: 1 version (Staff); '.mom' holds only the current version\n")
    #expect(ToolRun.coredata("model", "diff", path, single).output == "The models are the same.\n")
    let first = models.path("First.mom")
    let named = ToolRun.coredata("model", "convert", path, first, "--version", "Staff")
    #expect(named.errors == "")
    #expect(
      ToolRun.coredata("model", "diff", path, first, "--old", "Staff").output
        == "The models are the same.\n")
  }

  @Test func `An existing file is replaced only with --force`() throws {
    let target = models.path("Staff.mom")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
    let run = ToolRun.coredata("model", "convert", path, target)
    #expect(run.code == 64)
    #expect(run.output == "")
    #expect(run.errors == "error: '\(target)' already exists\nUse --force to replace it.\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("mine".utf8))
    #expect(ToolRun.coredata("model", "convert", path, target, "--force").code == 0)
    #expect(ToolRun.coredata("model", "diff", path, target).code == 0)
  }

  @Test func `A mapping model is compiled`() throws {
    let source = models.path("V1toV2.xcmappingmodel")
    try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: false)
    let text = """
      <database>
        <object type="XDDEVMAPPINGMODEL" id="z1"/>
        <object type="XDDEVENTITYMAPPING" id="z2">
          <attribute name="sourcename" type="string">Person</attribute>
          <attribute name="destinationname" type="string">Person</attribute>
        </object>
      </database>
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: source + "/xcmapping.xml"))
    let compiled = models.path("V1toV2.cdm")
    let run = ToolRun.coredata("model", "convert", source, compiled)
    #expect(run.output == "\(compiled): 1 mapping\n")
    #expect(
      NSMappingModel(contentsOf: URL(fileURLWithPath: compiled))
        == NSMappingModel(contentsOf: URL(fileURLWithPath: source)))
    #expect(ToolRun.coredata("model", "convert", source, compiled).code == 64)
    #expect(ToolRun.coredata("model", "convert", compiled, compiled, "--force").code == 0)
    #expect(
      ToolRun.coredata("model", "convert", path, models.path("other.cdm")).errors
        .contains("cannot be read: it is a folder without xcmapping.xml"))
    #expect(
      ToolRun.coredata("model", "convert", source, compiled, "--force", "--version", "x").code == 64
    )
  }

  @Test func `Converting to a compiled model reports the editor's data that is left out`() throws {
    let body =
      TemporaryModel.first.replacing("syncable=\"YES\"", with: "codeGenerationType=\"class\"")
      + "<elements><element name=\"Person\" positionX=\"0\" positionY=\"0\" width=\"1\" height=\"2\"/>"
      + "</elements>"
    let drawn = try models.write("Drawn", versions: [("Drawn", body)])
    let run = ToolRun.coredata("model", "convert", drawn, models.path("Drawn.mom"))
    #expect(run.code == 0)
    #expect(
      run.errors == """
        left out: the positions of entities in the diagram, the settings for generated classes; compiled \
        models cannot contain this

        """)
    let copy = ToolRun.coredata("model", "convert", drawn, models.path("Copy.xcdatamodel"))
    #expect(copy.errors == "")
  }

  @Test func `A JSON file has the complete model, in the text that model show prints`() throws {
    let text = models.path("Staff.json")
    let run = ToolRun.coredata("model", "convert", path, text)
    #expect(run == ToolRun(code: 0, output: "\(text): 2 entities, 2 versions\n", errors: ""))
    let back = models.path("Again.xcdatamodeld")
    #expect(ToolRun.coredata("model", "convert", text, back).code == 0)
    for version in ["Staff", "Staff 2"] {
      let file = "/\(version).xcdatamodel/contents"
      #expect(
        try Data(contentsOf: URL(fileURLWithPath: path + file))
          == Data(contentsOf: URL(fileURLWithPath: back + file)))
    }
    let shown = ToolRun.coredata("model", "show", path, "--version", "Staff", "--format", "json")
    let single = models.path("Staff-1.json")
    let one = ToolRun.coredata("model", "convert", path, single, "--version", "Staff")
    #expect(one.code == 0)
    #expect(shown.output == (try String(contentsOfFile: single, encoding: .utf8)))
    let versions = ToolRun.coredata("model", "diff", text, "--old", "Staff", "--new", "Staff 2")
    #expect(versions.output.hasSuffix("The migration is lightweight: Core Data can infer it.\n"))
  }

  @Test func `The model of a store is converted to a source model`() throws {
    let stores = try TemporaryStore()
    let store = stores.sample(rows: 10)
    let target = models.path("Contacts.xcdatamodeld")
    let run = ToolRun.coredata("model", "convert", store, target)
    #expect(run == ToolRun(code: 0, output: "\(target): 5 entities\n", errors: ""))
    #expect(ToolRun.coredata("model", "diff", store, target).output == "The models are the same.\n")
    #expect(
      FileManager.default.fileExists(atPath: target + "/Contacts.xcdatamodel/contents"))
  }

  @Test
  func `An extension of no format is refused, and the error lists the supported ones`() {
    let run = ToolRun.coredata("model", "convert", path, models.path("Staff.xml"))
    #expect(run.code == 64)
    #expect(
      run.errors == """
        error: the extension of '\(models.path("Staff.xml"))' is not a model format
        Use one of: .xcdatamodeld, .xcdatamodel, .momd, .mom, .json; for a mapping model .cdm

        """)
  }
}
