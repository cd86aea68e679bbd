import SwiftParser
import SwiftSyntax

/// A Swift source in the form that builds on Apple's platforms and beyond them.
package struct PortedSource: Equatable {
  /// A place of a source, and what is to be said of it; lines and columns count from 1.
  package struct Remark: Equatable {
    package let line: Int
    package let column: Int
    package let text: String
  }

  /// The source with what could be rewritten.
  package let text: String
  /// What was rewritten, in the order of its places in the source as it was.
  package let changes: [Remark]
  /// What somebody has to rewrite by hand, and how, with its places in the source as it was.
  package let obstacles: [Remark]
  /// The same, with its places in ``text``.
  package let remainingObstacles: [Remark]

  /// Rewrites a source; what only Apple's platforms compile is left as it is, and so is a source with mistakes.
  ///
  /// Rewriting what was rewritten changes nothing.
  ///
  /// - Parameter classes: what is known of the program's classes; nil for those of the source alone.
  package init(_ source: String, among classes: ManagedClasses? = nil) {
    let tree = Parser.parse(source: source)
    if let mistake = SyntaxMistake.first(in: tree) {
      let place = SourceLayout(tree).place(of: mistake.place)
      let remark = Remark(
        line: place.line, column: place.column,
        text: "\(mistake.text), so the file is left as it is")
      (text, changes, obstacles, remainingObstacles) = (source, [], [remark], [remark])
      return
    }
    let classes = classes ?? ManagedClasses(of: [source])
    let survey = SourcePorter(tree, among: classes)
    changes = survey.changes.inOrder
    obstacles = survey.obstacles.inOrder
    if changes.isEmpty {
      (text, remainingObstacles) = (source, obstacles)
      return
    }
    text = Self.withLinesAsBefore(source) { source in
      let moved = MovedMembers.applied(to: source, among: classes)
      let doubled = DoubledStatements.applied(to: moved)
      return SourcePorter(Parser.parse(source: doubled), among: classes).edits.applied(to: doubled)
    }
    remainingObstacles =
      SourcePorter(Parser.parse(source: text), among: classes).obstacles.inOrder
  }

  /// A source whose lines all end as Windows' do keeps that.
  private static func withLinesAsBefore(_ source: String, _ change: (String) -> String) -> String {
    let ends = source.filter(\.isNewline)
    guard ends.first == "\r\n", ends.allSatisfy({ $0 == "\r\n" }) else { return change(source) }
    return change(source.replacing("\r\n", with: "\n")).replacing("\n", with: "\r\n")
  }
}

extension [PortedSource.Remark] {
  fileprivate var inOrder: Self { sorted { ($0.line, $0.column) < ($1.line, $1.column) } }
}
