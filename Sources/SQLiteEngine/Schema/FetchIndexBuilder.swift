import StoreEngine

/// The statements of one fetch index: an index on columns, or an R-tree with its triggers.
struct FetchIndexBuilder {
  let plan: StoreSchemaPlan
  let layout: EntityLayout
  let table: String

  /// SQL in the schema of a file must not call functions that only this library has.
  private static let dialect = SQLiteDialect(callsFunctions: false)

  func statements(_ index: NSFetchIndexDescription) throws -> [String] {
    if isKeyIndex(index) { return [] }
    let own = index.elements.filter { !isToMany($0) }
    if own.isEmpty, !index.elements.isEmpty { return [] }
    if let obstacle = obstacle(own, inTree: index.isRTree) {
      Log.storeNotice("the fetch index \(layout.name).\(index.name) is omitted: \(obstacle)")
      return []
    }
    let elements = own.compactMap { element in
      term(element).map { (column: $0, element: element) }
    }
    guard !elements.isEmpty, elements.count == own.count else {
      let broken = own.first { term($0) == nil }
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "the fetch index \(layout.name).\(index.name) has an element that is not a stored property:"
          + " \(broken?.propertyName ?? broken?.expressionText ?? "none")")
    }
    if index.isRTree { return rTree(index, own.compactMap(column)) }
    let terms = elements.map {
      "\($0.column) COLLATE BINARY \($0.element.isAscending ? "ASC" : "DESC")"
    }
    var sql =
      "CREATE INDEX \(SchemaBuilder.identifier(name(of: index))) ON \(SchemaBuilder.identifier(table)) (\(terms.joined(separator: ", ")))"
    if let format = index.partialPredicateFormat {
      sql += " WHERE " + (try condition(format, of: index))
    }
    return [sql]
  }

  /// Returns the name of an index in SQLite.
  func name(of index: NSFetchIndexDescription) -> String {
    "Z_\(index.isRTree ? "RT_" : "")\(layout.name)_\(index.name)"
  }

  /// Returns the reason why SQLite cannot have an index on some elements; nil if it can.
  private func obstacle(
    _ elements: [NSFetchIndexElementDescription], inTree isRTree: Bool
  ) -> String? {
    if let element = elements.first(where: { !canBeComputed($0, inTree: isRTree) }) {
      let text = element.expressionText ?? ""
      return isRTree
        ? "an R-tree cannot contain the expression \(text)" : "SQLite alone cannot compute \(text)"
    }
    guard isRTree else { return nil }
    let columns = elements.compactMap(column)
    if columns.count > Set(columns).count { return "an R-tree cannot contain an attribute twice" }
    let most = NSFetchIndexDescription.mostRTreeAttributes
    return columns.count > most
      ? "an R-tree can contain \(most) attributes, and this index has \(columns.count)" : nil
  }

  /// Returns whether the only element of an index is a relationship. The keys of a relationship are indexed anyway;
  /// those of a to-many relationship are in another table.
  private func isKeyIndex(_ index: NSFetchIndexDescription) -> Bool {
    guard index.elements.count == 1, let name = index.elements[0].propertyName,
      let slot = layout.slot(named: name)
    else { return false }
    return slot.relationship != nil
  }

  /// Returns whether an element is a to-many relationship, whose keys are in another table and indexed there. Apple's
  /// Core Data opens stores of models with such indexes, like Threema's since version 44.
  private func isToMany(_ element: NSFetchIndexElementDescription) -> Bool {
    guard element.expressionText == nil, let name = element.propertyName else { return false }
    return layout.slot(named: name)?.kind == .toMany
  }

  /// Returns the SQL of the value that an element indexes: a column, or an expression of columns. Nil for an element
  /// that is not a stored property or that SQLite alone cannot compute.
  private func term(_ element: NSFetchIndexElementDescription) -> String? {
    if let column = column(element) { return SchemaBuilder.identifier(column) }
    guard let text = element.expressionText,
      let expression = IndexedExpression.bound(text, in: layout)
    else { return nil }
    return IndexedExpression.sql(expression, Self.dialect) { path in
      path.attribute.flatMap { column(named: $0.name) }.map(SchemaBuilder.identifier)
    }?.text
  }

  /// Returns whether an element is a property, or an expression that SQLite alone can compute. The elements of an
  /// R-tree must be properties. Also true for an invalid element, for which `statements(_:)` throws an error.
  private func canBeComputed(
    _ element: NSFetchIndexElementDescription, inTree isRTree: Bool
  ) -> Bool {
    guard column(element) == nil, let text = element.expressionText,
      IndexedExpression.bound(text, in: layout) != nil
    else { return true }
    return !isRTree && term(element) != nil
  }

  private func column(_ element: NSFetchIndexElementDescription) -> String? {
    // An expression also has a generated property name.
    column(named: element.expressionText ?? element.propertyName ?? "")
  }

  private func column(named name: String) -> String? {
    if let slot = layout.slotNumbers[name] { return plan.mappings[layout.index][slot].column }
    // As in a model, the case matters: an attribute may be called objectid.
    return switch name {
    case "self", "SELF", "objectID": "Z_PK"
    case "entity": "Z_ENT"
    default: nil
    }
  }

  /// Returns the condition of a partial index. The statement is stored in the file, so its values are literals.
  ///
  /// - Throws: For a condition that is invalid, that only this library can compute, or that depends on other rows. With
  ///   an index of one of the last two, no other program could write to the file.
  private func condition(_ format: String, of index: NSFetchIndexDescription) throws -> String {
    let predicate = try NSPredicate(validating: format, arguments: [])
    let bound = try PredicateBinder(layout).bind(predicate)
    var builder = SelectBuilder(schema: plan.schema(), origin: .temporary, dialect: Self.dialect)
    let alias = builder.push(layout, level: 0)
    func undecidable(_ cause: (any Error)? = nil) -> NSError {
      CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "the fetch index \(layout.name).\(index.name) has a condition that SQLite alone cannot evaluate for a"
          + " single row: \(format)", cause: cause)
    }
    let sql: SQLText
    do {
      sql = try builder.sql(bound)
    } catch  where StatementLimit.isCause(of: error) {
      throw undecidable(error)
    }
    var text = sql.text.replacingOccurrences(of: "\(alias).", with: "")
    // A condition on other rows contains a subquery, or the alias of another table.
    if text.contains("SELECT ")
      || text.range(of: #"\bt[0-9]+\."#, options: .regularExpression) != nil
    {
      throw undecidable()
    }
    for column in plan.tables.flatMap(\.columns) {
      text = text.replacingOccurrences(
        of: SQLText.name(column.name), with: SchemaBuilder.identifier(column.name))
    }
    return SQLText(text, parameters: sql.parameters).withoutParameters(Self.dialect)
  }

  private func rTree(_ index: NSFetchIndexDescription, _ columns: [String]) -> [String] {
    func id(_ suffix: String) -> String {
      SchemaBuilder.identifier(self.name(of: index) + suffix)
    }
    let name = id("")
    let table = SchemaBuilder.identifier(table)
    let ends = columns.flatMap { column in
      ["MIN", "MAX"].map { SchemaBuilder.identifier("\(column)_\($0)") }
    }
    let bounds = ends.map { "\($0) FLOAT" }.joined(separator: ", ")
    let names = ends.joined(separator: ", ")
    // The comma is in the same place as in Apple's Core Data.
    let values = columns.map { "NEW.\(SchemaBuilder.identifier($0))" }.enumerated()
      .map { $0 == 0 ? "\($1) ,\($1)" : "\($1), \($1)" }.joined(separator: ", ")
    let insert = "INTO \(name) (Z_PK, \(names)) VALUES (NEW.Z_PK, \(values)) ;"
    return [
      "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(bounds))",
      "CREATE TRIGGER \(id("_INSERT")) AFTER INSERT ON \(table) FOR EACH ROW BEGIN INSERT OR REPLACE"
        + " \(insert) END",
      "CREATE TRIGGER \(id("_UPDATE")) AFTER UPDATE ON \(table) FOR EACH ROW BEGIN DELETE FROM"
        + " \(name) WHERE Z_PK = NEW.Z_PK ; INSERT \(insert) END",
      "CREATE TRIGGER \(id("_DELETE")) AFTER DELETE ON \(table) FOR EACH ROW BEGIN DELETE FROM"
        + " \(name) WHERE Z_PK = OLD.Z_PK ; END",
    ]
  }
}
