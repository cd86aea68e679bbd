import FixtureSupport
import Testing

@testable import ModelDiagram

@Suite struct MermaidTests {
  @Test func `A model is written as an erDiagram`() {
    let diagram = EntityDiagram(SmallModel.make(), title: "Library")
    #expect(
      diagram.mermaid == """
        ---
        title: "Library"
        ---
        erDiagram
            Author["Author (class Library.Writer)"] {
                String name UK
                Binary portrait "optional, external"
                Address address "optional"
                String street "optional, element"
                String town "optional, element"
            }
            Work["Work (abstract)"] {
                String title "optional"
                String plainTitle "optional, derived"
            }
            Book {
                Integer16 pages
                Work[] similar "fetched"
            }
            Publisher {
                Integer64 size "optional, transient"
            }
            Book |o..|| Work : "inherits from"
            Author ||--o{ Book : "books (ordered, cascade) / author (deny)"
            Author }o--o{ Author : "friends (0,2..5)"
            Book }o--o| Publisher : "publisher (no action)"

        """)
  }

  @Test func `Names with a meaning in Mermaid are escaped`() throws {
    var cards = ["Style", "two words", "a\"b%%c\\d~e", "Größe", "end", ""].map {
      EntityCard(name: $0)
    }
    cards[0].rows = [
      CardRow(kind: .attribute, name: "pk", type: "UK?", isKey: true),
      CardRow(kind: .attribute, name: "größe", type: "My Type<A>"),
    ]
    let diagram = EntityDiagram(title: "a: \"b\" \\", cards: cards)
    #expect(
      diagram.mermaid == """
        ---
        title: "a: \\"b\\" \\\\"
        ---
        erDiagram
            entity1["Style"] {
                UK_ pk_ UK "optional"
                MyType_A_ gr__e "größe"
            }
            entity2["two words"]
            entity3["a#34;b#37;#37;c#92;d#126;e"]
            entity4["Größe"]
            entity5["end"]
            entity6["#160;"]

        """)
    try MermaidCheck.check(diagram.mermaid)
  }

  @Test func `No label or title can be read as a statement`() {
    #expect(MermaidText.quoted("direction LR") == "\"direction#32;LR\"")
    #expect(MermaidText.frontMatter("100%% \"x\"") == #""100\x25\x25 \"x\"""#)
    // A quotation mark is escaped even if a combining mark follows it.
    #expect(MermaidText.frontMatter("x\"\u{301}") == "\"x\\\"\u{301}\"")
    #expect(MermaidText.quoted("") == "\"#160;\"")
  }

  @Test func `The check finds what Mermaid would refuse`() {
    let broken = [
      "erDiagram\n    A ||--|| B : \"x\"\n", "erDiagram\n    A {\n", "graph TD\n",
      "erDiagram\n    A\n    B\n    A |--| B : \"x\"\n", "erDiagram\n    A[\"a\"b\"]\n",
      "erDiagram\n    Style\n", "erDiagram\n    A {\n        String pk\n    }\n",
    ]
    for text in broken {
      #expect(throws: MermaidCheck.Violation.self) { try MermaidCheck.check(text) }
    }
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `Every fixture is valid Mermaid`() throws {
    for (path, diagram) in FixtureModels.diagrams() {
      #expect(throws: Never.self, "\(path)") { try MermaidCheck.check(diagram.mermaid) }
    }
  }

  @Test func `Random names are valid Mermaid`() throws {
    var random = SeededGenerator("Mermaid")
    let letters = Array("aZ_09 \"'%~#;:{}[]()<>\\\n\t/?*=|-.ö人🎉`$&")
    func name() -> String {
      let length = Int.random(in: 0...12, using: &random)
      return String(
        (0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }
    for _ in 0..<100 {
      var diagram = RandomDiagram.make(cards: 6, using: &random)
      diagram.title = name()
      for card in diagram.cards.indices {
        diagram.cards[card].name = name()
        for row in diagram.cards[card].rows.indices {
          diagram.cards[card].rows[row].name = name()
          diagram.cards[card].rows[row].type = name()
        }
      }
      for relation in diagram.relations.indices { diagram.relations[relation].source.name = name() }
      #expect(throws: Never.self, "seed \(random.seed)") { try MermaidCheck.check(diagram.mermaid) }
    }
  }
}
