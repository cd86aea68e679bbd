import CoreData
import Testing

/// Apple's reference of `NSLocaleSensitivePredicateOption` says that with `[l]`, "strings to be compared using <, <=, =,
/// =>, > should be handled in a locale-aware fashion", with the example `"straße" >[l] "strasse"`. Foundation's
/// `localizedCompare` in a `#Predicate` becomes `==[l]` and `<[l]` (github.com/swiftlang/swift-foundation/pull/204).
@Suite("Comparisons of strings in the user's locale", .onEveryStore)
struct LocalizedComparisonTests {
  /// In the order of a sort by `localizedCompare:`. The two forms of "é" are equal in it.
  private static let names = [
    "a", "A", "ä", "e", "e\u{301}", "\u{e9}", "strasse", "straße", "z", "Z",
  ]

  private static let selections: [(format: String, names: [String])] = [
    ("name <[l] \"z\"", ["a", "A", "ä", "e", "é", "é", "strasse", "straße"]),
    ("\"z\" >[l] name", ["a", "A", "ä", "e", "é", "é", "strasse", "straße"]),
    ("NOT name <[l] \"z\"", ["z", "Z"]),
    ("name <=[l] \"A\"", ["a", "A"]),
    ("name >[l] \"strasse\"", ["straße", "z", "Z"]),
    ("name >=[l] \"strasse\"", ["strasse", "straße", "z", "Z"]),
    ("name ==[l] \"\u{e9}\"", ["é", "é"]),
    ("name !=[l] \"e\u{301}\"", ["a", "A", "ä", "e", "strasse", "straße", "z", "Z"]),
    ("name BETWEEN[l] {\"A\", \"e\"}", ["A", "ä", "e"]),
    ("name IN[l] {\"\u{e9}\", \"z\"}", ["é", "é", "z"]),
    ("name <[l] team.name", ["a", "A", "ä", "e", "é", "é"]),
    ("team.name <[l] name", ["strasse", "straße", "z", "Z"]),
    ("name ==[l] lowercase:(name)", ["a", "ä", "e", "é", "é", "strasse", "straße", "z"]),
    ("SUBQUERY(team.players, $p, $p.name <[l] SELF.name).@count == 2", ["ä"]),
    ("name ==[cl] \"Z\"", ["z", "Z"]),
    ("name <[cl] \"\u{c4}\"", ["a", "A"]),
    ("name ==[dl] \"a\"", ["a", "ä"]),
    ("name ==[dl] \"A\"", ["A"]),
    ("name ==[cdl] \"\u{c4}\"", ["a", "A", "ä"]),
    ("name >[cdl] \"E\"", ["strasse", "straße", "z", "Z"]),
    ("name IN[cdl] {\"A\", \"STRASSE\"}", ["a", "A", "ä", "strasse", "straße"]),
    // With `[n]`, strings are compared as they are: by code point.
    ("name <[ln] \"a\"", ["A", "Z"]),
    ("name ==[ln] \"\u{e9}\"", ["é"]),
    (
      "TERNARY(name ==[l] \"b\", 0, TERNARY(name <[l] \"b\", -1, 1)) == -1",
      ["a", "A", "ä"]
    ),
  ]

  private static func insertNames(_ context: NSManagedObjectContext) throws {
    let team = context.insert("Team", ["name": "m"])
    for (number, name) in names.enumerated() {
      context.insert("Player", ["name": name, "number": number, "team": team])
    }
    try context.save()
  }

  private static func names(of objects: [NSManagedObject]) -> [String] {
    objects.compactMap { $0["name"] }
  }

  @Test("select the same objects in a fetch, in a compiled predicate and by key-value coding")
  func selections() throws {
    try SampleStack.withContext { context in
      try Self.insertNames(context)
      for (format, expected) in Self.selections {
        let players = try context.all("Player", sort: ["number"])
        let entity = try #require(players.first?.entity)
        let predicate = try NSPredicate(validating: format)
        let compiled = try CompiledPredicate(predicate, for: entity)
        func check(_ state: String) throws {
          let fetched = try context.all("Player", format, sort: ["number"])
          #expect(Self.names(of: fetched) == expected, "\(format), \(state)")
          #expect(Self.names(of: try compiled.filter(players)) == expected, "\(format), \(state)")
          let evaluated = try players.filter { try predicate.evaluated(with: $0) }
          #expect(Self.names(of: evaluated) == expected, "\(format), \(state)")
        }
        try check("saved")
        // The fetch then evaluates the changed objects in memory.
        for player in players { player.setValue(player.value(forKey: "name"), forKey: "name") }
        try check("changed")
        context.rollback()
      }
    }
  }

  @Test("find strings in a long list as in a short one")
  func longLists() throws {
    try SampleStack.withContext { context in
      try Self.insertNames(context)
      let others = (0..<40).map { "no name \($0)" }
      let cases: [(option: String, word: String, names: [String])] = [
        ("[l]", "\u{e9}", ["é", "é"]), ("[cl]", "STRASSE", ["strasse"]), ("[dl]", "A", ["A"]),
        ("[cdl]", "STRASSE", ["strasse", "straße"]), ("[ln]", "\u{e9}", ["é"]), ("[l]", "", []),
      ]
      let players = try context.all("Player", sort: ["number"])
      let entity = try #require(players.first?.entity)
      for (option, word, expected) in cases {
        let format = "name IN\(option) %@"
        let list = others + [word]
        let found = try context.all("Player", format, [list], sort: ["number"])
        #expect(Self.names(of: found) == expected, "\(option) \(word)")
        let predicate = try NSPredicate(validating: format, arguments: [list])
        let compiled = try CompiledPredicate(predicate, for: entity)
        #expect(Self.names(of: try compiled.filter(players)) == expected, "\(option) \(word)")
        let evaluated = try players.filter { try predicate.evaluated(with: $0) }
        #expect(Self.names(of: evaluated) == expected, "\(option) \(word)")
      }
    }
  }

  @Test(
    "select the first objects of a sort by the same comparison",
    arguments: [("[l]", "localizedCompare:"), ("[cl]", "localizedCaseInsensitiveCompare:")])
  func order(_ option: String, _ selector: String) throws {
    try SampleStack.withContext { context in
      try Self.insertNames(context)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [
        NSSortDescriptor(key: "name", ascending: true, selector: Selector(selector)),
        NSSortDescriptor(key: "number", ascending: true),
      ]
      let sorted = try context.fetch(request)
      for name in Self.names {
        for sign in ["<", "<="] {
          request.predicate = try NSPredicate(
            validating: "name \(sign)\(option) %@", arguments: [name])
          let found = try context.fetch(request)
          #expect(found == Array(sorted.prefix(found.count)), "\(sign)\(option) \(name)")
        }
        let equal = try context.all("Player", "name ==\(option) %@", [name])
        #expect(equal.contains { $0["name"] == name }, "\(name)")
      }
    }
  }
}
