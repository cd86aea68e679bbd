import CoreData

extension FormatGenerator {
  /// Returns a key path to values of one kind, through one or two to-many steps: `players.team.name`.
  mutating func memberValues(_ kind: FormatTree.Kind) -> (tree: FormatTree, entity: String)? {
    guard let (collection, entity, _) = members(), var all = paths.paths(of: entity) else {
      return nil
    }
    var prefix = "."
    if chance(1, in: 4), let second = short(all.members), case .members(let name) = second.kind,
      let further = paths.paths(of: name)
    {
      prefix += second.keys + "."
      all = further
    }
    var candidates = all.values[kind] ?? []
    if kind == .number { candidates += all.values[.integer] ?? [] }
    guard let path = short(candidates) else { return nil }
    // Foundation does not flatten nested collections. `makingNil` excludes the predicate from the comparison with
    // Foundation.
    let tree = FormatTree(.fixed, [.tree(collection), .text(prefix + path.keys)]).makingNil
    return (tree, entity)
  }

  /// Returns a key path to objects, through one or two to-many steps, or one to-many step and to-one steps after it.
  private mutating func memberObjects() -> (tree: FormatTree, entity: String)? {
    guard let (collection, entity, _) = members(), let all = paths.paths(of: entity) else {
      return nil
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      guard let next = short(all.members), case .members(let name) = next.kind else { return nil }
      return (FormatTree(.fixed, [.tree(collection), .text(".\(next.keys)")]), name)
    case 1:
      guard let next = short(all.objects), case .object(let name) = next.kind else { return nil }
      return (FormatTree(.fixed, [.tree(collection), .text(".\(next.keys)")]), name)
    default: return (FormatTree(.fixed, [.tree(collection)]), entity)
    }
  }

  /// Returns a comparison with ANY, SOME, ALL or NONE.
  mutating func quantified() -> FormatTree? {
    let quantifier = FormatTree.Part.text(word("ANY ", "SOME ", "ALL ", "NONE ", "any ", "ANY "))
    if chance(1, in: 4) {
      guard let (objects, entity) = memberObjects() else { return nil }
      let right: [FormatTree.Part] =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: [.text(word(" == ", " != ")), .text("nil")]
        case 1:
          [
            .text(" IN {"),
            .list(
              (0..<2).map { _ in object(of: entity) }, separator: ", ", least: 0), .text("}"),
          ]
        default:
          [
            .text(word(" == ", " != ")),
            .tree(
              chance(1, in: 3)
                ? objectValue(relatedTo: entity) ?? object(of: entity)
                : object(of: entity)),
          ]
        }
      return FormatTree(.condition, [quantifier, .tree(objects)] + right)
    }
    let kind = comparableKind()
    guard let (left, _) = memberValues(kind) else { return nil }
    let option: FormatTree.Part = kind == .text ? .option(options()) : .text("")
    let right: [FormatTree.Part]
    switch Int.random(in: 0..<8, using: &random) {
    case 0: right = [.text(" IN"), option, .text(" "), list(kind)]
    case 1 where kind != .data && kind != .uuid && kind != .uri:
      right = [.text(" BETWEEN "), bounds(kind)]
    case 2: right = [.text(word(" == ", " != ")), .text("nil")]
    case 3 where kind == .text, 4 where kind == .text:
      let sign = textSign()
      right = [.text(" \(sign)"), option, .text(" "), .tree(pattern(sign))]
    default:
      let sign = orderSign()
      right = [
        .text(" \(sign)"), option, .text(" "),
        .tree(chance(1, in: 4) ? value(kind) ?? constant(kind) : constant(kind)),
      ]
    }
    return FormatTree(.condition, [quantifier, .tree(left)] + right)
  }

  /// Returns a comparison of a count: `players.@count > 2`.
  mutating func counted() -> FormatTree? {
    guard let (collection, _, _) = members() else { return nil }
    return FormatTree(
      .condition,
      [
        .tree(FormatTree(.integer, [.tree(collection), .text(".@count")])),
        .text(" \(orderSign()) "),
        .text(word("0", "0", "1", "2", "3", "1.5")),
      ])
  }

  /// Returns a comparison of a subquery's count: `SUBQUERY(players, $x, …).@count > 0`.
  mutating func subqueryCounted() -> FormatTree? {
    guard scopes.count < 4, let (collection, entity, _) = members() else { return nil }
    let count = FormatTree(
      .integer, [.tree(subquery(collection, entity)), .text(".@count")])
    return FormatTree(
      .condition,
      [.tree(count), .text(" \(orderSign()) "), .text(word("0", "0", "1", "2"))])
  }

  mutating func subquery(_ collection: FormatTree, _ entity: String) -> FormatTree {
    // Each nested subquery multiplies the number of evaluations.
    let outer = depth
    defer { depth = outer }
    if scopes.count > 2 { depth = 0 }
    let (name, condition) = withVariable(of: entity) { $0.condition() }
    let inside = FormatTree(.fixed, [.tree(condition)]).binding(name)
    return FormatTree(
      .members(entity),
      [.text("SUBQUERY("), .tree(collection), .text(", $\(name), "), .tree(inside), .text(")")])
  }

  /// Returns a number computed from a collection: a count, a sum, an average, an extreme.
  mutating func collectionNumber(_ kind: FormatTree.Kind) -> FormatTree? {
    guard let (collection, entity, _) = members(), let all = paths.paths(of: entity) else {
      return nil
    }
    let choice = Int.random(in: 0..<8, using: &random)
    if choice == 0 { return FormatTree(.integer, [.tree(collection), .text(".@count")]) }
    if choice == 1, scopes.count < 4 {
      return FormatTree(.integer, [.tree(subquery(collection, entity)), .text(".@count")])
    }
    guard kind == .number else { return nil }
    let candidates = (all.values[.number] ?? []) + (all.values[.integer] ?? [])
    guard let path = short(candidates) else { return nil }
    switch choice {
    case 2:
      let function = word("sum", "max", "min", "average", "count", "median", "stddev")
      return FormatTree(
        .number, [.text("\(function):("), .tree(collection), .text(".\(path.keys))")]
      ).makingNil
    case 3 where scopes.count < 4:
      let name = word("sum", "max", "min", "avg")
      return FormatTree(
        .number, [.tree(subquery(collection, entity)), .text(".@\(name).\(path.keys)")]
      ).makingNil
    default:
      let name = word("sum", "max", "min", "avg")
      return FormatTree(
        .number, [.tree(collection), .text(".@\(name).\(path.keys)")]
      ).makingNil
    }
  }

  /// Returns the minimum or maximum of a collection's strings, dates or other values.
  mutating func extreme(_ kind: FormatTree.Kind) -> FormatTree? {
    guard let (collection, entity, _) = members(),
      let path = short(paths.paths(of: entity)?.values[kind] ?? [])
    else { return nil }
    return FormatTree(
      kind, [.tree(collection), .text(".@\(word("min", "max")).\(path.keys)")]
    ).makingNil
  }

  /// Returns a member of an ordered relationship: `jobs[0]`.
  mutating func indexed() -> (tree: FormatTree, entity: String)? {
    guard let (collection, entity, _) = members(\.isOrdered) else { return nil }
    let base: [FormatTree.Part] =
      collection.format.text.contains(".") || collection.format.text.contains("%")
      ? [.text("("), .tree(collection), .text(")")] : [.tree(collection)]
    let index: FormatTree.Part =
      chance(1, in: 20)
      ? path(.integer).map(FormatTree.Part.tree) ?? .text("0")
      : .text(word("0", "0", "1", "FIRST", "LAST", "2", "first"))
    return (
      FormatTree(.object(entity), base + [.text("["), index, .text("]")]).makingNil, entity
    )
  }
}
