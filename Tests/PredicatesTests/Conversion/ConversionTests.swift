import Foundation
import Predicates
import Testing

private protocol FormerConversion {
  func converted(_ predicate: Predicate<ConvertedPerson>) throws -> NSPredicate
}

/// The deprecated initializer, which tests call through the protocol, because a direct call is a warning.
private struct ThrowingInitializer: FormerConversion {
  @available(*, deprecated)
  func converted(_ predicate: Predicate<ConvertedPerson>) throws -> NSPredicate {
    try NSPredicate(predicate)
  }
}

@Suite("#Predicate converts to NSPredicate")
struct ConversionTests {
  init() { ConvertedPerson.nameKeyPaths() }

  /// Converts a Swift predicate and returns the printed text of the result. Expects that the text parses to an equal
  /// predicate, and that the converted predicate evaluates like the Swift predicate.
  private func text(_ predicate: Predicate<ConvertedPerson>) throws -> String {
    let converted = try NSPredicate(validating: predicate)
    let text = converted.description
    #expect(try NSPredicate(validating: text) == converted, "\(text)")
    let ann = ConvertedPerson()
    let bob = ConvertedPerson()
    bob.name = "Bob"
    bob.nick = "bobby"
    bob.age = 3
    bob.score = -2
    bob.boss = ann
    bob.friends = [ann]
    bob.isActive = false
    bob.tags = []
    for person in [ann, bob] {
      #expect(
        try converted.evaluated(with: person) == predicate.evaluate(person), "\(text)")
    }
    return text
  }

  @Test func `the former initializer, which throws, converts like the present one`() throws {
    let former: any FormerConversion = ThrowingInitializer()
    let condition = #Predicate<ConvertedPerson> { $0.age == 3 }
    #expect(try former.converted(condition) == NSPredicate(validating: condition))
    let opaque = #Predicate<ConvertedPerson> { $0.tags.starts(with: ["a"]) }
    #expect(throws: InvalidPredicateError.self) { try former.converted(opaque) }
  }

  @Test func `comparisons and conditions`() throws {
    #expect(try text(#Predicate { $0.age == 3 }) == "age == 3")
    #expect(try text(#Predicate { $0.age != 3 }) == "age != 3")
    #expect(try text(#Predicate { $0.age < 3 }) == "age < 3")
    #expect(try text(#Predicate { $0.age <= 3 }) == "age <= 3")
    #expect(try text(#Predicate { $0.age > 3 }) == "age > 3")
    #expect(try text(#Predicate { 3 >= $0.age }) == "3 >= age")
    #expect(try text(#Predicate { $0.small == 3 }) == "small == 3")
    #expect(
      try text(#Predicate { $0.age > 3 && $0.name == "Ann" && $0.score < 2 })
        == #"(age > 3 AND name == "Ann") AND score < 2"#)
    #expect(
      try text(#Predicate { $0.age > 3 || !($0.name == "Ann") })
        == #"age > 3 OR (NOT name == "Ann")"#)
  }

  @Test func `conditions as values and values as conditions`() throws {
    #expect(try text(#Predicate { $0.isActive }) == "isActive == 1")
    #expect(try text(#Predicate { !$0.isActive }) == "NOT isActive == 1")
    #expect(try text(#Predicate { _ in true }) == "1 == 1")
    #expect(try text(#Predicate { _ in false }) == "0 == 1")
    #expect(
      try text(#Predicate { ($0.age > 3) == $0.isActive })
        == "TERNARY(age > 3, 1, 0) == isActive")
  }

  @Test func `arithmetic`() throws {
    #expect(try text(#Predicate { $0.age + 2 == 5 }) == "age + 2 == 5")
    #expect(try text(#Predicate { $0.age - 2 > 5 }) == "age - 2 > 5")
    #expect(try text(#Predicate { $0.age * 2 > 5 }) == "age * 2 > 5")
    #expect(try text(#Predicate { $0.score / 2 > 0.5 }) == "score / 2 > 0.5")
    #expect(try text(#Predicate { -$0.age < 5 }) == "age * -1 < 5")
  }

  @Test func `text and collections`() throws {
    #expect(try text(#Predicate { $0.name.count == 3 }) == "name.length == 3")
    #expect(try text(#Predicate { $0.name.isEmpty }) == "name.length == 0")
    #expect(try text(#Predicate { $0.tags.count == 2 }) == "tags.@count == 2")
    #expect(try text(#Predicate { $0.tags.isEmpty }) == "tags.@count == 0")
    #expect(try text(#Predicate { $0.things.count == 0 }) == "things.@count == 0")
    #expect(try text(#Predicate { $0.name.contains("nn") }) == #"name CONTAINS "nn""#)
    #expect(try text(#Predicate { $0.name.starts(with: "A") }) == #"name BEGINSWITH "A""#)
    #expect(
      try text(#Predicate { $0.name.localizedStandardContains("B") })
        == #"name CONTAINS[cdl] "B""#)
    let same = ComparisonResult.orderedSame
    let ascending = ComparisonResult.orderedAscending
    #expect(
      try text(#Predicate { $0.name.caseInsensitiveCompare("ANN") == same })
        == #"TERNARY(name ==[c] "ANN", 0, TERNARY(name <[c] "ANN", -1, 1)) == 0"#)
    #expect(
      try text(#Predicate { $0.name.localizedCompare("Bo") == ascending })
        == #"TERNARY(name ==[l] "Bo", 0, TERNARY(name <[l] "Bo", -1, 1)) == -1"#)
    #expect(try text(#Predicate { $0.tags.contains("a") }) == #""a" IN tags"#)
    #expect(try text(#Predicate { $0.tags.first == "a" }) == #"tags[FIRST] == "a""#)
    #expect(try text(#Predicate { $0.tags.last == "b" }) == #"tags[LAST] == "b""#)
    #expect(try text(#Predicate { $0.numbers[1] == 2 }) == "numbers[1] == 2")
    #expect(try text(#Predicate { $0.grades["x"] == 1 }) == #"grades["x"] == 1"#)
    #expect(try text(#Predicate { $0.numbers.max() == 3 }) == "numbers.@max.self == 3")
    #expect(try text(#Predicate { $0.numbers.min() == 3 }) == "numbers.@min.self == 3")
  }

  /// As in Apple's Foundation, `localizedCompare` converts to `==[l]` and `<[l]`
  /// (github.com/swiftlang/swift-foundation/pull/204), which must order strings as it does.
  @Test func `localizedCompare has the order of its conversion`() throws {
    let words = ["", "a", "A", "ä", "a\u{308}", "é", "strasse", "straße", "z", "Z"]
    let orders: [ComparisonResult] = [.orderedAscending, .orderedSame, .orderedDescending]
    for word in words {
      for order in orders {
        let predicate = #Predicate<ConvertedPerson> { $0.name.localizedCompare(word) == order }
        let converted = try NSPredicate(validating: predicate)
        for name in words {
          let person = ConvertedPerson()
          person.name = name
          #expect(
            try converted.evaluated(with: person) == predicate.evaluate(person),
            "\(name), \(converted)")
        }
      }
    }
  }

  @Test func `closures over sequences`() throws {
    #expect(
      try text(#Predicate { $0.friends.filter { $0.age > 3 }.count == 1 })
        == "SUBQUERY(friends, $_local_1, $_local_1.age > 3).@count == 1")
    #expect(
      try text(#Predicate { $0.friends.contains { $0.age > 3 } })
        == "SUBQUERY(friends, $_local_1, $_local_1.age > 3).@count != 0")
    #expect(
      try text(#Predicate { $0.friends.allSatisfy { $0.age > 3 } })
        == "SUBQUERY(friends, $_local_1, NOT $_local_1.age > 3).@count == 0")
    #expect(
      try text(
        #Predicate { person in
          person.friends.contains { friend in
            friend.age > person.age && friend.friends.contains { $0.name == person.name }
          }
        })
        == "SUBQUERY(friends, $_local_1, $_local_1.age > age AND SUBQUERY($_local_1.friends,"
        + " $_local_2, $_local_2.name == name).@count != 0).@count != 0")
  }

  @Test func `ranges and membership`() throws {
    #expect(try text(#Predicate { (3...5).contains($0.age) }) == "age BETWEEN {3, 5}")
    #expect(try text(#Predicate { (3..<5).contains($0.age) }) == "age >= 3 AND age < 5")
    #expect(
      try text(#Predicate { ($0.small...9).contains(4) }) == "4 BETWEEN {small, 9}")
    let from = 4...
    let through = ...4
    let upTo = ..<4
    let closed = 1...4
    let open = 1..<4
    #expect(try text(#Predicate { from.contains($0.age) }) == "age >= 4")
    #expect(try text(#Predicate { through.contains($0.age) }) == "age <= 4")
    #expect(try text(#Predicate { upTo.contains($0.age) }) == "age < 4")
    #expect(try text(#Predicate { closed.contains($0.age) }) == "age BETWEEN {1, 4}")
    #expect(try text(#Predicate { open.contains($0.age) }) == "age >= 1 AND age < 4")
  }

  @Test func `optionals`() throws {
    #expect(try text(#Predicate { $0.nick == nil }) == "nick == nil")
    #expect(try text(#Predicate { $0.nick != nil }) == "nick != nil")
    #expect(try text(#Predicate { $0.nick == "bobby" }) == #"nick == "bobby""#)
    #expect(
      try text(#Predicate { $0.boss?.name == "Ann" })
        == #"TERNARY(boss != nil, boss.name, nil) == "Ann""#)
    #expect(
      try text(#Predicate { ($0.nick ?? "none") == "none" })
        == #"TERNARY(nick != nil, nick, "none") == "none""#)
    #expect(
      try text(#Predicate { $0.age > 3 ? $0.isActive : false })
        == "TERNARY(age > 3, isActive, 0) == 1")
    #expect(
      try text(#Predicate { if $0.age > 3 { $0.isActive } else { false } })
        == "TERNARY(age > 3, isActive, 0) == 1")
    #expect(
      try text(#Predicate { $0.nick?.contains("bb") ?? false })
        == #"TERNARY(TERNARY(nick != nil, TERNARY(nick CONTAINS "bb", 1, 0), nil) != nil, "#
        + #"TERNARY(nick != nil, TERNARY(nick CONTAINS "bb", 1, 0), nil), 0) == 1"#)
    #expect(
      try text(#Predicate { if let nick = $0.nick { nick.count > 3 } else { false } })
        .contains("nick.length > 3"))
  }

  @Test func `captured values are constants`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    #expect(try text(#Predicate { $0.date < date }) == #"date < CAST(5.000000, "NSDate")"#)
    let names = ["Ann", "Bob"]
    #expect(try text(#Predicate { names.contains($0.name) }) == #"name IN {"Ann", "Bob"}"#)
    let ages: Set = [3]
    #expect(try text(#Predicate { ages.contains($0.age) }) == "age IN {3}")
    let words = ["one", "two"]
    #expect(try text(#Predicate { $0.age == words.count }) == "age == 2")
    let missing: String? = nil
    #expect(try text(#Predicate { $0.nick == missing }) == "nick == nil")
    let id = ConvertedPerson().id
    #expect(
      try text(#Predicate { $0.id == id })
        == "id == E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    // Parts that cannot be converted are computed if they need no variable.
    let limit = 7
    #expect(try text(#Predicate { $0.age > limit / 2 }) == "age > 3")
    #expect(try text(#Predicate { $0.age > limit % 4 }) == "age > 3")
    #expect(try text(#Predicate { $0.name == names[0] }) == #"name == "Ann""#)
    let optional: Int? = 3
    #expect(try text(#Predicate { $0.age == optional! }) == "age == 3")
    #expect(try text(#Predicate { $0.boss == nil }) == "boss == nil")
  }

  @Test func `the part that cannot be converted is named`() throws {
    func part(_ predicate: Predicate<ConvertedPerson>) -> String? {
      #expect(NSPredicate(predicate) == nil)
      let error = #expect(throws: InvalidPredicateError.self) {
        try NSPredicate(validating: predicate)
      }
      let prefix = "#Predicate cannot be converted: NSPredicate has no form for "
      return (error?.message).map {
        $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0
      }
    }
    #expect(part(#Predicate { $0.age / 2 == 1 }) == "the integer division age / 2")
    #expect(part(#Predicate { $0.age > 1 && $0.age % 2 == 1 }) == "the integer remainder age % 2")
    #expect(part(#Predicate { $0.nick! == "x" }) == "the force unwrap of nick")
    #expect(part(#Predicate { $0.boss!.name == "x" }) == "the force unwrap of boss")
    #expect(
      part(#Predicate { ($0.any as? String) == "x" })
        == "the key path \(\ConvertedPerson.any as AnyKeyPath), which is not a path of stored properties"
    )
    #expect(
      part(#Predicate { ($0.boss as? ConvertedManager) == nil })
        == "the cast boss as? ConvertedManager")
    #expect(
      part(#Predicate { $0.boss is ConvertedManager }) == "the type check boss is ConvertedManager")
    #expect(
      part(#Predicate { $0.grades["x", default: 3] == 1 })
        == "a subscript of grades with a default value")
    #expect(part(#Predicate { $0.tags[0..<1].isEmpty }) == "a subscript of tags by a range")
    #expect(
      part(#Predicate { $0.tags.starts(with: ["a"]) })
        == "starts(with:) with a sequence of String in tags")
    let regex = try Regex("a.")
    #expect(part(#Predicate { $0.name.contains(regex) }) == "a regular expression in name")
  }

  @Test func `only the failable initializer returns an optional`() throws {
    let predicate = #Predicate<ConvertedPerson> { $0.age == 3 }
    if let converted = NSPredicate(predicate) {
      #expect(converted.description == "age == 3")
    } else {
      Issue.record("nil")
    }
    var optional: NSPredicate?
    optional = NSPredicate(predicate)
    #expect(optional?.description == "age == 3")
    let thrown = try NSPredicate(validating: predicate)
    let isNotOptional: NSPredicate = thrown
    #expect(isNotOptional.description == "age == 3")
    guard let guarded = NSPredicate(#Predicate<ConvertedPerson> { $0.age == 4 }) else {
      Issue.record("nil")
      return
    }
    #expect(guarded.description == "age == 4")
    // For a type without named keys, only predicates that use no key can be converted.
    #expect(NSPredicate(#Predicate<NSString> { $0.length == 3 }) == nil)
    #expect(NSPredicate(#Predicate<NSString> { _ in 1 == 2 })?.description == "1 == 2")
  }
}
