import FixtureSupport
import Foundation
import Testing

@testable import ModelDiagram

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct SVGTests {
  @Test func `The picture contains all names`() throws {
    let diagram = EntityDiagram(SmallModel.make(), title: "Library")
    let svg = diagram.svg(DiagramLayout.builtIn(diagram))
    let document = try SVGDocument(svg)
    #expect(
      document.identifiers == [
        "diagram-title", "diagram-description", "inheritance-Book", "relation-Author-books",
        "relation-Author-friends", "relation-Book-publisher", "entity-Author", "entity-Work",
        "entity-Book", "entity-Publisher",
      ])
    #expect(document.titles.first == "Library")
    #expect(document.titles.contains("Work (abstract)"))
    #expect(document.titles.contains("Book inherits from Work"))
    #expect(document.titles.contains("name: String, required, unique"))
    #expect(
      document.descriptions == [
        "Entity-relationship diagram of 4 entities, 3 relationships, 1 inheritance."
      ])
    for text in ["Library", "Author", "books", "Book 0..*", "ordered", "cascade", "plainTitle"] {
      #expect(document.texts.contains(text), "\(text)")
    }
  }

  @Test func `The picture adapts to light and dark appearance`() {
    let svg = EntityDiagram(title: "", cards: []).svg(
      DiagramLayout(cards: [], relations: [], inheritances: [], width: 0, height: 0))
    #expect(svg.contains("@media (prefers-color-scheme: dark)"))
    #expect(svg.contains("role=\"img\""))
    #expect(!svg.contains("href") && !svg.contains("url("))
  }

  @Test func `Hostile names remain text`() throws {
    let names = [
      "<script>alert(1)</script>", "\"'&]]>", "a\nb\tc\u{0}", "\u{202E}left", "שלום", "",
      String(repeating: "x", count: 500), "人口统计", "x\u{301}\u{FFFE}", "\"\u{301}<\u{301}",
    ]
    var cards = names.map { EntityCard(name: $0, className: $0) }
    for place in cards.indices {
      cards[place].rows = [
        CardRow(
          kind: .attribute, name: names[place], type: names[place], explanation: names[place]),
        CardRow(kind: .relationship, name: names[place], type: "\(names[place]) 0..*"),
      ]
    }
    let relations = names.indices.map { place in
      RelationLine(
        source: RelationLine.End(
          card: place, row: 1, name: names[place],
          leadsTo: RelationLine.Cardinality(minimum: 0, maximum: nil)),
        target: RelationLine.End(card: (place + 1) % names.count))
    }
    let diagram = EntityDiagram(
      title: names.joined(separator: " "), cards: cards, relations: relations)
    let document = try SVGDocument(diagram.svg(DiagramLayout.builtIn(diagram)))
    #expect(document.elements.isDisjoint(with: ["script"]))
    #expect(Set(document.identifiers).count == document.identifiers.count)
    #expect(document.texts.contains("<script>alert(1)</script>"))
    #expect(document.titles.contains { $0.contains(String(repeating: "x", count: 500)) })
    #expect(!document.texts.contains { $0.contains(String(repeating: "x", count: 100)) })
  }

  @Test func `Entities whose names become the same identifier get different identifiers`() throws {
    let diagram = EntityDiagram(
      title: "", cards: [EntityCard(name: "A B"), EntityCard(name: "A-B"), EntityCard(name: "A_B")])
    let document = try SVGDocument(diagram.svg(DiagramLayout.builtIn(diagram)))
    #expect(document.identifiers.suffix(3) == ["entity-A_B", "entity-A_B-2", "entity-A_B-3"])
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `Every fixture's picture is well-formed`() throws {
    for (path, diagram) in FixtureModels.diagrams() {
      let layout = DiagramLayout.builtIn(diagram)
      let svg = diagram.svg(layout)
      let document = try SVGDocument(svg)
      #expect(Set(document.identifiers).count == document.identifiers.count, "\(path)")
      let lines = diagram.cards.count + diagram.relations.count + diagram.inheritances.count
      #expect(document.identifiers.count == lines + 2, "\(path)")
      #expect(diagram.svg(layout) == svg)
    }
  }

  @Test func `Corners are rounded as far as there is space`() {
    let route = DiagramLayout.Route(points: [Point(0, 0), Point(40, 0), Point(40, 6), Point(90, 6)])
    #expect(SVGLine.path(route) == "M0,0L37,0Q40,0 40,3L40,3Q40,6 43,6L90,6")
  }
}

/// The contents of an SVG document.
final class SVGDocument: NSObject, XMLParserDelegate {
  private(set) var identifiers: [String] = []
  private(set) var titles: [String] = []
  private(set) var descriptions: [String] = []
  private(set) var texts: [String] = []
  private(set) var elements: Set<String> = []
  private var current = ""

  /// - Throws: The parser's error if the text is not XML.
  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() {
      throw parser.parserError ?? CocoaError(.propertyListReadCorrupt)
    }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    elements.insert(name)
    current = ""
    if let id = attributes["id"] { identifiers.append(id) }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { current += string }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    switch name {
    case "title": titles.append(current)
    case "desc": descriptions.append(current)
    case "text": texts.append(current)
    default: break
    }
    current = ""
  }
}
