import CSQLite
import CoreData
import Foundation
import StoreEngine
import Testing

@testable import SQLiteEngine

@Suite("Statements in the SQL of another database")
struct SQLDialectTests {
  private let model: NSManagedObjectModel
  private let layouts: ModelLayout

  init() {
    model = NSManagedObjectModel()
    let club = NSEntityDescription()
    club.name = "Club"
    let player = NSEntityDescription()
    player.name = "Player"
    let players = NSRelationshipDescription()
    let home = NSRelationshipDescription()
    players.name = "players"
    (players.destinationEntity, players.inverseRelationship) = (player, home)
    (home.name, home.destinationEntity, home.inverseRelationship) = ("club", club, players)
    (home.maxCount, home.deleteRule) = (1, .nullifyDeleteRule)
    players.deleteRule = .cascadeDeleteRule
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      return attribute
    }
    club.properties = [attribute("name", .stringAttributeType), players]
    player.properties = [
      attribute("name", .stringAttributeType), attribute("age", .integer64AttributeType),
      attribute("weight", .doubleAttributeType), attribute("fee", .decimalAttributeType), home,
    ]
    model.entities = [club, player]
    layouts = .of(model)
  }

  /// A store whose tables have readable names.
  private var schema: StoreSchema {
    let mappings = layouts.entities.map { layout in
      layout.slots.map { slot -> StoreSchema.Mapping in
        switch slot.kind {
        case .attribute: .attribute(column: slot.name)
        case .toOne: .toOne(column: slot.name, entityColumn: nil, orderColumn: nil)
        case .toMany: .children(column: "club", orderColumn: nil, hasInverse: true)
        default: .none
        }
      }
    }
    return StoreSchema(
      model: layouts, numbers: layouts.entities.map { $0.index + 1 },
      tables: layouts.entities.map { $0.name.lowercased() }, mappings: mappings,
      own: StoreSchema.OwnColumns(key: "_pk", entity: "_ent", version: "_opt"))
  }

  private func query(
    _ entity: String, _ format: String?, _ sorts: [NSSortDescriptor] = []
  ) throws -> RowQuery {
    let layout = try #require(layouts.layout(named: entity))
    let binder = PredicateBinder(layout)
    var query = RowQuery(layout: layout)
    query.predicate = try format.map { try binder.bind(NSPredicate(format: $0)) }
    query.sorts = try sorts.map { try BoundSort($0, binder) }
    return query
  }

  private func select(
    _ query: RowQuery, in dialect: some SQLDialect = ServerDialect(),
    keepsExactDecimals: Bool = false
  ) throws -> String {
    let schema = schema
    schema.keepsExactDecimals = keepsExactDecimals
    var builder = SelectBuilder(schema: schema, origin: .temporary, dialect: dialect)
    return try builder.select(query) { builder, alias in SQLText(builder.key(alias)) }
      .text(in: dialect)
  }

  @Test("Parameters are numbered and typed")
  func parameters() throws {
    #expect(
      try select(query("Player", "age > 30 AND weight == 80.5 AND name == 'What?'"))
        == #"SELECT t0._pk FROM "player" t0 WHERE (t0."age" > $1::bigint AND t0."weight" = $2::double precision"#
        + #" AND t0."name" = $3::text) ORDER BY t0._pk ASC NULLS FIRST"#)
  }

  @Test("Statements follow relationships, and sort and limit with the database's syntax")
  func joins() throws {
    var query = try query(
      "Player", "club.name == 'United'", [NSSortDescriptor(key: "name", ascending: false)])
    query.offset = 20
    #expect(
      try select(query)
        == #"SELECT t0._pk FROM "player" t0 LEFT JOIN "club" t1 ON t1._pk = t0."club" WHERE t1."name" = $1::text"#
        + #" ORDER BY t0."name" DESC NULLS LAST, t0._pk ASC NULLS FIRST OFFSET $2::bigint"#)
    query.limit = 10
    #expect(try select(query).hasSuffix(" LIMIT $2::bigint OFFSET $3::bigint"))
  }

  @Test("Membership, lists and Booleans use the database's syntax")
  func conditions() throws {
    #expect(
      try select(query("Club", "ANY players.age IN {1, 2}"))
        == #"SELECT t0._pk FROM "club" t0 WHERE EXISTS (SELECT 1 FROM "player" t1 WHERE t1."club" = t0._pk"#
        + #" AND (t1."age" = ANY($1::text))) ORDER BY t0._pk ASC NULLS FIRST"#)
    #expect(try select(query("Club", "TRUEPREDICATE")).contains("WHERE TRUE "))
    #expect(try select(query("Club", "players.@count > 2")).contains("(SELECT COUNT(*) FROM"))
    #expect(try select(query("Club", "players.@max.age > 2")).contains(#"max(t1."age")"#))
  }

  @Test(
    "A predicate that the database cannot evaluate is rejected",
    arguments: [
      "name MATCHES 'A.*'", "name CONTAINS[cd] 'a'", "uppercase(name) == 'A'",
      "club.players.@avg.age > 3", "modulus:by:(age, 2) == 0",
    ])
  func refusals(_ format: String) throws {
    let query = try query("Player", format)
    #expect { try select(query) } throws: { StatementLimit.isCause(of: $0) }
  }

  @Test("The error about too many tables identifies the database and its limit")
  func tooManyTables() {
    let server = StatementLimit.tooManyTables(in: ServerDialect())
    #expect(server.localizedDescription.contains("PostgreSQL joins at most 1000 tables"))
    let file = StatementLimit.tooManyTables(in: SQLiteDialect())
    #expect(file.localizedDescription.contains("SQLite joins at most 64 tables"))
  }

  @Test("SQL that is stored in a file calls no function of the library")
  func keptTexts() throws {
    let dialect = SQLiteDialect(callsFunctions: false)
    #expect(dialect.constant(.text("a")) == nil)
    #expect(dialect.number(ofExact: "c") == nil)
    let texts = (0...100).map { StoredValue.text("\($0)") }
    #expect(dialect.isAmong(SQLText("c"), texts) == nil)
    // These lists need no function of the library.
    #expect(dialect.isAmong(SQLText("c"), Array(texts.dropFirst()))?.parameters.count == 100)
    let numbers = (0...100).map { StoredValue.integer(Int64($0)) }
    #expect(
      dialect.isAmong(SQLText("c"), numbers)?.text == "c IN (SELECT value FROM json_each(?))")
  }

  @Test(
    "A statement that needs a function of the library is rejected as SQL to store in a file",
    arguments: [
      "fee > 1", "name IN {\((0...100).map { "'\($0)'" }.joined(separator: ", "))}",
      (0...2000).map { "weight > \($0).5" }.joined(separator: " OR "),
    ])
  func keptRefusals(_ format: String) throws {
    let query = try query("Player", format)
    #expect(
      try select(query, in: SQLiteDialect(), keepsExactDecimals: true).contains("CoreData"))
    #expect {
      try select(query, in: SQLiteDialect(callsFunctions: false), keepsExactDecimals: true)
    } throws: {
      StatementLimit.isCause(of: $0)
    }
  }

  @Test("A statement has few parameters if SQLite is built with a low limit")
  func lowLimit() throws {
    let connection = try SQLiteConnection(path: ":memory:", mode: .readWriteCreate, busyTimeout: 0)
    sqlite3_limit(connection.handle, SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    try connection.execute(
      "CREATE TABLE player (_pk INTEGER PRIMARY KEY, _ent, _opt, name, age, weight, fee, club);"
        + " INSERT INTO player (name, weight) VALUES ('Ann', 1), ('Bob', 2000)")
    let many = (0..<1_200).map { "weight > \($0 + 100).5" }.joined(separator: " OR ")
    let plan = try DictionaryQuery(
      rows: query("Player", many), properties: ["weight"], groups: ["weight"],
      having: NSPredicate(format: many), isDistinct: false, conversion: ConstantConversion())
    var builder = SelectBuilder(
      schema: schema, origin: .temporary, dialect: connection.dialect)
    let sql = try builder.select(plan)
    #expect(try connection.rows(sql.text, sql.parameters) { $0.integer(0) } == [2000])
  }

  @Test("A sort order that the database does not have is rejected")
  func order() throws {
    let sort = NSSortDescriptor(
      key: "name", ascending: true,
      selector: Selector("localizedStandardCompare:"))
    let query = try query("Player", nil, [sort])
    #expect { try select(query) } throws: { StatementLimit.isCause(of: $0) }
  }

  @Test("A batch deletion records its rows in the database's temporary tables")
  func deletion() throws {
    let builder = DeleteBuilder(schema: schema, origin: .temporary, dialect: ServerDialect())
    #expect(
      builder.rowTable
        == "CREATE TEMPORARY TABLE CoreDataDeletedRows (root bigint, pk bigint, ent bigint, wave bigint,"
        + " PRIMARY KEY (root, pk)) ON COMMIT DROP")
    let query = try query("Club", "name == 'United'")
    let root = query.layout.root.index
    let number = root + 1
    #expect(
      try builder.begin(query).text(in: ServerDialect())
        == "INSERT INTO pg_temp.CoreDataDeletedRows SELECT \(root), t0._pk,"
        + " CASE WHEN t0._ent IN (\(number)) THEN t0._ent ELSE \(number) END, 0"
        + #" FROM "club" t0 WHERE t0."name" = $1::text ORDER BY t0._pk ASC NULLS FIRST ON CONFLICT DO NOTHING"#
    )
    #expect(
      try builder.delete(query.layout.root).text
        == #"DELETE FROM "club" WHERE _pk IN (SELECT pk FROM pg_temp.CoreDataDeletedRows WHERE root = \#(root))"#
    )
  }
}
