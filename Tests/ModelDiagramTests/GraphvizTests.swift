import FixtureSupport
import Foundation
import Testing

@testable import ModelDiagram

@Suite struct GraphvizTests {
  @Test func `A model is a graph of tables`() {
    var card = EntityCard(name: "Job", className: "Task", isAbstract: true)
    card.rows = [
      CardRow(kind: .attribute, name: "a<b>", type: "String?", isKey: true),
      CardRow(kind: .relationship, name: "parent", type: "Job 0..1", marks: [.cascade]),
    ]
    let relation = RelationLine(
      source: RelationLine.End(
        card: 0, row: 1, name: "parent",
        leadsTo: RelationLine.Cardinality(minimum: 0, maximum: 1)),
      target: RelationLine.End(card: 0))
    let dot = EntityDiagram(title: "A \"b\" \\", cards: [card], relations: [relation]).dot
    #expect(dot.hasPrefix("digraph \"A \\\"b\\\" \\\\\" {\n"))
    #expect(dot.contains("<I><B>Job</B></I>"))
    #expect(dot.contains("abstract · Task"))
    #expect(dot.contains("PORT=\"left0\" ALIGN=\"LEFT\">a&lt;b&gt; <FONT"))
    #expect(
      dot.contains(
        "\"Job\":right1:e -> \"Job\":head:e [arrowtail=none, arrowhead=teeodot, "
          + "tooltip=\"Job.parent: 0..1 Job, no inverse\"];"))
  }

  @Test(
    .enabled(if: GraphvizProcess.program != nil),
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `Graphviz draws every fixture`() throws {
    // One run draws all diagrams. It fails if one of them has an error.
    let text = FixtureModels.diagrams().map(\.diagram.dot).joined()
    let drawn = try GraphvizProcess.run(text, format: "plain", timeLimit: 120)
    #expect(try GraphvizOutput.graphs(in: drawn).count == FixtureModels.diagrams().count)
  }

  @Test(.enabled(if: GraphvizProcess.program != nil))
  func `Graphviz draws hostile names`() throws {
    let names = [
      "<b>", "\"", "\\", "\\N", "a\nb", "", " ", "&amp;", "]]>", "人口", "\u{202E}x", "%", "{}|",
      String(repeating: "x", count: 500),
    ]
    let cards = names.map { name in
      EntityCard(
        name: name, className: name,
        rows: [CardRow(kind: .attribute, name: name, type: name, explanation: name)])
    }
    let diagram = EntityDiagram(title: names.joined(), cards: cards)
    let drawn = try GraphvizProcess.run(diagram.dot, format: "svg", timeLimit: 60)
    #expect(drawn.contains("</svg>"))
    #expect(try DiagramLayout.graphviz(diagram).cards.count == names.count)
  }

  @Test func `Plain output is parsed`() throws {
    let text = """
      graph 1 2.5 1.5
      node n0 0.5 1.25 0.75 0.5 "" solid none black lightgrey
      edge n0 n1 4 0.5 1 0.6 0.9 0.7 0.8 1e0 .7 solid "#00000c"
      stop
      graph 1 1 1
      stop

      """
    let graphs = try GraphvizOutput.graphs(in: text)
    #expect(graphs.map(\.height) == [1.5, 1])
    #expect(graphs[0].nodes == ["n0": Point(0.5, 1.25)])
    #expect(
      graphs[0].edges == [
        "\"#00000c\"": [Point(0.5, 1), Point(0.6, 0.9), Point(0.7, 0.8), Point(1, 0.7)]
      ])
    #expect(GraphvizPlan.number(ofColor: "\"#00000c\"") == 12)
    #expect(GraphvizPlan.color(of: 70_000) == "#011170")
  }

  @Test(arguments: [
    "graph 1 2.5", "graph 1 2 3\nnode n0 1\nstop", "graph 1 2 3\nedge a b 4 1 2 3\nstop",
    "graph 1 2 3\nedge a b -1 solid\nstop", "graph 1 2 3\nnode n0 1 2\n",
  ])
  func `Other output is rejected`(text: String) {
    #expect(throws: GraphvizError.unreadable) { try GraphvizOutput.graphs(in: text) }
  }

  @Test(.enabled(if: GraphvizProcess.program != nil))
  func `An error in a graph is reported`() {
    #expect {
      try GraphvizProcess.run("digraph { a -> ", format: "plain", timeLimit: 10)
    } throws: { error in
      error.localizedDescription.hasPrefix("Graphviz failed: Error: the diagram: syntax error")
    }
  }

  @Test(.enabled(if: GraphvizProcess.program != nil))
  func `Graphviz is terminated when it takes too long`() {
    #expect(throws: GraphvizError.timedOut(seconds: 0)) {
      try GraphvizProcess.run("digraph { a -> b }", format: "plain", timeLimit: 0)
    }
  }

  @Test func `A picture is made without an error, with or without Graphviz`() throws {
    var random = SeededGenerator("engines")
    let diagram = RandomDiagram.make(cards: 12, using: &random)
    let (layout, note) = try DiagramLayout.make(diagram, by: .builtIn)
    #expect(layout == DiagramLayout.builtIn(diagram))
    #expect(note == nil)
    let (chosen, reason) = try DiagramLayout.make(diagram, by: .auto)
    #expect(chosen.cards.count == 12)
    #expect(reason == nil)
  }

  @Test func `Without Graphviz, auto uses the built-in layout, and graphviz is an error`() throws {
    var random = SeededGenerator("without Graphviz")
    let diagram = RandomDiagram.make(cards: 12, using: &random)
    try GraphvizProcess.$path.withValue("/dev/null") {
      let (layout, note) = try DiagramLayout.make(diagram, by: .auto)
      #expect(layout == DiagramLayout.builtIn(diagram))
      #expect(note == nil)
      #expect(throws: GraphvizError.notInstalled) {
        try DiagramLayout.make(diagram, by: .graphviz)
      }
    }
  }

  @Test func `If Graphviz fails, auto uses the built-in layout and returns the reason`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = FileManager.default.createFile(
      atPath: folder.appendingPathComponent("dot").path,
      contents: Data("#!/bin/sh\necho it is broken >&2\nexit 1\n".utf8),
      attributes: [.posixPermissions: 0o755])
    var random = SeededGenerator("failing Graphviz")
    let diagram = RandomDiagram.make(cards: 3, using: &random)
    try GraphvizProcess.$path.withValue(folder.path) {
      let (layout, note) = try DiagramLayout.make(diagram, by: .auto)
      #expect(layout == DiagramLayout.builtIn(diagram))
      #expect(note == "Graphviz failed: it is broken")
    }
  }
}
