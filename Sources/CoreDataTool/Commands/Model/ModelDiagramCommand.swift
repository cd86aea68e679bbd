import ArgumentParser
import CoreData
import ModelDiagram
import StoreInspection

/// `coredata model diagram`: draws a model.
struct ModelDiagramCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diagram",
    abstract: "Draws a model: entities as cards, relationships as lines between them.",
    discussion: """
      svg is a picture for light and dark backgrounds; mermaid is an erDiagram, which GitHub and many editors \
      render in Markdown; dot is for Graphviz. Without --format the extension of --output decides (.svg, \
      .mmd, .mermaid, .dot, .gv); the default is svg.

      Graphviz places the cards of an svg if it is installed (a program "dot" on the PATH), otherwise a \
      layout built into coredata does. --engine chooses one of them.

        coredata model diagram Model.xcdatamodeld --output Model.svg
        coredata model diagram Contacts.sqlite --format mermaid
        coredata model diagram Model.momd --format dot | dot -Tpdf -o Model.pdf
      """
  )

  @OptionGroup var arguments: ModelArguments

  @Option(help: "svg, mermaid or dot.")
  var format: DiagramFormat?

  @Option(
    help: ArgumentHelp("File to write to instead of standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: "Layout of an svg: auto, graphviz or built-in.")
  var engine: DiagramEngine?

  @Flag(help: "Replace an existing file at --output.")
  var force = false

  @OptionGroup var links: LinkArguments

  func run() throws {
    let format = self.format ?? output.flatMap(DiagramFormat.init(extensionOf:)) ?? .svg
    if let engine, format != .svg {
      throw Diagnostic(
        .usage, "--engine \(engine.rawValue) applies to svg only, not to \(format.rawValue)"
      )
    }
    // Check the output path before the layout, which may take a long time.
    let place = try output.map { path throws(Diagnostic) in try links.place(path) }
    if let output { try links.requireFree(output, orReplacing: force) }
    let loaded = try arguments.load()
    let diagram = EntityDiagram(loaded.model, title: loaded.diagramTitle)
    let text = try text(of: diagram, as: format)
    guard let output, let place else {
      Console.current.output(text)
      return
    }
    try reportingStoreErrors {
      try Data(text.utf8).write(to: URL(fileURLWithPath: place), options: .atomic)
    }
    let entities = CountText.counted(diagram.cards.count, "entity", plural: "entities")
    let relationships = CountText.counted(diagram.relations.count, "relationship")
    Console.current.output("\(output): \(entities), \(relationships)".onOneLine + "\n")
  }

  private func text(of diagram: EntityDiagram, as format: DiagramFormat) throws -> String {
    switch format {
    case .mermaid: return diagram.mermaid
    case .dot: return diagram.dot
    case .svg:
      do {
        let (layout, note) = try DiagramLayout.make(diagram, by: engine ?? .auto)
        if let note { Console.current.note("\(note.onOneLine); placed without it\n") }
        return diagram.svg(layout)
      } catch let error as GraphvizError {
        throw Diagnostic(
          .usage, error.localizedDescription,
          details: ["--engine built-in needs no other program."])
      }
    }
  }
}

enum DiagramFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
  case svg
  /// An `erDiagram` of Mermaid.
  case mermaid
  /// A graph of Graphviz.
  case dot

  /// The format that a file's extension stands for, if any.
  init?(extensionOf path: String) {
    switch URL(fileURLWithPath: path).pathExtension.lowercased() {
    case "svg": self = .svg
    case "mmd", "mermaid": self = .mermaid
    case "dot", "gv": self = .dot
    default: return nil
    }
  }
}

extension DiagramEngine: ExpressibleByArgument {}

extension LoadedModel {
  /// The title of the model's diagram: the name of the model's file, with the version if there are several.
  var diagramTitle: String {
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    guard let version, versions.count > 1, version != name else { return name }
    return "\(name) (\(version))"
  }
}
