extension SelectBuilder {
  /// Returns the SQL condition for a predicate, with parentheses around parts that would be ambiguous without them.
  package mutating func sql(_ predicate: BoundPredicate) throws -> SQLText {
    if let gathered, let truth = gathered.truth(of: predicate) { return truth }
    switch predicate {
    case .value(let value): return SQLText(dialect.truth(value))
    case .and(let parts): return try list(parts, " AND ", ofNone: true)
    case .or(let parts): return try list(parts, " OR ", ofNone: false)
    case .not(.isNull(let expression)): return try SQLText("", sql(expression), " IS NOT NULL")
    case .not(let part): return try SQLText("NOT (", sql(part), ")")
    case .isTrue(let part): return try SQLText("((", sql(part), ") IS TRUE)")
    case .isNull(let expression): return try SQLText("", sql(expression), " IS NULL")
    case .compare(let left, .equal, let right):
      let plain = try infix(left, "=", right)
      switch (left, right) {
      case (.function, .constant(let value, _)):
        return Self.both(try indexed(left, among: [value]), plain)
      case (.constant(let value, _), .function):
        return Self.both(try indexed(right, among: [value]), plain)
      default: return plain
      }
    case .compare(let left, .notEqual, let right): return try infix(left, "<>", right)
    case .compare(let left, let comparison, let right):
      return try SQLText("", compared(left), " \(comparison.rawValue) ", compared(right), "")
    case .identical(let left, let right): return try dialect.areIdentical(sql(left), sql(right))
    case .among(let expression, let values): return try among(expression, values)
    case .amongTexts(let expression, let texts): return try among(expression, texts)
    case .between(let value, let low, let high):
      let value = try compared(value)
      let bounds = SQLText([try compared(low), try compared(high)], separator: " AND ")
      return SQLText("(", value, " BETWEEN ", bounds, ")")
    case .match(let expression, let pattern): return try match(expression, pattern)
    case .matchValues(let left, let type, let right, let options):
      return try match(sql(left), type, options, sql(right))
    case .exists(let collection, let inner):
      let members = try members(collection) { builder, _ in
        (SQLText("1"), try builder.sql(inner))
      }
      return SQLText("EXISTS (", members, ")")
    case .isMode(let expression, let values): return try isMode(expression, values)
    case .isEntity(let path, let layouts):
      let column = entity(try alias(path))
      let numbers = layouts.compactMap { schema.numbers[$0.index] }.sorted()
      if numbers.isEmpty { return Self.inNoList(SQLText(column), dialect) }
      return SQLText("\(column) IN (\(numbers.map(String.init).joined(separator: ", ")))")
    case .inIndex(let range): return try self.range(range)
    case .byObject(let part): throw part.refusal
    }
  }

  /// Combines a condition that an index can evaluate with the original condition.
  private static func both(_ indexed: SQLText?, _ condition: SQLText) -> SQLText {
    indexed.map { SQLText("(", $0, " AND ", condition, ")") } ?? condition
  }

  /// Returns the SQL of a value that is compared by its order.
  package mutating func compared(_ expression: BoundExpression) throws -> SQLText {
    let value = try sql(expression)
    guard expression.kind.isMatched else { return value }
    return try ordered(value)
  }

  /// Returns a text that is compared by its code points.
  func ordered(_ text: SQLText) throws -> SQLText {
    try dialect.ordered(text, .literal).pushedDown("the order of texts")
  }

  private mutating func infix(
    _ left: BoundExpression, _ symbol: String, _ right: BoundExpression
  ) throws -> SQLText {
    try SQLText("", sql(left), " \(symbol) ", sql(right), "")
  }

  private mutating func list(
    _ parts: [BoundPredicate], _ separator: String, ofNone: Bool
  ) throws -> SQLText {
    if parts.isEmpty { return SQLText(dialect.truth(ofNone)) }
    var pieces: [SQLText] = []
    pieces.reserveCapacity(parts.count)
    for part in parts { pieces.append(try sql(part)) }
    var text = SQLText()
    write(pieces[...], separator, to: &text)
    return text
  }

  /// Writes parts in parentheses. Nests a long list as a balanced tree, because databases limit the depth of
  /// expressions.
  private func write(_ pieces: ArraySlice<SQLText>, _ separator: String, to text: inout SQLText) {
    text += "("
    if pieces.count <= dialect.longestList {
      text.append(pieces, separator: separator)
    } else {
      let middle = pieces.startIndex + pieces.count / 2
      write(pieces[..<middle], separator, to: &text)
      text += separator
      write(pieces[middle...], separator, to: &text)
    }
    text += ")"
  }

  private mutating func among(
    _ expression: BoundExpression, _ values: [StoredValue]
  ) throws -> SQLText {
    if values.isEmpty { return Self.inNoList(try sql(expression), dialect) }
    let text = try dialect.isAmong(sql(expression), values.map(stored))
      .pushedDown("a list of \(values.count) values")
    guard case .function = expression else { return text }
    return Self.both(try indexed(expression, among: values), text)
  }

  /// Returns the condition that a value is in an empty list. `NULL IN ()` is false in SQLite, a syntax error in other
  /// databases, and unknown in predicates.
  private static func inNoList(_ value: SQLText, _ dialect: any SQLDialect) -> SQLText {
    SQLText("(", value, " IS NULL AND \(dialect.truth(nil)))")
  }

  private mutating func among(
    _ expression: BoundExpression, _ texts: FoldedTexts
  ) throws -> SQLText {
    let folded = try dialect.folded(sql(expression), texts.options)
      .pushedDown("texts without case or accents")
    return try dialect.isAmong(folded, texts.values.map { .data(Data($0)) })
      .pushedDown("a list of \(texts.values.count) texts")
  }

  private mutating func isMode(
    _ expression: BoundExpression, _ values: BoundValues
  ) throws -> SQLText {
    let value = try sql(expression)
    // Copy the dialect for the closure, which cannot access the builder while `values` modifies it.
    let dialect = dialect
    let selection = try self.values(values) { element in
      try dialect.isMode(value, ofGroup: element, values.element.kind).pushedDown("a mode")
    }
    return SQLText("COALESCE((", selection, "), \(dialect.truth(false)))")
  }

  // MARK: Strings

  private mutating func match(
    _ expression: BoundExpression, _ pattern: StringPattern
  ) throws -> SQLText {
    let text = try sql(expression)
    func function() throws -> SQLText {
      try match(text, pattern.type, pattern.options, parameter(.text(pattern.pattern)))
    }
    guard let prefix = pattern.literalPrefix, let end = TextRange.end(ofPrefix: prefix) else {
      return try function()
    }
    // A condition on a range, for which the database can use an index. For BEGINSWITH, it is the whole condition.
    var range = SQLText("(", TextRange.condition(try ordered(text), from: prefix, to: end), "")
    if pattern.type != .beginsWith {
      range += " AND "
      range += try function()
    }
    range += ")"
    guard case .function = expression else { return range }
    return Self.both(try indexed(expression, beginningWith: prefix), range)
  }

  private func match(
    _ text: SQLText, _ type: NSComparisonPredicate.Operator,
    _ options: NSComparisonPredicate.Options, _ pattern: SQLText
  ) throws -> SQLText {
    try dialect.match(text, type, options, pattern).pushedDown("the string operator \(type)")
  }

  package func parameter(_ value: StoredValue) -> SQLText {
    SQLText("?", parameters: [stored(value)])
  }
}

extension StringPattern {
  /// The prefix that all matching strings have in common; nil if there is none, or if the case or accents of letters
  /// are ignored.
  package var literalPrefix: String? {
    guard options.isEmpty || options == .normalized, !pattern.isEmpty else { return nil }
    switch type {
    case .beginsWith: return pattern
    case .like:
      // Compares code points, as LIKE does: a star with a combining accent is a different `Character`, but still a
      // wildcard.
      let scalars = pattern.unicodeScalars.prefix { $0 != "*" && $0 != "?" && $0 != "\\" }
      let prefix = String(scalars)
      return prefix.isEmpty ? nil : prefix
    default: return nil
    }
  }
}

/// The range of all strings with a common prefix, in the order of code points.
package enum TextRange {
  /// Returns the first string after all strings with the prefix; nil if there is none.
  package static func end(ofPrefix prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      // Skips the surrogates, which are not characters.
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        return String(String.UnicodeScalarView(scalars + [scalar]))
      }
    }
    return nil
  }

  /// Returns the condition that a string is in a range.
  static func condition(_ text: SQLText, from start: String, to end: String) -> SQLText {
    func bound(_ sign: String, _ bound: String) -> SQLText {
      SQLText("", text, sign, SQLText("?", parameters: [.text(bound)]), "")
    }
    return SQLText([bound(" >= ", start), bound(" < ", end)], separator: " AND ")
  }
}
