import CoreData

extension FormatGenerator {
  /// Returns a predicate: comparisons joined by AND, OR and NOT.
  mutating func condition() -> FormatTree {
    guard depth > 0 else { return comparison() }
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return compound(chance(1, in: 4) ? " && " : " AND ")
    case 2, 3: return compound(chance(1, in: 4) ? " || " : " OR ")
    case 4:
      let part = deeper { $0.condition() }
      return FormatTree(
        .condition, [.option(word("NOT ", "NOT ", "!")), .text("("), .tree(part), .text(")")])
    default: return comparison()
    }
  }

  private mutating func compound(_ sign: String) -> FormatTree {
    let count = chance(1, in: 4) ? 3 : 2
    let parts = (0..<count).map { _ in
      FormatTree(.condition, [.text("("), .tree(deeper { $0.condition() }), .text(")")])
    }
    return FormatTree(.condition, [.list(parts, separator: sign, least: 1)])
  }

  /// Returns a comparison of any kind that the entity has properties for.
  mutating func comparison() -> FormatTree {
    for _ in 0..<8 {
      let tree: FormatTree? =
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1, 2: ordered(pick([.number, .integer, .number]) ?? .number)
        case 3: ordered(.text)
        case 4: ordered(pick([.date, .uuid, .data, .uri]) ?? .date)
        case 5, 6: text()
        case 7: between()
        case 8, 9: membership()
        case 10: nothing()
        case 11, 12: objects()
        case 13, 14, 15, 16: quantified()
        case 17: counted()
        case 18: subqueryCounted()
        default:
          chance(1, in: 4)
            ? FormatTree(.condition, word("TRUEPREDICATE", "FALSEPREDICATE"))
            : ordered(.number)
        }
      if let tree { return tree }
    }
    return FormatTree(.condition, "TRUEPREDICATE")
  }

  // MARK: Values

  mutating func orderSign(isEquality: Bool = false) -> String {
    isEquality || chance(1, in: 3)
      ? word("==", "!=", "=", "<>", "==")
      : word("<", "<=", ">", ">=", "=<", "=>")
  }

  /// Returns a comparison of ordered values: `a < b`. Text may have options.
  private mutating func ordered(_ kind: FormatTree.Kind) -> FormatTree? {
    guard let left = value(kind, mustRead: true) else { return nil }
    var right = chance(1, in: 3) ? value(kind) ?? constant(kind) : constant(kind)
    // Each evaluator computes `now()` at another time. Their results still agree, because no value in the rows is close
    // to the current time.
    if kind == .date, chance(1, in: 6) { right = FormatTree(.date, "now()") }
    let sign = orderSign()
    let option: FormatTree.Part = kind == .text ? .option(options()) : .text("")
    let isReversed = chance(1, in: 6)
    return FormatTree(
      .condition,
      [
        .tree(isReversed ? right : left), .text(" \(sign)"), option, .text(" "),
        .tree(isReversed ? left : right),
      ])
  }

  mutating func options() -> String {
    word("", "", "", "[c]", "[d]", "[cd]", "[dc]", "[n]", "[l]", "[cdl]")
  }

  mutating func textSign() -> String {
    word("BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "beginswith", "MATCHES")
  }

  /// Returns a comparison with a string operator, such as BEGINSWITH.
  private mutating func text() -> FormatTree? {
    guard let left = value(.text, mustRead: true) else { return nil }
    let sign = textSign()
    return FormatTree(
      .condition,
      [
        .tree(left), .text(" \(sign)"), .option(options()), .text(" "),
        .tree(pattern(sign)),
      ])
  }

  /// Returns the right side of a string operator. Patterns of MATCHES are valid constants, because one evaluator may
  /// throw for an invalid pattern while another, which evaluates fewer rows, does not.
  mutating func pattern(_ sign: String) -> FormatTree {
    switch sign {
    case "MATCHES":
      return FormatTree(
        .fixed,
        word(
          "\"[a-c]*\"", "\".*\"", "\"(?i)STRA(SS|ß)E\"", "\"\\\\d+\"", "\"a|b|é\"", "\".\"",
          "\".{2,4}\"", "\"\\\\p{Lu}.*\"", "\"\"", "\"[^a]*\\\\*\"", "\"(?s).*\\\\s.*\""))
    case "LIKE" where chance(1, in: 2):
      let body = SampleValues.word(&random)
      let value = SampleValue.text(word("*", "", "?", "*") + body + word("*", "", "?", "??"))
      return FormatTree(.text, [part(value)])
    default:
      if chance(1, in: 4), let value = value(.text) { return value }
      guard case .text(let whole) = sampleValue(.text) else { return constant(.text) }
      // A substring of some row's text.
      let characters = Array(whole)
      guard characters.count > 1, characters.count < 40, chance(2, in: 3) else {
        return FormatTree(.text, [part(.text(whole))])
      }
      let start = Int.random(in: 0..<characters.count, using: &random)
      let end = Int.random(in: start...characters.count, using: &random)
      return FormatTree(.text, [part(.text(String(characters[start..<end])))])
    }
  }

  mutating func comparableKind() -> FormatTree.Kind {
    pick([.number, .integer, .text, .number, .text, .date, .uuid, .data, .uri]) ?? .number
  }

  private mutating func between() -> FormatTree? {
    let kind = pick([FormatTree.Kind.number, .integer, .text, .date]) ?? .number
    guard let left = value(kind, mustRead: true) else { return nil }
    return FormatTree(.condition, [.tree(left), .text(" BETWEEN "), bounds(kind)])
  }

  mutating func bounds(_ kind: FormatTree.Kind) -> FormatTree.Part {
    if chance(1, in: 4) {
      return .argument(
        .values([.value(sampleValue(kind)), .value(sampleValue(kind))], asSet: false))
    }
    let bounds = (0..<2).map { _ in
      chance(1, in: 4) ? value(kind) ?? constant(kind) : constant(kind)
    }
    return .tree(
      FormatTree(
        .fixed,
        [.text("{"), .tree(bounds[0]), .text(", "), .tree(bounds[1]), .text("}")]))
  }

  /// Returns a comparison with IN or CONTAINS: lists of constants and values of the row, arrays and sets, text in
  /// text, the values of a relationship's members.
  private mutating func membership() -> FormatTree? {
    let kind = comparableKind()
    guard let left = value(kind, mustRead: true) else { return nil }
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where kind == .text:
      guard let container = value(.text) else { return nil }
      return FormatTree(
        .condition, [.tree(left), .text(" IN"), .option(options()), .text(" "), .tree(container)])
    case 1, 2:
      guard let (collection, _) = memberValues(kind) else { return nil }
      return chance(1, in: 3)
        ? FormatTree(.condition, [.tree(collection), .text(" CONTAINS "), .tree(left)])
        : FormatTree(.condition, [.tree(left), .text(" IN "), .tree(collection)])
    default:
      let option: FormatTree.Part = kind == .text ? .option(options()) : .text("")
      let list = list(kind)
      return FormatTree(
        .condition, [.tree(left), .text(" IN"), option, .text(" "), list])
    }
  }

  /// Returns a list, `{1, 2, age}`, or an array or set as an argument.
  mutating func list(_ kind: FormatTree.Kind) -> FormatTree.Part {
    let count = Int.random(in: chance(1, in: 10) ? 0...0 : 1...4, using: &random)
    if chance(1, in: 3), count > 0 {
      let values = (0..<count).map { _ in
        var value = FormatArgument.value(sampleValue(kind))
        if chance(1, in: 20) { value = .value(.null) }
        return value
      }
      return .argument(.values(values, asSet: chance(1, in: 3)))
    }
    let members = (0..<count).map { _ -> FormatTree in
      if chance(1, in: 15) { return FormatTree(kind, "nil") }
      return chance(1, in: 5) ? value(kind) ?? constant(kind) : constant(kind)
    }
    return .tree(
      FormatTree(
        .fixed, [.text("{"), .list(members, separator: ", ", least: 0), .text("}")]))
  }

  /// Returns `x == nil` or `x != nil`, with nil on either side.
  private mutating func nothing() -> FormatTree? {
    let side: FormatTree? =
      chance(1, in: 3) ? objectValue() : value(comparableKind(), mustRead: true)
    guard let side else { return nil }
    let sign = word(" == ", " != ")
    let null = FormatTree.Part.text(word("nil", "NULL", "NIL", "nil"))
    return FormatTree(
      .condition,
      chance(1, in: 6) ? [null, .text(sign), .tree(side)] : [.tree(side), .text(sign), null])
  }

  // MARK: Objects

  /// Returns a comparison of objects: with each other, with objects and IDs, in lists and relationships.
  private mutating func objects() -> FormatTree? {
    guard let left = objectValue(), case .object(let entity) = left.kind else { return nil }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      return FormatTree(
        .condition,
        [.tree(left), .text(" \(orderSign(isEquality: true)) "), .tree(object(of: entity))])
    case 2:
      guard let right = objectValue(relatedTo: entity) else { return nil }
      return FormatTree(
        .condition, [.tree(left), .text(" \(orderSign(isEquality: true)) "), .tree(right)])
    case 3:
      let members = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        chance(1, in: 4) ? objectValue(relatedTo: entity) ?? object(of: entity) : object(of: entity)
      }
      return FormatTree(
        .condition,
        [.tree(left), .text(" IN {"), .list(members, separator: ", ", least: 0), .text("}")])
    case 4:
      let relation = relatedMembers(entity)
      guard let relation else { return nil }
      return chance(1, in: 2)
        ? FormatTree(.condition, [.tree(left), .text(" IN "), .tree(relation.tree)])
        : FormatTree(.condition, [.tree(relation.tree), .text(" CONTAINS "), .tree(left)])
    default:
      guard scopes.count < 4, let relation = relatedMembers(entity) else { return nil }
      return FormatTree(
        .condition, [.tree(left), .text(" IN "), .tree(subquery(relation.tree, relation.entity))])
    }
  }

  private mutating func relatedMembers(
    _ entity: String
  ) -> (tree: FormatTree, entity: String, isOrdered: Bool)? {
    let paths = paths
    return members { path in
      if case .members(let other) = path.kind { paths.related(other, entity) } else { false }
    }
  }
}
