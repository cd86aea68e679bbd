import Testing

@testable import ModelDiagram

@Suite struct TextTests {
  @Test func `Widths are those of the widest common font`() {
    // DejaVu Sans: H 752, i 278 thousandths of the font size.
    #expect(TextStyle(size: 10).width(of: "Hi") == 10.3)
    #expect(TextStyle(size: 10, isBold: true).width(of: "Hi") > 10.3)
    #expect(TextStyle(size: 10).width(of: "") == 0)
  }

  @Test func `East Asian letters and emoji are as wide as they are high`() {
    #expect(TextStyle(size: 10).width(of: "人口") == 20.8)
    #expect(TextStyle(size: 10).width(of: "👩‍👩‍👧‍👦") == 10.4)
    #expect(TextStyle(size: 10).width(of: "e\u{301}") == TextStyle(size: 10).width(of: "e"))
  }

  @Test func `Long texts are truncated with an ellipsis so that they fit`() {
    let style = TextStyle.row
    #expect(style.cut("short", to: 200) == "short")
    for text in [String(repeating: "W", count: 500), String(repeating: "人", count: 500)] {
      let cut = style.cut(text, to: 200)
      #expect(cut.hasSuffix("…"))
      #expect(style.width(of: cut) <= 200)
      #expect(style.width(of: cut) > 170)
    }
  }

  @Test func `A string that just fits is not truncated`() {
    let style = TextStyle(size: 10)
    let text = String(repeating: "H", count: 20)
    #expect(style.cut(text, to: style.width(of: text) + 0.1) == text)
    #expect(style.cut(text, to: style.width(of: text) - 0.1).hasSuffix("…"))
  }

  @Test func `Characters that would affect surrounding text become visible`() {
    #expect(VisibleText.of("a\nb\u{0}") == "a␊b␀")
    #expect(VisibleText.of("a\u{202E}b\u{FFFF}\u{1FFFE}") == "a�b��")
    #expect(VisibleText.of("שלום 👩‍👧") == "שלום 👩‍👧")
  }

  @Test func `Numbers have at most two decimals`() {
    #expect(NumberText.of(3) == "3")
    #expect(NumberText.of(-3.5) == "-3.5")
    #expect(NumberText.of(0.05) == "0.05")
    #expect(NumberText.of(1.999) == "2")
    #expect(NumberText.of(-0.001) == "0")
    #expect(NumberText.of(.nan) == "0")
  }

  @Test func `Identifiers are words and unique`() {
    let cards = ["Person", "person", "Two Words", "entity3", "end", "Ok"].map {
      EntityCard(name: $0)
    }
    #expect(
      CardIdentifiers.of(cards, reserved: ["end"])
        == ["entity1", "entity2", "entity3_", "entity3", "entity5", "Ok"])
    #expect(CardIdentifiers.word("größe 2") == "gr__e_2")
    #expect(CardIdentifiers.word("2nd") == "_2nd")
  }

  @Test func `Rows keep their texts apart and inside the card`() {
    let names = [
      "a", String(repeating: "long", count: 100), "人口统计", "שם", "👩‍👩‍👧‍👦", "WWWWWWWWWWWW",
    ]
    for name in names {
      let card = EntityCard(
        name: name, className: name,
        rows: [
          CardRow(
            kind: .attribute, name: name, type: name + "?", isKey: true,
            marks: CardRow.Mark.allCases),
          CardRow(kind: .relationship, name: name, type: "\(name) 0..*", marks: [.cascade]),
          CardRow(kind: .attribute, name: name, type: "Integer 64", depth: 3),
        ])
      let shape = CardShape(card)
      #expect(TextStyle.heading.width(of: shape.name) <= shape.width - 24)
      for row in shape.rows {
        let nameEnd = row.nameX + TextStyle.row.width(of: row.name)
        let typeStart = shape.width - 12 - TextStyle.row.width(of: row.type)
        #expect(nameEnd <= row.keyX ?? row.marks.first?.x ?? typeStart)
        #expect((row.marks.last.map { $0.x + $0.width } ?? nameEnd) <= typeStart)
        #expect(row.middle < shape.height)
      }
      #expect(shape.rows[1].type.hasSuffix(" 0..*"))
      #expect(shape.rows[0].type.hasSuffix("?"))
    }
  }
}
