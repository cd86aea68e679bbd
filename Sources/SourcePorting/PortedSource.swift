import SwiftParser
import SwiftSyntax

/// A Swift source in the form that builds on Apple's platforms and beyond them.
package struct PortedSource: Equatable {
  /// A place of the source as it was, and what is to be said of it; lines and columns count from 1.
  package struct Remark: Equatable {
    package let line: Int
    package let column: Int
    package let text: String
  }

  /// The source with what could be rewritten.
  package let text: String
  /// What was rewritten, in order.
  package let changes: [Remark]
  /// What somebody has to rewrite by hand, and how, in order.
  package let obstacles: [Remark]

  /// Rewrites a source; what only Apple's platforms compile is left as it is.
  ///
  /// Rewriting what was rewritten changes nothing.
  package init(_ source: String) {
    let tree = Parser.parse(source: source)
    let porter = SourcePorter(tree)
    porter.walk(tree)
    var bytes = Array(source.utf8)
    for edit in porter.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: edit.replacement.utf8)
    }
    text = MovedOverrides.applied(to: String(decoding: bytes, as: UTF8.self))
    changes = porter.changes.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    obstacles = porter.obstacles
  }
}
