import Foundation
import Predicates
import Testing

/// Predicates of public programs, with changed names, evaluated with one book.
///
/// The expected values follow Apple's documentation of each operator.
@Suite struct PublicShapesTests {
  private typealias Shape = (format: String, arguments: [Any], holds: Bool)

  private static func date(_ seconds: Double) -> Date {
    Date(timeIntervalSinceReferenceDate: seconds)
  }

  private let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  private var book: [String: Any] {
    let ann: [String: Any] = ["name": "Ann", "age": 20]
    let bob: [String: Any] = ["name": "Bob", "age": 17]
    return [
      "title": "Dune", "subtitle": NSNull(), "year": 1965, "price": 9.5, "isRead": true,
      "rating": 4, "added": Self.date(1000), "flags": 6, "isbn": "978-0441", "empty": "",
      "email": "ann@example.org", "uuid": uuid,
      "url": URL(string: "http://example.org/a.txt") as Any,
      "author": ["name": "Frank Herbert", "born": 1920, "country": ["code": "US"]] as [String: Any],
      "tags": ["sf", "classic"], "notes": [Any](), "scores": [3, 9, 6], "favourite": ann,
      "latitude": 47.5, "longitude": 8.25, "lastDone": Self.date(100), "interval": 2,
      "label": "Wörter über Dünen", "identifiers": Set(["Increment", "Decrement"]),
      "copies": [
        [
          "id": 1, "state": "in", "price": 5.0, "due": Self.date(500), "readers": [ann, bob],
          "isOpen": true,
        ],
        ["id": 2, "state": "out", "price": 7.5, "due": Self.date(2000), "readers": [ann]],
        ["id": 3, "state": "out", "price": 1.25, "due": NSNull(), "readers": [Any]()],
      ] as [[String: Any]],
    ]
  }

  private func check(_ shapes: [Shape], variables: [String: Any]? = nil) {
    for shape in shapes {
      do {
        let predicate = try NSPredicate(validating: shape.format, arguments: shape.arguments)
        let holds = try predicate.evaluated(with: book, variables: variables)
        #expect(holds == shape.holds, "\(shape.format) printed \(predicate)")
        // As in Apple's Foundation, null and dictionaries print in a form that cannot be parsed again.
        if shape.arguments.contains(where: { $0 is NSNull || $0 is [String: Any] }) { continue }
        let again = try NSPredicate(validating: predicate.description)
        #expect(again == predicate, "\(shape.format) printed \(predicate)")
      } catch {
        Issue.record("\(shape.format): \(error)")
      }
    }
  }

  @Test func `comparisons`() {
    check([
      ("(title = %@)", ["Dune"], true), ("((title == %@) AND (year < %@))", ["Dune", 2000], true),
      ("(title = %@ && isbn = %@)", ["Dune", "x"], false), ("title=%@", ["Dune"], true),
      ("year==%d", [1965], true), ("year!=%i", [1965], false), ("year <> %u", [1], true),
      ("(year > 1) AND (year =< 1965)", [], true), ("year => %ld", [1966], false),
      ("%K == %ld", ["year", 1965], true), ("%K != %@", ["title", "Emma"], true),
      ("%@ <= added AND added <= %@", [Self.date(0), Self.date(2000)], true),
      ("%@ < %K && %K < %@", [Self.date(0), "added", "added", Self.date(5)], false),
      ("%@ =< added AND added < %@", [Self.date(1000), Self.date(1001)], true),
      ("(%@ >= %@)", [Self.date(2), Self.date(1)], true), ("added >= %@", [Self.date(1000)], true),
      ("now() >= added", [], true), ("now() < %@", [Self.date(0)], false),
      ("price >= %f AND price <= %f", [9.0, 10.0], true), ("price == %.1f", [9.5], true),
      ("isRead == YES", [], true), ("isRead = NO", [], false), ("self.isRead == true", [], true),
      ("isRead == false", [], false), ("(isRead = %@)", [true], true), ("isRead == %d", [1], true),
      ("isRead = 1 AND rating != %hd", [4], false), ("copies.@count = YES", [], false),
      ("uuid == %@", [uuid], true), ("uuid = %@", [uuid], true), ("'1' = '1'", [], true),
      ("'%@' == title", [], false), ("\"title\" == %@", ["title"], true), ("1 == 1", [], true),
      ("title =[c] %@", ["DUNE"], true), ("title ==[cd] %@", ["Düne"], true),
      ("title == nil", [], false), ("title != NIL", [], true), ("subtitle == NULL", [], true),
      ("subtitle = nil", [], true), ("missing == nil", [], true), ("missing != nil", [], false),
      ("%K == nil OR %K == ''", ["empty", "empty"], true), ("empty == \"\"", [], true),
      ("%K = nil OR %K < %@", ["missing", "added", Self.date(1)], true),
      (
        "(%K == YES AND %K != %@) AND (%K == nil OR %K == NO OR %K == YES)",
        ["isRead", "title", "x", "missing", "missing", "missing"], true
      ),
      (
        "(%K != nil AND %K > %@) OR ((%K == nil OR %K >= %@) AND %K < %@)",
        ["added", "added", Self.date(9), "due", "due", Self.date(9), "due", Self.date(1)], true
      ),
      ("subtitle == %@", [NSNull()], true), ("title < 'E'", [], true),
      ("title >= %@", ["E"], false),
      ("author.name == %@", ["Frank Herbert"], true), ("SELF.author.country.code = 'US'", [], true),
      ("author.country.code.length == 2", [], true), ("author.missing.deeper == nil", [], true),
      ("year BETWEEN {1960, 1970}", [], true), ("%K BETWEEN {%d, %d}", ["year", 1, 2], false),
      ("%K BETWEEN %@", ["year", [1965, 1965]], true),
      ("added BETWEEN {%@, %@}", [Self.date(0), Self.date(1)], false),
      (
        "%K BETWEEN {%f, %f} AND %K BETWEEN {%f, %f}",
        ["latitude", 47.0, 48.0, "longitude", 8.0, 9.0], true
      ),
      ("title BETWEEN {'A', 'E'}", [], true),
    ])
  }

  @Test func `text`() {
    check([
      ("title contains[c] %@", ["UN"], true), ("title contains [cd] %@", ["ün"], true),
      ("(title CONTAINS[cd] %@)", ["x"], false), ("SELF.title beginswith[c] 'd'", [], true),
      ("title BEGINSWITH[cd] %@ OR isbn BEGINSWITH %@", ["x", "978"], true),
      ("isbn ENDSWITH '0441'", [], true), ("title endswith[c] %@", ["NE"], true),
      ("title LIKE 'D*'", [], true), ("title LIKE[c] '?un?'", [], true),
      ("title like 'D'", [], false),
      ("title like[cd] '\\*ün\\*'", [], true),
      ("(title like[cd] %@) AND (added > %@)", ["dü*", Self.date(1)], true),
      ("'Dune' like '\\D*'", [], true), ("isbn LIKE %@", ["*-*"], true),
      ("title LIKE[cd] %@", ["*"], true),
      ("title LIKE %@", ["Dun"], false), ("title MATCHES '[A-Z].*'", [], true),
      ("title MATCHES[c] %@", ["d.*"], true), ("title MATCHES 'une'", [], false),
      ("url.absoluteString MATCHES[cd] '^http:'", [], false),
      ("url.absoluteString MATCHES[cd] '^HTTP:.*'", [], true),
      ("email MATCHES %@", ["[A-Z0-9a-z._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}"], true),
      ("isbn MATCHES %@", ["^(?=.*[0-9])(?=.*-).{8,}$"], true),
      ("isbn MATCHES '^\\\\d{3}-\\\\d+$'", [], true),
      ("NOT title MATCHES '^[ ]?$'", [], true), ("url.lastPathComponent == 'a.txt'", [], true),
      ("url.pathExtension IN {'txt', 'md'}", [], true), ("title.length > 0", [], true),
      ("title.length >= 3 AND title.length <= 50", [], true),
      ("title.uppercaseString == 'DUNE'", [], true),
      ("empty.length == 0", [], true), ("author.name CONTAINS ' '", [], true),
      ("title CONTAINS %@ || author.name CONTAINS %@", ["z", "Frank"], true),
      ("label CONTAINS[cd] 'UBER'", [], true), ("label CONTAINS 'uber'", [], false),
      ("label CONTAINS[d] 'uber'", [], true), ("label ENDSWITH[n] 'Dünen'", [], true),
      ("'un' IN title", [], true), ("'Increment' IN identifiers AND 'Wör' IN label", [], true),
      ("%@ CONTAINS[c] title", ["my dune book"], true), ("'a;b' contains[c] 'A'", [], true),
      ("subtitle CONTAINS 'x'", [], false), ("missing LIKE '*'", [], false),
      ("empty CONTAINS ''", [], false),
      ("uppercase(title) == 'DUNE' AND lowercase(title) == 'dune'", [], true),
      ("FUNCTION(title, 'length') > 3", [], true), ("title.capitalizedString == 'Dune'", [], true),
      ("CAST(year, 'NSString') CONTAINS %@", ["96"], true),
      ("CAST(rating, 'NSNumber') < 7", [], true),
      (
        "(label BEGINSWITH %@ OR label CONTAINS %@) AND NOT (label BEGINSWITH 'x:')",
        ["a", "über"], true
      ),
      (
        "SELF.title beginswith[c] 'd' AND NOT (title contains '/.' OR title beginswith '.')", [],
        true
      ),
    ])
  }

  @Test func `logic`() {
    check([
      ("NOT (title == %@)", ["x"], true), ("!(title IN %@)", [["Dune"]], false),
      ("NOT title LIKE 'X*'", [], true), ("not (title in %@)", [["x"]], true),
      ("NOT %K in %@", ["title", ["Dune"]], false),
      ("NOT (SELF.title CONTAINS[c] %@)", ["y"], true),
      ("!(title LIKE %@) AND !(isbn LIKE %@)", ["x", "y"], true),
      ("!(self.title == 'Dune')", [], false),
      ("NOT (ANY tags IN %@)", [["x"]], true),
      ("ANY tags = %@ AND NOT (ANY tags IN %@)", ["sf", ["x"]], true),
      ("(isRead == YES) OR (rating == 0)", [], true), ("TRUEPREDICATE", [], true),
      ("FALSEPREDICATE", [], false),
      ("TRUEPREDICATE AND year > 1", [], true),
      ("(title == %@ || title == %@) && year == %d", ["a", "Dune", 1965], true),
      ("isRead == YES AND !isRead == NO", [], true), ("a == 1 OR b == 1 OR year == 1965", [], true),
      ("(flags & %d) != 0", [2], true), ("(%K & %d) == %d", ["flags", 4, 4], true),
      ("!((flags & %d) == %d) AND added >= %@ AND isRead != %d", [1, 1, Self.date(0), 0], true),
      ("flags & 1 == 1", [], false), ("(flags & 2 == 2) || (flags & 1 == 1)", [], true),
      ("(flags | 1) == 7", [], true), ("(flags >> 1) & 3 == 3", [], true),
    ])
  }

  @Test func `numbers`() {
    check([
      ("abs(latitude - %f) < 0.0001 AND abs(longitude - %f) < 0.0001", [47.5, 8.25], true),
      ("abs(latitude) - abs(%lf) < 0.001", [47.5], true),
      ("abs(%K) - abs(%lf) < 0.001", ["latitude", 1.0], false),
      ("price * 2 > %d", [18], true), ("price + rating == 13.5", [], true),
      ("year - author.born == 45", [], true),
      ("year / 10 == 196", [], true), ("modulus:by:(year, 2) == 1", [], true),
      ("rating ** 2 == 16", [], true),
      ("sqrt(rating) == 2", [], true), ("-rating == -4", [], true), ("rating * -1 < 0", [], true),
      (
        "CAST(CAST(lastDone, 'NSNumber') + (interval * 604800), 'NSDate') < %@",
        [Self.date(2_000_000)], true
      ),
      ("FUNCTION(added, 'dateByAddingTimeInterval:', -500) == %@", [Self.date(500)], true),
      ("FUNCTION(%@, 'timeIntervalSinceDate:', added) > 400", [Self.date(1500)], true),
      ("added.timeIntervalSinceReferenceDate == 1000", [], true),
      ("added.timeIntervalSinceNow < 0", [], true),
      ("rating.intValue < 100", [], true), ("price.floatValue >= 9.5", [], true),
      ("title.intValue == 0", [], true),
      ("TERNARY(rating == 4, 1, 2) == 1", [], true),
      ("ternary(title = %@ , 1 , 2) == 1", ["x"], false),
      ("TERNARY(isRead == YES AND YES == YES, YES, NO) == NO", [], false),
      ("TERNARY(subtitle != nil, subtitle, title) == 'Dune'", [], true),
      ("max:(rating, 7) == 7 AND min:(rating, 7) == 4", [], true),
      ("floor(price) == 9 AND ceiling(price) == 10", [], true),
      ("rating == 0x4 AND rating == 0b100 AND price == 9.5e0", [], true),
    ])
  }

  @Test func `collections`() {
    check([
      ("year IN %@", [[1965, 1966]], true), ("title in {'Dune', 'Emma'}", [], true),
      ("title IN %@", [Set(["x"])], false),
      ("title IN[c] %@", [["DUNE"]], true), ("year IN %@", [NSSet(array: [1965])], true),
      ("NOT (year IN %@)", [[Int]()], true),
      ("%@ in tags", ["sf"], true), ("%@ IN %K", ["sf", "tags"], true),
      ("tags CONTAINS %@", ["sf"], true),
      ("tags CONTAINS[c] 'SF'", [], true), ("NOT tags CONTAINS %@", ["x"], true),
      ("tags == {'sf', 'classic'}", [], true),
      ("%@ == tags", [["sf", "classic"]], true), ("(tags = %@)", [["sf"]], false),
      ("title IN %@", [["k": "Dune"]], true),
      ("ANY tags == %@", ["sf"], true), ("any tags = 'x'", [], false),
      ("SOME tags IN %@", [["classic"]], true),
      ("ANY tags BEGINSWITH[c] %@", ["CL"], true), ("ANY tags CONTAINS[cd] %@", ["ASS"], true),
      ("ANY tags LIKE 's?'", [], true),
      ("ALL tags.length > 1", [], true), ("ALL scores > 3", [], false),
      ("ALL scores BETWEEN {1, 9}", [], true),
      ("NONE tags IN %@", [["x", "y"]], true), ("NONE %K in %@", ["tags", ["sf"]], false),
      ("NONE notes CONTAINS %@", ["x"], true),
      ("NONE tags == %@ && NONE tags == %@", ["a", "b"], true), ("all notes == 1", [], true),
      ("ANY notes == 1", [], false),
      ("ANY copies.state == %@", ["out"], true), ("ANY copies.readers.name == 'Bob'", [], true),
      ("ANY %K.%K IN %@", ["copies", "id", [7, 3]], true),
      ("ANY copies.due >= %@ AND ANY copies.due <= %@", [Self.date(900), Self.date(900)], true),
      ("ALL copies.price > 1", [], true), ("NONE copies.isOpen == NO", [], true),
      ("ANY copies.readers.age > 19 AND copies.@count > 0", [], true),
      ("ANY copies.id == %d AND scores.@count > 0", [2], true),
      ("ALL copies.state IN {'in', 'out'}", [], true),
      ("ANY SELF.copies.id IN %@", [[1]], true), ("ALL copies.due != nil", [], false),
      ("ANY copies.due == nil", [], true),
      ("copies.@count > 0", [], true), ("%K.@count == 3", ["copies"], true),
      ("notes.@count = 0 && tags.@count = 2", [], true),
      ("copies.@max.price == 7.5", [], true), ("copies.@min.price < %f", [2.0], true),
      ("copies.@sum.price == 13.75", [], true),
      ("copies.@avg.price.doubleValue < 200", [], true), ("copies.@avg.id == 2", [], true),
      ("scores.@max.self == 9", [], true),
      ("scores.@max.intValue == 9", [], true), ("scores.@sum.self > 17", [], true),
      ("%@ == copies.@max.due", [Self.date(2000)], true),
      ("copies.state == {'in', 'out', 'out'}", [], true),
      ("copies.@distinctUnionOfObjects.state == {'in', 'out'}", [], true),
      ("'out' IN copies.@distinctUnionOfObjects.state", [], true),
      ("notes.@max.x == nil", [], true),
      ("scores[0] = 3", [], true), ("scores[SIZE] = 3", [], true),
      ("scores[FIRST] < scores[LAST]", [], true),
      ("copies[0].readers[1].name == 'Bob'", [], true),
      ("copies[LAST].readers[SIZE] == 0", [], true),
      ("author['name'] == 'Frank Herbert'", [], true),
      ("(author.country)['code'] == 'US'", [], true), ("scores[interval] == 6", [], true),
      ("copies.@count BETWEEN {1, 3}", [], true),
    ])
  }

  @Test func `subqueries`() {
    check([
      ("SUBQUERY(copies, $c, $c.state == 'out').@count > 0", [], true),
      ("SUBQUERY(%K, $c, $c.id == %@).@count == 1", ["copies", 2], true),
      ("SUBQUERY(copies,$c, $c.state == %@  AND $c.id IN %@).@count > 0", ["out", [1]], false),
      ("SUBQUERY(copies, $c, $c.state = %@ AND $c.price < %f).@count = %d", ["out", 2.0, 1], true),
      ("SUBQUERY(copies, $c, ANY $c.readers.name == %@).@count != 0", ["Bob"], true),
      ("SUBQUERY(copies, $c, $c.state LIKE[c] 'OUT').@count == 0 AND isRead == NO", [], false),
      (
        "SUBQUERY(copies, $c, $c.price > 2 AND ($c.due > %@ OR $c.due == nil)).@count > 0",
        [Self.date(999)], true
      ),
      (
        "SUBQUERY(copies, $c, (SUBQUERY($c.readers, $r, $r != NIL).@count > 0)).@count == 2", [],
        true
      ),
      (
        "copies.@count > 0 AND (SUBQUERY(copies, $c, (SUBQUERY($c.readers, $r, $r.age < 18).@count > 0)).@count > 0)",
        [], true
      ),
      ("SUBQUERY(copies, $c, $c.isOpen == false).@count > 0", [], false),
      ("SUBQUERY(tags, $t, $t BEGINSWITH 's').@count == 1", [], true),
      ("SUBQUERY(copies.readers, $r, $r.@count > 1).@count == 1", [], true),
      ("0 == SUBQUERY(copies, $c, $c.id > 5).@count", [], true),
      (
        "ANY tags == %@ AND SUBQUERY(copies, $c, $c.id IN %@).@count > 0 AND (added <= %@)",
        ["sf", [1, 2], Self.date(1000)], true
      ),
      ("SUBQUERY(copies, $c, NOT ($c.state == 'in')).@count == copies.@count - 1", [], true),
      ("SUBQUERY(scores, $x, $x IN %@).@count = %d", [[3, 9], 2], true),
      ("SUBQUERY(copies, $c, $c.price == 7.5)[0].id == 2", [], true),
      ("%@.@count == 2", [NSExpression(format: "SUBQUERY(copies, $c, $c.state == 'out')")], true),
    ])
  }

  @Test func `variables`() {
    check(
      [
        ("title contains[cd] $search", [], true), ("(title contains[cd] $search)", [], true),
        ("$count.intValue < 100", [], true),
        ("$distance.floatValue >= 10.0", [], true), ("$kind = 'Point' AND year = 1965", [], true),
        ("$kind != nil", [], true),
        ("$switch == false", [], true), ("title IN $NAMES", [], true),
        ("'Dune' IN $NAMES", [], true), ("NOT ($kind IN $NAMES)", [], true),
        ("($owner != nil) && (SELF.author.name == $owner.name)", [], true),
        ("%K == $owner.%K", ["author.name", "name"], true),
        ("%@ > 1", [NSExpression(forVariable: "count")], true),
        ("FUNCTION($map, 'valueForKeyPath:', title) == 7", [], true),
        ("$map[title] == 7", [], true), ("year BETWEEN $range", [], true), ("$_x == 1", [], true),
      ],
      variables: [
        "search": "dün", "count": 3, "distance": 10.5, "kind": "Point", "switch": false,
        "NAMES": ["Dune", "Emma"], "owner": ["name": "Frank Herbert"], "map": ["Dune": 7],
        "range": [1960, 1970], "_x": 1,
      ])
  }

  @Test(arguments: [
    "SUBQUERY(list, $c, $c.users.contains(user))", "length", "%@ AND %@", "@K == ",
    "name == %@ AND", "name = 'it's'",
    "CAST(FORMATSTRING('%%H', date), 'integer') >= %d", "name LIKE", "ANY UTI-CONFORMS-TO 'x'",
    "date > Date()", "a === b",
    "ALL tokenize(&@, 'x') IN tokens", "name == \"x", "title contains[z] 'x'", "<%@>: %@",
    "interpolate:withCurve:(a, b)",
    "name ISEQUAL 'x'", "name IS NOT NULL", "name like 'x' ORDER BY name", "SELECT * FROM x",
    "name == 'a' , b == 'c'", "NOT", "()",
    "a.b. == 1", "a == 1;", "x NOT LIKE 'y'", "'1' == ", "{1, 2}", "a BETWEEN {1, 2", "name == $",
    "a IN (1, 2)", "%K", "a == %",
  ])
  func `an invalid string is rejected with a position`(format: String) {
    let error = #expect(throws: InvalidPredicateError.self) {
      try NSPredicate(validating: format, arguments: ["x", "y", "z"])
    }
    #expect(error?.position.map { (0...format.count).contains($0) } == true)
  }

  @Test func `an object's class can be compared by name`() throws {
    let objects: [NSObject] = [NSLock(), NSExpression(forConstantValue: 1)]
    #expect(
      try NSPredicate(validating: "self isKindOfClass: %@", arguments: [NSLock.self]).evaluated(
        with: objects[0]))
    let predicate = try NSPredicate(validating: "function(self, 'class') == $wanted")
    #expect(try predicate.evaluated(with: objects[0], variables: ["wanted": NSLock.self]))
    #expect(try !predicate.evaluated(with: objects[1], variables: ["wanted": NSLock.self]))
  }

  @Test func `plain values and collections are filtered`() throws {
    #expect(
      try [1, 2, 3].filter { try NSPredicate(validating: "!(self >= 2)").evaluated(with: $0) } == [
        1
      ])
    #expect(
      try NSPredicate(validating: "all self in %@", arguments: [[1, 2]]).evaluated(with: [1, 2, 1]))
    #expect(try NSPredicate(validating: "length > 0").evaluated(with: "a"))
    #expect(try !NSPredicate(validating: "length = %d", arguments: [4]).evaluated(with: "Bob"))
    #expect(try NSPredicate(validating: "@count > 1 AND @max.self == 2").evaluated(with: [1, 2]))
    #expect(try NSPredicate(validating: "all age>19").evaluated(with: [["age": 20]]))
    #expect(
      try NSPredicate(validating: "SELF MATCHES %@ ", arguments: ["^[0-9]{8}$"]).evaluated(
        with: "12345678"))
    #expect(
      try NSPredicate(validating: "NONE SELF IN %@", arguments: [[7]]).evaluated(with: [1, 2]))
  }
}
