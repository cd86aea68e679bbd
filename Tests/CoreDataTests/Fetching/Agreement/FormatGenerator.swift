import CoreData
import FixtureSupport

/// Generates random predicates of the whole language, well typed for an entity.
///
/// Like a program's predicates, the generated ones can be true for one row and false for another, because constants
/// come from the rows, and one side of each comparison reads the row.
struct FormatGenerator {
  /// The start of key paths: the evaluated object, or a variable of a subquery.
  struct Scope {
    let prefix: String
    let variable: String?
    let entity: String
  }

  var random: SeededGenerator
  let paths: ModelPaths
  /// The rows that constants come from.
  let rows: [Int: SampleRow]
  private let rowNumbers: [Int]
  var scopes: [Scope]
  /// The number of further levels that the tree may have.
  var depth = 4
  private var variableCount = 0

  init(_ entity: String, _ paths: ModelPaths, _ rows: [Int: SampleRow], _ random: SeededGenerator) {
    self.random = random
    self.paths = paths
    self.rows = rows
    rowNumbers = rows.keys.sorted()
    scopes = [Scope(prefix: "", variable: nil, entity: entity)]
  }

  // MARK: Chance

  mutating func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &random)
  }

  mutating func word(_ words: String...) -> String { words.randomElement(using: &random) ?? "" }

  /// Runs `body` one level deeper in the tree.
  mutating func deeper<Result>(_ body: (inout FormatGenerator) -> Result) -> Result {
    depth -= 1
    defer { depth += 1 }
    return body(&self)
  }

  // MARK: Key paths

  /// Returns a scope for a key path, mostly the innermost one.
  mutating func scope() -> Scope {
    chance(3, in: 4) ? scopes[scopes.count - 1] : (pick(scopes) ?? scopes[0])
  }

  /// Returns one of some paths, preferably a short one.
  mutating func short(_ paths: [EntityPaths.Path]) -> EntityPaths.Path? {
    guard let one = pick(paths), let other = pick(paths) else { return nil }
    return one.keys.count { $0 == "." } <= other.keys.count { $0 == "." } ? one : other
  }

  mutating func tree(_ scope: Scope, _ keys: String, _ kind: FormatTree.Kind) -> FormatTree {
    if case .members = kind, scope.variable == nil {
      // More keys follow, so `%K` cannot be used.
      return FormatTree(kind, (chance(1, in: 10) ? "SELF." : "") + Self.escaped(keys))
    }
    if scope.variable != nil {
      return FormatTree(kind, "\(scope.prefix)\(keys)").reading(scope.variable)
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return FormatTree(kind, [.argument(.keyPath(keys))])
    case 1: return FormatTree(kind, "SELF.\(keys)")
    default: return FormatTree(kind, Self.escaped(keys))
    }
  }

  /// Returns a key path as written in a format, where a leading reserved word is escaped by a number sign.
  static func escaped(_ keys: String) -> String { NSExpression(forKeyPath: keys).description }

  /// Returns a key path to a value of a kind, or nil if there is none.
  mutating func path(_ kind: FormatTree.Kind) -> FormatTree? {
    let scope = scope()
    guard let all = paths.paths(of: scope.entity) else { return nil }
    var candidates = all.values[kind] ?? []
    if kind == .number { candidates += all.values[.integer] ?? [] }
    guard let path = short(candidates) else { return nil }
    return tree(scope, path.keys, path.kind)
  }

  /// Returns a key path of to-one steps and one to-many step, and the entity of its members.
  mutating func members(
    _ wanted: (EntityPaths.Path) -> Bool = { _ in true }
  ) -> (tree: FormatTree, entity: String, isOrdered: Bool)? {
    let scope = scope()
    guard let all = paths.paths(of: scope.entity), let path = short(all.members.filter(wanted)),
      case .members(let entity) = path.kind
    else { return nil }
    return (tree(scope, path.keys, path.kind), entity, path.isOrdered)
  }

  /// Generates a tree with a subquery's variable in scope.
  mutating func withVariable(
    of entity: String, _ body: (inout FormatGenerator) -> FormatTree
  ) -> (name: String, tree: FormatTree) {
    variableCount += 1
    // Sometimes an inner variable shadows an outer one.
    let name = chance(1, in: 8) ? "x" : "x\(variableCount)"
    let outer = scopes
    scopes.removeAll { $0.variable == name }
    scopes.append(Scope(prefix: "$\(name).", variable: name, entity: entity))
    defer { scopes = outer }
    return (name, deeper(body))
  }

  // MARK: Constants

  /// Returns a constant of a kind, often a value of some row.
  mutating func constant(_ kind: FormatTree.Kind) -> FormatTree {
    if case .object(let entity) = kind { return object(of: entity) }
    let value = sampleValue(kind)
    return FormatTree(kind, [part(value)])
  }

  mutating func part(_ value: SampleValue) -> FormatTree.Part {
    if let literal = value.literal, !chance(1, in: 4) { return .text(literal) }
    return .argument(.value(value))
  }

  mutating func sampleValue(_ kind: FormatTree.Kind) -> SampleValue {
    if chance(1, in: 2), let row = pick(rowNumbers).flatMap({ rows[$0] }) {
      let values = row.values.sorted { $0.key < $1.key }.map(\.value)
        .filter { !$0.isNull && $0.fits(kind) }
      if let value = pick(values) { return value }
    }
    return SampleValues.constant(of: kind, &random)
  }

  /// Returns an object of the rows, of an entity or a related one.
  mutating func object(of entity: String) -> FormatTree {
    let candidates = rowNumbers.filter { paths.related(rows[$0]?.entity ?? "", entity) }
    guard let row = pick(candidates) else { return FormatTree(.object(entity), "nil") }
    return FormatTree(.object(entity), [.argument(.object(row, asID: chance(1, in: 3)))])
  }
}

extension SampleValue {
  /// Returns whether the value can be compared with values of a kind.
  func fits(_ kind: FormatTree.Kind) -> Bool {
    switch (self, kind) {
    case (.integer, .integer), (.boolean, .integer): true
    case (.integer, .number), (.boolean, .number), (.double, .number), (.float, .number),
      (.decimal, .number):
      true
    case (.text, .text), (.date, .date), (.data, .data), (.uuid, .uuid), (.uri, .uri): true
    default: false
    }
  }
}
