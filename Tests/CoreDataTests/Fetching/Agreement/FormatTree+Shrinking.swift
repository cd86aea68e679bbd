extension FormatTree {
  /// The trees with one thing shortened, in the order in which to try them: a part of the same kind in place of the
  /// whole, a simple value in place of the whole, then the same inside each part.
  var shorter: [FormatTree] {
    var candidates: [FormatTree] = []
    let free = freeVariables
    if kind != .fixed {
      for tree in descendants
      where tree.fits(kind) && tree.freeVariables.isSubset(of: free) {
        candidates.append(tree)
      }
      for text in simpleTexts where children.count > 0 || format.text.utf8.count > text.utf8.count {
        candidates.append(FormatTree(kind, text))
      }
    }
    for (index, part) in parts.enumerated() {
      func replacing(_ part: Part) -> FormatTree {
        var tree = self
        tree.parts[index] = part
        return tree
      }
      switch part {
      case .option: candidates.append(replacing(.text("")))
      case .tree(let tree): candidates += tree.shorter.map { replacing(.tree($0)) }
      case .list(let trees, let separator, let least):
        if trees.count > least {
          for position in trees.indices {
            var fewer = trees
            fewer.remove(at: position)
            candidates.append(replacing(.list(fewer, separator: separator, least: least)))
          }
        }
        for (position, tree) in trees.enumerated() {
          for candidate in tree.shorter {
            var others = trees
            others[position] = candidate
            candidates.append(replacing(.list(others, separator: separator, least: least)))
          }
        }
      case .argument(.values(let values, let asSet)) where values.count > 1:
        for position in values.indices {
          var fewer = values
          fewer.remove(at: position)
          candidates.append(replacing(.argument(.values(fewer, asSet: asSet))))
        }
      case .text, .argument: break
      }
    }
    return candidates
  }

  private func fits(_ wanted: Kind) -> Bool {
    kind == wanted || (wanted == .number && kind == .integer)
  }

  private var simpleTexts: [String] {
    switch kind {
    case .condition: ["TRUEPREDICATE", "FALSEPREDICATE"]
    case .number, .integer: ["1"]
    case .text: ["\"a\""]
    default: []
    }
  }
}
