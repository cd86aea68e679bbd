import Foundation

/// A predicate, or a part of one, as a tree that prints its format.
///
/// The tests do not use the library's own predicate classes for this, because the library's parser must be tested, too.
/// Every node has its kind and its variables, so that one part can replace another when a failing case is shrunk.
struct FormatTree: Sendable {
  enum Kind: Hashable, Sendable {
    case condition, number, integer, text, date, data, uuid, uri
    /// One object of the entity.
    case object(String)
    /// Many objects of the entity.
    case members(String)
    /// A part that nothing else can replace: a key path behind ANY, a list.
    case fixed
  }

  enum Part: Sendable {
    case text(String)
    /// Text that can be omitted, such as `[cd]` or `NOT `.
    case option(String)
    case tree(FormatTree)
    case argument(FormatArgument)
    /// Members, some of which can be omitted.
    case list([FormatTree], separator: String, least: Int)
  }

  let kind: Kind
  var parts: [Part]
  /// The variable that the node reads.
  var variable: String?
  /// The variable that the node binds for its children.
  var binding: String?
  /// Whether the node's value can be nil although no value that the node reads is nil, as with a division.
  var makesNil = false

  init(_ kind: Kind, _ parts: [Part]) {
    self.kind = kind
    self.parts = parts
  }

  init(_ kind: Kind, _ text: String) { self.init(kind, [.text(text)]) }

  /// Returns the node with the variable that it reads.
  func reading(_ variable: String?) -> FormatTree {
    var tree = self
    tree.variable = variable
    return tree
  }

  func binding(_ variable: String) -> FormatTree {
    var tree = self
    tree.binding = variable
    return tree
  }

  var makingNil: FormatTree {
    var tree = self
    tree.makesNil = true
    return tree
  }
}

extension FormatTree {
  /// The format and its arguments.
  var format: (text: String, arguments: [FormatArgument]) {
    var text = ""
    var arguments: [FormatArgument] = []
    write(to: &text, &arguments)
    return (text, arguments)
  }

  private func write(to text: inout String, _ arguments: inout [FormatArgument]) {
    for part in parts {
      switch part {
      case .text(let piece), .option(let piece): text += piece
      case .tree(let tree): tree.write(to: &text, &arguments)
      case .argument(let argument):
        text += argument.placeholder
        arguments.append(argument)
      case .list(let trees, let separator, _):
        for (index, tree) in trees.enumerated() {
          if index > 0 { text += separator }
          tree.write(to: &text, &arguments)
        }
      }
    }
  }

  /// The variables that are not bound inside the node.
  var freeVariables: Set<String> {
    var names: Set<String> = variable.map { [$0] } ?? []
    for tree in children { names.formUnion(tree.freeVariables) }
    if let binding { names.remove(binding) }
    return names
  }

  var children: [FormatTree] {
    parts.flatMap { part -> [FormatTree] in
      switch part {
      case .tree(let tree): [tree]
      case .list(let trees, _, _): trees
      default: []
      }
    }
  }

  var descendants: [FormatTree] { children.flatMap { [$0] + $0.descendants } }

  /// Whether some part can be nil although no property that is read is nil.
  var canMakeNil: Bool { makesNil || children.contains(where: \.canMakeNil) }

  /// The length, which decides which of two failing cases is shorter.
  var size: Int {
    let (text, arguments) = format
    return text.utf8.count + arguments.reduce(0) { $0 + $1.description.utf8.count }
  }
}

/// A value for `%@`, or a key path for `%K`.
enum FormatArgument: Sendable, CustomStringConvertible {
  case value(SampleValue)
  case keyPath(String)
  /// The object of a row, or its ID.
  case object(Int, asID: Bool)
  case values([FormatArgument], asSet: Bool)

  var placeholder: String { if case .keyPath = self { "%K" } else { "%@" } }

  var description: String {
    switch self {
    case .value(let value): value.description
    case .keyPath(let path): path
    case .object(let row, let asID): "\(asID ? "ID of" : "object of") row \(row)"
    case .values(let values, let asSet):
      "\(asSet ? "Set" : "")[\(values.map(\.description).joined(separator: ", "))]"
    }
  }
}
