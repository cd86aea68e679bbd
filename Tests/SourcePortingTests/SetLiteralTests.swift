import SourcePorting
import Testing

/// Source: the compilers for both kinds of platforms. An array literal makes an `NSSet` with Apple's
/// Foundation, but not with Foundation on other systems. It makes an `NSOrderedSet` with both.
@Suite("Porting array literals that make sets")
struct SetLiteralTests {
  private static let model = """
    class Player: NSManagedObject {
      @NSManaged var team: Team?
      @NSManaged var tags: Set<Tag>
    }
    class Team: NSManagedObject {
      @NSManaged var players: NSSet?
      @NSManaged var former: NSMutableSet
      @NSManaged var order: NSOrderedSet?
      @NSManaged var cups: TeamCoreDataPropertiesSet?
      @NSManaged func addToPlayers(_ value: Player)
      @NSManaged func addToPlayers(_ values: NSSet)
      init(players: NSSet, names: [String]) {}
      static func make() -> Team {}
    }
    typealias TeamCoreDataPropertiesSet = NSSet
    func show(_ things: NSSet, in place: [Int]) {}
    """

  /// Expects a statement in a function to be rewritten, or to be unchanged.
  private func expect(
    _ statement: String, _ expected: String? = nil, location: SourceLocation = #_sourceLocation
  ) {
    func source(_ statement: String) -> String {
      "import CoreData\nfunc f(team: Team, a: Player, b: Player) {\n  \(statement)\n}\n"
    }
    let given = source(statement)
    expectPorted(
      given, becomes: source(expected ?? statement),
      among: ManagedClasses(of: [Self.model, given]),
      location: location)
  }

  @Test(
    "A literal becomes a set made from the array if its type is known",
    arguments: [
      ("let s: NSSet = [a, b]", "let s: NSSet = NSSet(array: [a, b])"),
      ("var s: NSMutableSet? = []", "var s: NSMutableSet? = NSMutableSet(array: [])"),
      ("let s: Foundation.NSSet = [a]", "let s: Foundation.NSSet = NSSet(array: [a])"),
      ("let s = [a] as NSSet", "let s = NSSet(array: [a]) as NSSet"),
      ("team.players = [a, b]", "team.players = NSSet(array: [a, b])"),
      ("team.players = ([a])", "team.players = (NSSet(array: [a]))"),
      ("team.former = [a]", "team.former = NSMutableSet(array: [a])"),
      ("team.cups = [a]", "team.cups = NSSet(array: [a])"),
      ("a.team?.players = []", "a.team?.players = NSSet(array: [])"),
      ("a.team!.players = [\n    a, b\n  ]", "a.team!.players = NSSet(array: [\n    a, b\n  ])"),
      (
        "let t = Team(context: c)\n  t.players = [a]",
        "let t = Team(context: c)\n  t.players = NSSet(array: [a])"
      ),
      (
        "if let t = a.team { t.players = [a] }",
        "if let t = a.team { t.players = NSSet(array: [a]) }"
      ),
      (
        "if let team = b as? Player { g(team) } else { team.players = [a] }",
        "if let team = b as? Player { g(team) } else { team.players = NSSet(array: [a]) }"
      ),
      (
        "for a: Team in teams where a.players == [b] {}",
        "for a: Team in teams where a.players == NSSet(array: [b]) {}"
      ),
      (
        "guard let t = try f() as? Team else { return }\n  t.players = [a]",
        "guard let t = try f() as? Team else { return }\n  t.players = NSSet(array: [a])"
      ),
      (
        "for p in team.players ?? [] { g(p) }",
        "for p in team.players ?? NSSet(array: []) { g(p) }"
      ),
      (
        "team.players = b.isIn ? [a, b] : [a]",
        "team.players = b.isIn ? NSSet(array: [a, b]) : NSSet(array: [a])"
      ),
      ("team.players = g() ?? [a]", "team.players = g() ?? NSSet(array: [a])"),
      ("if team.players == [a] {}", "if team.players == NSSet(array: [a]) {}"),
      ("XCTAssertEqual(team.players, [a])", "XCTAssertEqual(team.players, NSSet(array: [a]))"),
      ("team.addToPlayers([a, b])", "team.addToPlayers(NSSet(array: [a, b]))"),
      ("unknown.addToPlayers([a])", "unknown.addToPlayers(NSSet(array: [a]))"),
      ("show([a], in: [1])", "show(NSSet(array: [a]), in: [1])"),
      (
        "_ = Team(players: [a], names: [\"b\"])",
        "_ = Team(players: NSSet(array: [a]), names: [\"b\"])"
      ),
      ("func g() -> NSSet { [a] }", "func g() -> NSSet { NSSet(array: [a]) }"),
      (
        "func g() -> NSSet? { if x { return [a] }; return nil }",
        "func g() -> NSSet? { if x { return NSSet(array: [a]) }; return nil }"
      ),
      ("func g(s: NSSet = []) {}", "func g(s: NSSet = NSSet(array: [])) {}"),
      // The object's type is unknown, but every class with a property of this name declares it as
      // a set.
      ("unknown.players = [a]", "unknown.players = NSSet(array: [a])"),
      (
        "teams.forEach { t in t.players = [a] }",
        "teams.forEach { t in t.players = NSSet(array: [a]) }"
      ),
    ])
  func rewritten(_ statement: String, _ expected: String) {
    expect(statement, expected)
  }

  @Test(
    "Literals of arrays, typed sets, ordered sets and unknown types are unchanged",
    arguments: [
      "a.tags = []", "team.order = [a]", "let s: Set<Player> = [a]", "let s: [Player] = [a]",
      "let players: [Player]\n  players = [a]", "unknown.names = [a]", "g([a])",
      "unknown.show([a], in: [1])", "let s = (team.players as? Set<Player>) ?? []",
      "let s = team.players?.allObjects as? [Player] ?? []", "team.players = NSSet(array: [a])",
      "team.players = [Player]() as NSSet", "unknown.first.tags = [a]",
      "func g() -> NSSet { h { return [a] } }",
    ])
  func left(_ statement: String) {
    expect(statement)
  }

  @Test("A literal is unchanged if the object is unknown and a structure also has such a property")
  func namesOfOthers() {
    let source = "import CoreData\nfunc f() { unknown.players = [a] }\n"
    let other = "struct Game { var players: [Player] = [] }"
    expectPorted(
      source, becomes: source, among: ManagedClasses(of: [Self.model, other, source]))
  }

  @Test("In a class and its extensions, literals become sets by the types of its own properties")
  func members() {
    expectPorted(
      """
      import CoreData
      extension Team {
        func clear() { players = []; self.players = [self] }
        var none: NSSet { [] }
        var some: NSSet? {
          get { return [self] }
          set { players = newValue ?? [] }
        }
      }

      """,
      becomes: """
        import CoreData
        extension Team {
          func clear() { players = NSSet(array: []); self.players = NSSet(array: [self]) }
          var none: NSSet { NSSet(array: []) }
          var some: NSSet? {
            get { return NSSet(array: [self]) }
            set { players = newValue ?? NSSet(array: []) }
          }
        }

        """, among: ManagedClasses(of: [Self.model]))
  }

  @Test("A model provides the relationships of its generated classes")
  func generated() {
    let club = ManagedClasses.Generated(
      name: "Club", base: "NSManagedObject",
      properties: ["members": "NSSet", "board": "NSOrderedSet", "name": nil])
    let source = """
      import CoreData
      func f(club: Club) {
        club.members = [a]
        club.addToMembers([a, b])
        club.removeFromMembers([])
        club.board = [a]
        club.addToBoard([a])
      }

      """
    expectPorted(
      source,
      becomes: source.replacing("members = [a]", with: "members = NSSet(array: [a])")
        .replacing("([a, b])", with: "(NSSet(array: [a, b]))")
        .replacing("([])", with: "(NSSet(array: []))"),
      among: ManagedClasses(of: [source], generating: [club]))
  }

  @Test("A literal's elements are ported too, and code for Apple's platforms only is unchanged")
  func inside() {
    expectPorted(
      """
      import CoreData
      let keys: NSSet = [#keyPath(A.b)]
      #if canImport(UIKit)
      let others: NSSet = [1]
      #endif

      """,
      becomes: """
        import CoreData
        let keys: NSSet = NSSet(array: ["b"])
        #if canImport(UIKit)
        let others: NSSet = [1]
        #endif

        """)
  }
}
