/// Additional conditions that let SQLite find rows by a declared index. Each follows from the condition that it is
/// added to, so it does not change the results.
extension SelectBuilder {
  /// Returns a condition that finds the rows in a range by an R-tree, or a condition that is always true if no R-tree
  /// can find them.
  package mutating func range(_ range: IndexedRange) throws -> SQLText {
    let table = "Z_RT_\(range.entity)_\(range.index)"
    let always = SQLText(dialect.truth(true))
    // A store of another program may lack the index, although the model declares it.
    guard let columns = schema.rTrees[table] else { return always }
    var conditions: [SQLText] = []
    for bounds in range.bounds {
      guard case .attribute(let column) = schema.mapping(range.row.end, bounds.slot),
        columns.contains("\(column)_MIN"), columns.contains("\(column)_MAX")
      else { continue }
      // The tree rounds its coordinates outwards, so these conditions find all rows of the range,
      // and some others.
      for (end, sign, bound) in [("MAX", ">=", bounds.low), ("MIN", "<=", bounds.high)] {
        guard let bound, Self.canSearch(bound) else { continue }
        conditions.append(
          SQLText("\(dialect.name("\(column)_\(end)")) \(sign) ?", parameters: [bound]))
      }
    }
    if conditions.isEmpty { return always }
    let key = schema.own.key
    var keys = SQLText("SELECT \(key) FROM \(dialect.name(table)) WHERE ")
    keys.append(conditions, separator: " AND ")
    var layouts = [range.row.start]
    for step in range.row.steps {
      guard let next = layouts.last?.slots[step].relationship?.destination else {
        return always
      }
      layouts.append(next)
    }
    // With several steps, nested queries lead from the keys in the tree back to the first step. Each of them uses the
    // index of its relationship.
    for (owner, step) in Array(zip(layouts, range.row.steps)).dropFirst().reversed() {
      guard case .toOne(let column, _, _) = schema.mapping(owner, step) else { return always }
      let table = dialect.name(try schema.table(owner))
      keys = SQLText("SELECT \(key) FROM \(table) WHERE \(dialect.name(column)) IN (", keys, ")")
    }
    let first = BoundPath(
      level: range.row.level, start: range.row.start, steps: Array(range.row.steps.prefix(1)),
      end: layouts[range.row.steps.isEmpty ? 0 : 1], terminal: .object)
    return SQLText("\(try sql(first)) IN (", keys, ")")
  }

  /// Returns whether an R-tree finds all values up to a bound. The coordinates are 32-bit floats
  /// (sqlite.org/rtree.html). For a value beyond their range, both coordinates are infinite, and for one below the
  /// least normal float, SQLite may round both in the same direction.
  private static func canSearch(_ bound: StoredValue) -> Bool {
    guard let number = bound.number?.magnitude else { return false }
    let normal = Double(Float.leastNormalMagnitude)...Double(Float.greatestFiniteMagnitude)
    return number == 0 || normal.contains(number)
  }

  /// Returns a condition on SQLite's `lower` or `upper`, for which SQLite can use an index; nil if there is no such
  /// condition. It is true whenever `lowercase:` or `uppercase:` of a string is equal to one of some values.
  package mutating func indexed(
    _ expression: BoundExpression, among values: [StoredValue]
  ) throws -> SQLText? {
    guard let (function, argument) = IndexedExpression.caseFunction(expression),
      let originals = CaseOrigins.of(function)
    else { return nil }
    var texts: [String] = []
    for value in values {
      guard case .text(let text) = value, let found = originals.texts(of: text) else { return nil }
      texts += found
      if texts.count > CaseOrigins.limit { return nil }
    }
    if texts.isEmpty { return nil }
    guard var value = dialect.indexedCase(function, try sql(argument)) else { return nil }
    if texts.count > 1 { return dialect.isAmong(value, texts.map(StoredValue.text)) }
    value += " = "
    value.bind(.text(texts[0]))
    return value
  }

  /// Returns a condition on SQLite's `lower` or `upper`, for which SQLite can use an index; nil if there is no such
  /// condition. It is true whenever `lowercase:` or `uppercase:` of a string has a prefix.
  package mutating func indexed(
    _ expression: BoundExpression, beginningWith prefix: String
  ) throws -> SQLText? {
    guard let (function, argument) = IndexedExpression.caseFunction(expression),
      let originals = CaseOrigins.of(function),
      let prefixes = originals.prefixes(of: prefix), !prefixes.isEmpty,
      prefixes.count <= CaseOrigins.rangeLimit
    else { return nil }
    guard let text = dialect.indexedCase(function, try sql(argument)) else { return nil }
    let value = try ordered(text)
    var ranges: [SQLText] = []
    for prefix in prefixes {
      guard let end = TextRange.end(ofPrefix: prefix) else { return nil }
      ranges.append(SQLText("(", TextRange.condition(value, from: prefix, to: end), ")"))
    }
    return SQLText("(", SQLText(ranges, separator: " OR "), ")")
  }
}
