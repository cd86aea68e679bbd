import FixtureSupport
import Testing

@testable import ModelDiagram

@Suite struct LayoutTests {
  @Test func `The check finds overlapping cards and lines through cards`() {
    let cards = (0..<3).map { EntityCard(name: "E\($0)") }
    let relation = RelationLine(
      source: RelationLine.End(card: 0), target: RelationLine.End(card: 2))
    let diagram = EntityDiagram(title: "", cards: cards, relations: [relation])
    let frames = [0.0, 50, 300].map { Frame(x: $0, y: 0, width: 100, height: 40) }
    let layout = DiagramLayout(
      cards: frames,
      relations: [DiagramLayout.Route(points: [Point(100, 20), Point(300, 20)])],
      inheritances: [], width: 400, height: 40)
    #expect(
      LayoutCheck(diagram: diagram, layout: layout).violations == [
        "E0 and E1 overlap", "line 0 goes through E1",
      ])
  }

  @Test(arguments: [0, 1, 2, 3, 5, 8, 13, 30, 60, 120])
  func `Cards do not overlap and lines go around them`(count: Int) {
    var random = SeededGenerator("layout of \(count)")
    for _ in 0..<(count > 40 ? 2 : 12) {
      let diagram = RandomDiagram.make(cards: count, using: &random)
      let layout = DiagramLayout.builtIn(diagram)
      let violations = LayoutCheck(diagram: diagram, layout: layout).violations
      #expect(violations.isEmpty, "seed \(random.seed)")
    }
  }

  @Test(.enabled(if: GraphvizProcess.program != nil), arguments: [1, 2, 3, 5, 8, 13, 30, 120])
  func `Graphviz's cards do not overlap`(count: Int) throws {
    var random = SeededGenerator("Graphviz's layout of \(count)")
    let diagram = RandomDiagram.make(cards: count, using: &random)
    let layout = try DiagramLayout.graphviz(diagram, timeLimit: 60)
    let violations = LayoutCheck(diagram: diagram, layout: layout).violations
    #expect(violations.isEmpty, "seed \(random.seed)")
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `Every fixture's picture is free of overlaps`() {
    let diagrams = FixtureModels.diagrams()
    #expect(diagrams.count > 150)
    for (path, diagram) in diagrams {
      let layout = DiagramLayout.builtIn(diagram)
      #expect(LayoutCheck(diagram: diagram, layout: layout).violations.isEmpty, "\(path)")
    }
  }

  @Test func `The same diagram always has the same layout`() {
    var random = SeededGenerator("same layout")
    let diagram = RandomDiagram.make(cards: 40, using: &random)
    #expect(DiagramLayout.builtIn(diagram) == DiagramLayout.builtIn(diagram))
  }

  @Test func `400 entities are placed once each`() {
    var random = SeededGenerator("layout of 400")
    let diagram = RandomDiagram.make(cards: 400, using: &random)
    #expect(DiagramLayout.builtIn(diagram).cards.count == 400)
  }

  @Test func `The center of a star is placed in the center`() {
    var cards = [EntityCard(name: "Hub")]
    var relations: [RelationLine] = []
    for number in 0..<40 {
      cards.append(
        EntityCard(
          name: "Leaf\(number)",
          rows: [CardRow(kind: .relationship, name: "hub", type: "Hub 0..1")]))
      cards[0].rows.append(CardRow(kind: .relationship, name: "leaf\(number)", type: "Leaf 0..*"))
      relations.append(
        RelationLine(
          source: RelationLine.End(
            card: 0, row: number, name: "leaf\(number)",
            leadsTo: RelationLine.Cardinality(minimum: 0, maximum: nil)),
          target: RelationLine.End(
            card: number + 1, row: 0, name: "hub",
            leadsTo: RelationLine.Cardinality(minimum: 0, maximum: 1))))
    }
    let layout = DiagramLayout.builtIn(
      EntityDiagram(title: "Star", cards: cards, relations: relations))
    let hub = layout.cards[0]
    #expect(layout.cards.contains { $0.right < hub.x })
    #expect(layout.cards.contains { $0.x > hub.right })
    #expect(layout.height < 2.5 * layout.width)
  }

  @Test func `Parents are to the left of their children`() {
    let cards = ["Child", "Parent", "Grandchild"].map { EntityCard(name: $0) }
    let layout = DiagramLayout.builtIn(
      EntityDiagram(
        title: "", cards: cards,
        inheritances: [
          InheritanceArrow(child: 0, parent: 1), InheritanceArrow(child: 2, parent: 0),
        ]))
    #expect(layout.cards[1].right < layout.cards[0].x)
    #expect(layout.cards[0].right < layout.cards[2].x)
  }

  @Test func `The count of inversions is the same as when all pairs are compared`() {
    var random = SeededGenerator("inversions")
    for _ in 0..<200 {
      let count = Int.random(in: 0...30, using: &random)
      let values = (0..<count).map { _ in Double(Int.random(in: 0...9, using: &random)) }
      var naive = 0
      for left in values.indices {
        for right in values.indices.dropFirst(left + 1) where values[left] > values[right] {
          naive += 1
        }
      }
      #expect(Inversions.count(values) == naive)
    }
  }

  @Test func `The gain of an exchange is the same as when all pairs are compared`() {
    var random = SeededGenerator("excess")
    for _ in 0..<200 {
      func values() -> [Double] {
        (0..<Int.random(in: 0...30, using: &random)).map { _ in
          Double(Int.random(in: 0...9, using: &random))
        }
      }
      let (ones, others) = (values(), values())
      var naive = 0
      for one in ones {
        for other in others { naive += one > other ? 1 : one < other ? -1 : 0 }
      }
      #expect(Inversions.excess(of: ones, over: others) == naive)
    }
  }

  @Test func `Lines get the same tracks as when all pairs are compared`() {
    var random = SeededGenerator("tracks")
    for _ in 0..<100 {
      let wires = (0..<Int.random(in: 0...40, using: &random)).map { number in
        let top = Double(Int.random(in: 0...400, using: &random))
        let height = Double(Int.random(in: 0...120, using: &random))
        let net = ColumnGraph.Net(
          isBundle: false, number: number, isBackward: false, isBracket: true)
        return ChannelRouting.Wire(net: net, left: [top, top + height], isBracket: true).measured()
      }
      var naive: [Int] = []
      for (place, wire) in wires.enumerated() {
        let touched = (0..<place).filter {
          wires[$0].top - 22 < wire.bottom && wire.top - 22 < wires[$0].bottom
        }
        naive.append((touched.map { naive[$0] }.max() ?? -1) + 1)
      }
      #expect(ChannelRouting.levels(of: wires) == naive)
    }
  }

  /// Shows that many cards are packed tightly. The limit only ends a run that hangs.
  @Test(.timeLimit(.minutes(60)))
  func `Thousands of unrelated entities are packed`() {
    var random = SeededGenerator("many cards")
    let sizes = (0..<8_000).map { _ in
      CardGraph.Size(
        width: Double(Int.random(in: 132...400, using: &random)),
        height: Double(20 * Int.random(in: 2...9, using: &random)))
    }
    let places = ComponentPacking.places(of: sizes)
    let width = zip(places, sizes).map { $0.x + $1.width }.max() ?? 0
    let height = zip(places, sizes).map { $0.y + $1.height }.max() ?? 0
    let area = sizes.reduce(0) { $0 + ($1.width + 36) * ($1.height + 36) }
    #expect(width * height < 1.15 * area)
  }

  @Test func `Rectangles get the same places as when the whole skyline is searched`() {
    var random = SeededGenerator("packing as before")
    for _ in 0..<60 {
      let sizes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        CardGraph.Size(
          width: Double(Int.random(in: 5...90, using: &random) * 10),
          height: Double(Int.random(in: 3...60, using: &random) * 10))
      }
      #expect(ComponentPacking.places(of: sizes) == SlowPacking.places(of: sizes))
    }
  }

  @Test func `Packed rectangles do not overlap`() {
    var random = SeededGenerator("packing")
    for _ in 0..<50 {
      let sizes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        CardGraph.Size(
          width: Double.random(in: 50...900, using: &random),
          height: Double.random(in: 30...600, using: &random))
      }
      let frames = zip(ComponentPacking.places(of: sizes), sizes).map {
        Frame(x: $0.x, y: $0.y, width: $1.width, height: $1.height)
      }
      for one in frames.indices {
        for other in frames.indices.dropFirst(one + 1) {
          #expect(!frames[one].overlaps(frames[other]), "seed \(random.seed)")
        }
      }
    }
  }
}
