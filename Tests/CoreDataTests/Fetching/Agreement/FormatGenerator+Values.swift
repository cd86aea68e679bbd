import CoreData

extension FormatGenerator {
  /// Returns a value of a kind, or nil if the entity has none.
  ///
  /// - Parameter mustRead: Whether the value must read the row, and may not be a constant.
  mutating func value(_ kind: FormatTree.Kind, mustRead: Bool = false) -> FormatTree? {
    if depth > 0, chance(1, in: 3), let made = deeper({ $0.computed(kind) }) { return made }
    if !mustRead, chance(1, in: 5) { return constant(kind) }
    if let path = path(kind) { return path }
    // The entity has no attribute of this kind, so the value must be computed, unless the expression is already nested
    // as deeply as SQLite's parser allows.
    guard depth > 0 else { return nil }
    return deeper { $0.computed(kind) }
  }

  /// Returns a computed value.
  private mutating func computed(_ kind: FormatTree.Kind) -> FormatTree? {
    if chance(1, in: 8) { return conditional(kind) }
    if chance(1, in: 8) { return indexedValue(kind) }
    switch kind {
    case .number: return number()
    case .integer: return integer()
    case .text: return madeText()
    case .date: return date()
    default: return chance(1, in: 2) ? extreme(kind) : nil
    }
  }

  private mutating func conditional(_ kind: FormatTree.Kind) -> FormatTree? {
    let condition = deeper { $0.comparison() }
    guard let first = value(kind) else { return nil }
    let second = chance(1, in: 8) ? FormatTree(kind, "nil") : (value(kind) ?? constant(kind))
    return FormatTree(
      kind,
      [
        .text("TERNARY("), .tree(condition), .text(", "), .tree(first), .text(", "),
        .tree(second), .text(")"),
      ])
  }

  private mutating func indexedValue(_ kind: FormatTree.Kind) -> FormatTree? {
    guard let (element, entity) = indexed(),
      let path = short(paths.paths(of: entity)?.values[kind] ?? [])
    else { return nil }
    return FormatTree(kind, [.tree(element), .text(".\(path.keys)")])
  }

  // MARK: Numbers

  private mutating func number() -> FormatTree? {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: return collectionNumber(.number)
    case 2, 3, 4:
      guard let left = value(.number, mustRead: true), let right = value(.number) else {
        return nil
      }
      return binary(word("+", "-", "*", "+", "/", "**"), left, right, .number)
    case 5:
      guard let argument = value(.number, mustRead: true) else { return nil }
      let function = word("sqrt", "ln", "log", "exp", "abs", "floor", "ceiling", "trunc")
      return call("\(function):", [argument], .number).makingNil
    case 6:
      guard let argument = value(.number, mustRead: true) else { return nil }
      return FormatTree(.number, [.text("-("), .tree(argument), .text(")")])
    case 7: return cast(.number)
    case 8:
      guard let left = value(.integer, mustRead: true), let right = value(.integer) else {
        return nil
      }
      return call("modulus:by:", [left, right], .number).makingNil
    case 9:
      guard let argument = value(.number, mustRead: true) else { return nil }
      return call("noindex:", [argument], .number)
    default: return integer()
    }
  }

  private mutating func integer() -> FormatTree? {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return collectionNumber(.integer)
    case 2:
      // The length as a key, or as a function.
      guard let text = path(.text), !text.format.text.hasPrefix("%") else { return nil }
      return chance(1, in: 2)
        ? FormatTree(.integer, [.tree(text), .text(".length")])
        : call("length:", [text], .integer)
    case 3:
      guard let text = value(.text, mustRead: true) else { return nil }
      return call("length:", [text], .integer)
    case 4:
      guard let left = path(.integer), let right = path(.integer) else { return nil }
      let sign = word("&", "|", "^", "<<", ">>")
      let amount = FormatTree(.integer, word("1", "3", "8", "0", "63"))
      return binary(sign, left, sign.count == 2 || chance(1, in: 2) ? amount : right, .integer)
    case 5:
      guard let argument = path(.integer) else { return nil }
      return call("onesComplement:", [argument], .integer)
    case 6:
      guard let (collection, _, _) = members(\.isOrdered),
        collection.format.text.contains(".") == false,
        collection.format.text.contains("%") == false
      else { return nil }
      return FormatTree(.integer, [.tree(collection), .text("[SIZE]")])
    default: return nil
    }
  }

  /// Returns an operation on two numbers, in parentheses.
  private func binary(
    _ sign: String, _ left: FormatTree, _ right: FormatTree, _ kind: FormatTree.Kind
  ) -> FormatTree {
    let tree = FormatTree(
      kind, [.text("("), .tree(left), .text(" \(sign) "), .tree(right), .text(")")])
    return tree.makingNil
  }

  private func call(
    _ name: String, _ arguments: [FormatTree], _ kind: FormatTree.Kind
  ) -> FormatTree {
    FormatTree(
      kind,
      [
        .text("\(name)("), .list(arguments, separator: ", ", least: arguments.count), .text(")"),
      ])
  }

  private mutating func cast(_ kind: FormatTree.Kind) -> FormatTree? {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      guard let date = value(.date, mustRead: true) else { return nil }
      return FormatTree(.number, [.text("CAST("), .tree(date), .text(", \"NSNumber\")")])
    case 1:
      guard let number = value(.number, mustRead: true) else { return nil }
      return FormatTree(
        .number, [.text("CAST("), .tree(number), .text(", \"NSDecimalNumber\")")]
      ).makingNil
    default:
      guard let number = value(.number, mustRead: true) else { return nil }
      return FormatTree(.number, [.text("CAST("), .tree(number), .text(", \"NSNumber\")")])
    }
  }

  // MARK: Text and dates

  private mutating func madeText() -> FormatTree? {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2:
      guard let text = value(.text, mustRead: true) else { return nil }
      return call(word("uppercase:", "lowercase:", "canonical:"), [text], .text)
    case 3: return extreme(.text)
    case 4:
      guard let number = value(.number, mustRead: true) else { return nil }
      return FormatTree(.text, [.text("CAST("), .tree(number), .text(", \"NSString\")")])
    case 5:
      let kind = pick([FormatTree.Kind.uuid, .uri, .text]) ?? .text
      guard let value = value(kind, mustRead: true) else { return nil }
      return FormatTree(.text, [.text("CAST("), .tree(value), .text(", \"NSString\")")])
    case 6:
      guard let text = value(.text, mustRead: true) else { return nil }
      return FormatTree(
        .text,
        [
          .text("FUNCTION("), .tree(text), .text(", \"stringByAppendingString:\", "),
          .tree(value(.text) ?? constant(.text)), .text(")"),
        ])
    default:
      guard let text = path(.text) else { return nil }
      return FormatTree(
        .text,
        [
          .text("FUNCTION("), .tree(text),
          .text(", \"\(word("uppercaseString", "lowercaseString"))\")"),
        ])
    }
  }

  private mutating func date() -> FormatTree? {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return extreme(.date)
    case 1:
      guard let number = value(.number, mustRead: true) else { return nil }
      return FormatTree(.date, [.text("CAST("), .tree(number), .text(", \"NSDate\")")])
    default:
      guard let date = value(.date, mustRead: true) else { return nil }
      return FormatTree(
        .date,
        [
          .text("FUNCTION("), .tree(date), .text(", \"dateByAddingTimeInterval:\", "),
          .tree(value(.number) ?? constant(.number)), .text(")"),
        ])
    }
  }

  // MARK: Objects

  /// Returns a to-one relationship, the object itself or a member of an ordered relationship.
  mutating func objectValue(relatedTo entity: String? = nil) -> FormatTree? {
    if chance(1, in: 8), let (element, own) = indexed() {
      if entity.map({ paths.related($0, own) }) ?? true { return element }
    }
    let scope = scope()
    var candidates = paths.paths(of: scope.entity)?.objects ?? []
    if let entity {
      let paths = paths
      candidates = candidates.filter {
        if case .object(let own) = $0.kind { paths.related(own, entity) } else { false }
      }
    }
    let isSelf = entity.map { paths.related($0, scope.entity) } ?? true
    if isSelf, candidates.isEmpty || chance(1, in: 4) {
      let text = scope.variable.map { "$\($0)" } ?? word("SELF", "self", "SELF")
      return FormatTree(.object(scope.entity), text).reading(scope.variable)
    }
    guard let path = short(candidates) else { return nil }
    return tree(scope, path.keys, path.kind)
  }
}
