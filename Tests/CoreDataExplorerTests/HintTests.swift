import CoreData
import Foundation
import StoreInspection
import Testing

@testable import CoreDataExplorer

@Suite("Hints and suggestions for conditions")
struct HintTests {
  @Test(
    "Conditions that probably do not mean what the user intends have a hint",
    arguments: [
      ("day > 2020", "means seconds since 2001: 2001-01-01 00:33:40", "\"2020-01-01\"", 6),
      (
        "name != nil AND day BETWEEN {2019, 1700000000}", "means seconds since 2001",
        "\"2019-01-01\"", 29
      ),
      ("day > 1700000000", "means seconds", "\"2023-11-14 22:13:20\"", 6),
      ("day == 2020-05-1", "is a subtraction", "\"2020-05-01\"", 7),
      ("name == 12345", "is a string", "\"12345\"", 8),
      ("name LIKE \"W%\"", "LIKE uses * and ?", "\"W*\"", 10),
      ("name == 'W%' OR name LIKE[c] 'W%'", "LIKE uses * and ?", "\"W*\"", 29),
      ("amount == 2020-05-31 AND day > 2020", "means seconds", "\"2020-01-01\"", 31),
      ("amount == 2020 AND day > 2020", "means seconds", "\"2020-01-01\"", 25),
      ("amount == 2020-05-31 AND day > 2020-05-31", "subtraction", "\"2020-05-31\"", 31),
      ("amount + 5 == 7 AND name == 5", "is a string", "\"5\"", 28),
      ("TERNARY(amount > 5, 1, 2) == 1 AND name == 5", "is a string", "\"5\"", 43),
      (
        "SUBQUERY(others, $x, $x.amount == 5).@count == 0 AND name == 5", "is a string", "\"5\"",
        61
      ),
      ("day == TERNARY(amount > 2021, 2020, nil)", "means seconds", "\"2020-01-01\"", 30),
      ("TERNARY(amount > 5, day, nil) > 2020", "means seconds", "\"2020-01-01\"", 32),
      (
        "SUBQUERY(others, $x, $x.day > 2020).@count > 0", "$x.day is a date", "\"2020-01-01\"", 30
      ),
      (
        "SUBQUERY(others, $x, SUBQUERY($x.others, $y, $y.name == 5).@count > 0).@count > 0",
        "$y.name is a string", "\"5\"", 56
      ),
      (
        "SUBQUERY(others, $x, $x.amount > 0).@max.day > 2020", "is a date", "\"2020-01-01\"", 47
      ),
      ("others.@max.day > 2020", "others.@max.day is a date", "\"2020-01-01\"", 18),
      ("others.others.@min.day == 2020-05-1", "is a subtraction", "\"2020-05-01\"", 26),
      ("ANY others.@distinctUnionOfObjects.name == 5", "is a string", "\"5\"", 43),
      ("max:(others.day) > 2020", "is a date", "\"2020-01-01\"", 19),
      ("ANY others.self.day > 2020", "is a date", "\"2020-01-01\"", 22),
      ("$x.day > 0 AND day > 2020", "day is a date", "\"2020-01-01\"", 21),
    ])
  func hints(condition: String, part: String, replacement: String, position: Int) throws {
    let entity = try Self.dated()
    let hint = try #require(try RowSelection(entity: entity, where: condition).hints.first)
    #expect(hint.message.contains(part))
    #expect(hint.replacement == replacement && hint.position == position)
  }

  @Test("Each of several dates without quotes has a hint of its own")
  func severalHints() throws {
    let condition = "day IN {2020-05-01,2020-05-31} OR day > 2021 OR day == 2020-05-01"
    let hints = try RowSelection(entity: try Self.dated(), where: condition).hints
    #expect(
      hints.map(\.replacement) == [
        "\"2020-05-01\"", "\"2020-05-31\"", "\"2021-01-01\"", "\"2020-05-01\"",
      ])
    #expect(hints.map(\.position) == [8, 19, 40, 55])
    #expect(hints.map(\.length) == [10, 10, 4, 10])
  }

  @Test(
    "Unambiguous conditions have no hint",
    arguments: [
      "day > \"2020-01-01\"", "day > CAST(0, \"NSDate\")", "name == \"12345\"", "amount > 2020",
      "name LIKE \"100%*\"", "name == nil AND day == nil", "amount == 2020-1-1",
      "amount == 2020-01-01 AND day > \"2020-01-01\"", "\"W%\" LIKE name",
      "others.@max.amount > 2020", "others.@count > 2020", "count:(others.day) > 2020",
      "SUBQUERY(others, $x, $x.day > \"2020-01-01\" AND $x.amount > 2020).@count > 2020",
    ])
  func noHints(condition: String) throws {
    let entity = try Self.dated()
    #expect(try RowSelection(entity: entity, where: condition).hints == [])
  }

  private static func dated() throws -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = "Dated"
    entity.properties = [
      ("name", NSAttributeType.stringAttributeType), ("day", .dateAttributeType),
      ("amount", .integer64AttributeType),
    ].map { name, type in
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType) = (name, type)
      return attribute
    }
    let others = NSRelationshipDescription()
    (others.name, others.destinationEntity) = ("others", entity)
    entity.properties.append(others)
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return entity
  }

  @Test(
    "Strings without quotes, and SQL words, have a suggestion",
    arguments: [
      ("lastName = Wilson", "text must be quoted: \"Wilson\"", "\"Wilson\""),
      ("lastName = Wilson AND age > 3", "text must be quoted: \"Wilson\"", "\"Wilson\""),
      ("age > 3 AND lastName CONTAINS[cd] Wil", "text must be quoted: \"Wil\"", "\"Wil\""),
      ("lastName == Natalie Wilson", "text must be quoted: \"Natalie Wilson\"", nil),
      ("age > 30 AND lastNme == 'x'", "did you mean \"lastName\"?", nil),
      ("lastName IS NULL", "write == nil instead of IS NULL", nil),
      ("lastName IS NOT NULL", "write != nil instead of IS NOT NULL", nil),
      ("lastName ILIKE 'w*'", "LIKE[c]", "LIKE[c]"),
      ("age > AND lastName ILIKE 'b'", "write LIKE[c] to ignore case", nil),
    ] as [(String, String, String?)])
  func unquoted(condition: String, part: String, replacement: String?) async throws {
    let store = try ExploredStore()
    let answer = try await store.json(
      "/api/predicate?entity=Person&text=\(Address.escaped(condition))")
    let error = try #require(answer["error"] as? [String: Any])
    #expect((error["message"] as? String)?.contains(part) == true, "\(error)")
    #expect(error["place"] as? String == "where")
    #expect((error["suggestions"] as? [String])?.first == replacement)
    await store.close()
  }
}
