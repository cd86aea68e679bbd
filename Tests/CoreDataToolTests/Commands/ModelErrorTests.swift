import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// An error in a model ends every command with exit code 65, whichever argument or option refers to the model.
struct ModelErrorTests {
  private let models: TemporaryModel
  private let temporary: TemporaryStore

  init() throws {
    models = try TemporaryModel()
    temporary = try TemporaryStore()
  }

  @Test(arguments: [
    // Well-formed, but invalid.
    #"<entity name="A"><attribute name="x" attributeType="Strong"/></entity>"#,
    #"<entity name="A"><relationship name="r" destinationEntity="B"/></entity>"#,
    #"<entity name="A" parentEntity="B"/>"#,
    #"<entity name="A" parentEntity="A"/>"#,
    #"<entity name="A"/><entity name="A"/>"#,
    // Not XML.
    "<entity",
  ])
  func `A model with an error ends every command with exit code 65`(_ body: String) throws {
    let store = temporary.sample(rows: 10)
    let model = try models.write(versions: [("Staff", body)])
    let good = try models.write("Good", versions: [("Good", TemporaryModel.first)])
    for command in [
      ["model", "check", model], ["model", "show", model], ["model", "hashes", model],
      ["model", "diagram", model], ["model", "diff", model, store],
      ["model", "diff", store, model],
      ["model", "convert", model, models.path("out.mom")], ["info", store, "--model", model],
      ["fetch", store, "Person", "--model", model], ["history", store, "--model", model],
      ["insert", store, "Person", "lastName=x", "--model", model],
      ["verify", store, "--model", model], ["migrate", store, "--to", model],
      ["migrate", store, "--to", good, "--from", model],
    ] {
      let run = ToolRun.coredata(command)
      #expect(run.code == 65, "\(command): \(run)")
    }
    // An error in the command line has a different exit code.
    #expect(ToolRun.coredata("model", "show", good, "--version", "None").code == 64)
    #expect(ToolRun.coredata("model", "show", good, "Nobody").code == 64)
  }

  @Test(.timeLimit(.minutes(60)))
  func `A mapping model that is not a plain file is refused, and the tool does not block on it`()
    throws
  {
    let store = temporary.sample(rows: 10)
    let (pipe, device) = (models.path("pipe.cdm"), models.path("zero.cdm"))
    #expect(mkfifo(pipe, 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: device, withDestinationPath: "/dev/zero")
    let folder = models.path("M.xcmappingmodel")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(mkfifo(folder + "/xcmapping.xml", 0o600) == 0)
    for (mapping, kind) in [
      (pipe, "it is a named pipe (FIFO), not a plain file"),
      (device, "it is a device, not a plain file"),
      (folder, "it is a named pipe (FIFO), not a plain file"),
    ] {
      for command in [
        ["migrate", store, "--to", store, "--mapping", mapping],
        ["model", "convert", mapping, models.path("out.cdm")],
      ] {
        let run = ToolRun.coredata(command)
        #expect(
          run.code == 65 && run.errors.contains("\(mapping) cannot be read: \(kind)"), "\(run)")
      }
    }
    // A mapping model beside the models is a candidate, so it is read too.
    let found = ToolRun.coredata(
      "model", "diff", try models.write("A", versions: [("A", TemporaryModel.first)]),
      try models.write("B", versions: [("B", TemporaryModel.third)]))
    #expect(found.code == 65 && found.errors.contains("not a plain file"), "\(found)")
  }
}
