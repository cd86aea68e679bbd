import Foundation
import ModelDiagram
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ModelDiagramTests {
  private let temporary: TemporaryStore
  private let contacts = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Examples/Contacts/Contacts.xcdatamodeld")
    .path

  init() throws {
    temporary = try TemporaryStore()
  }

  @Test func `The default format is SVG`() {
    let run = ToolRun.coredata("model", "diagram", contacts, "--engine", "built-in")
    #expect(run.code == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "))
    #expect(run.output.contains("<title id=\"diagram-title\">Contacts</title>"))
    #expect(run.output.contains("id=\"entity-Customer\""))
    #expect(
      run.output == ToolRun.coredata("model", "diagram", contacts, "--engine", "built-in").output)
  }

  @Test func `The picture beside the sample model is its diagram`() throws {
    let run = ToolRun.coredata("model", "diagram", contacts, "--engine", "built-in")
    let picture = URL(fileURLWithPath: contacts).deletingLastPathComponent()
      .appendingPathComponent("Contacts.svg")
    #expect(try String(contentsOf: picture, encoding: .utf8) == run.output)
  }

  @Test func `The cached model of a store can be drawn`() {
    let run = ToolRun.coredata("model", "diagram", temporary.sample(), "--format", "mermaid")
    #expect(run.code == 0)
    #expect(run.output.hasPrefix("---\ntitle: \"Contacts\"\n---\nerDiagram\n"))
    #expect(
      run.output.contains("    Customer |o--o{ Job : \"jobs (ordered, cascade) / customer\"\n"))
  }

  @Test(arguments: [
    ("a.svg", "<?xml"), ("a.mmd", "---\n"), ("a.dot", "digraph"), ("a.txt", "<?xml"),
  ])
  func `The extension of the output file selects the format`(name: String, start: String) throws {
    let path = temporary.path(name)
    let run = ToolRun.coredata("model", "diagram", contacts, "--output", path)
    #expect(run.code == 0)
    #expect(run.output == "\(path): 5 entities, 2 relationships\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(start))
  }

  @Test func `An existing file is overwritten only with --force`() throws {
    let path = temporary.path("a.svg")
    try "mine".write(toFile: path, atomically: true, encoding: .utf8)
    let run = ToolRun.coredata("model", "diagram", contacts, "--output", path)
    #expect(run.code == 64)
    #expect(run.errors.contains("already exists"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    let forced = ToolRun.coredata("model", "diagram", contacts, "--output", path, "--force")
    #expect(forced.code == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<?xml"))
  }

  @Test func `Contradictory options, unknown formats and missing models are refused`() {
    let engine = ToolRun.coredata(
      "model", "diagram", contacts, "--format", "dot", "--engine", "graphviz")
    #expect(engine.code == 64)
    #expect(engine.errors.hasPrefix("error: --engine graphviz applies to svg only"))
    #expect(ToolRun.coredata("model", "diagram", contacts, "--format", "png").code == 64)
    #expect(ToolRun.coredata("model", "diagram", temporary.path("none.momd")).code == 65)
  }

  @Test(.enabled(if: GraphvizProcess.program != nil))
  func `Graphviz can be selected as the engine`() {
    let run = ToolRun.coredata("model", "diagram", contacts, "--engine", "graphviz")
    #expect(run.code == 0)
    #expect(run.output.contains("id=\"relation-Customer-jobs\""))
  }
}
