import SwiftParser
import SwiftSyntax

/// A Swift source rewritten so that it builds on Apple's platforms and on others.
package struct PortedSource: Equatable {
  /// A remark about a location in a source; lines and columns count from 1.
  package struct Remark: Equatable {
    package let line: Int
    package let column: Int
    package let text: String
  }

  /// The rewritten source.
  package let text: String
  /// What was rewritten, in the order of the locations in the original source.
  package let changes: [Remark]
  /// What has to be rewritten by hand, and how, with locations in the original source.
  package let obstacles: [Remark]
  /// The same obstacles, with locations in ``text``.
  package let remainingObstacles: [Remark]

  /// Rewrites a source. Code that only Apple's platforms compile is not changed, nor is a source with a syntax error.
  ///
  /// Rewriting a rewritten source changes nothing.
  ///
  /// - Parameter classes: The program's classes; nil for those in the source alone.
  package init(_ source: String, among classes: ManagedClasses? = nil) {
    let tree = Parser.parse(source: source)
    if let error = SyntaxErrorFinder.first(in: tree) {
      let place = SourceLayout(tree).place(of: error.place)
      let remark = Remark(
        line: place.line, column: place.column,
        text: "\(error.text), so the file is not changed")
      (text, changes, obstacles, remainingObstacles) = (source, [], [remark], [remark])
      return
    }
    let classes = classes ?? ManagedClasses(of: [source])
    // This porter only finds the remarks, which have locations in the original source. The last step
    // below makes the edits.
    let survey = SourcePorter(tree, among: classes)
    changes = survey.changes.inOrder
    obstacles = survey.obstacles.inOrder
    if changes.isEmpty {
      (text, remainingObstacles) = (source, obstacles)
      return
    }
    text = Self.withLinesAsBefore(source) { source in
      // Each step changes the positions of the code, so the next one parses the text again.
      let moved = MovedMembers.applied(to: source, among: classes)
      let doubled = DoubledStatements.applied(to: moved)
      return SourcePorter(Parser.parse(source: doubled), among: classes).edits.applied(to: doubled)
    }
    remainingObstacles =
      SourcePorter(Parser.parse(source: text), among: classes).obstacles.inOrder
  }

  /// Preserves the line ends of a source in which all lines end in CR LF.
  private static func withLinesAsBefore(_ source: String, _ change: (String) -> String) -> String {
    // The edits insert plain line feeds.
    let ends = source.filter(\.isNewline)
    guard ends.first == "\r\n", ends.allSatisfy({ $0 == "\r\n" }) else { return change(source) }
    return change(source.replacing("\r\n", with: "\n")).replacing("\n", with: "\r\n")
  }
}

extension [PortedSource.Remark] {
  fileprivate var inOrder: Self { sorted { ($0.line, $0.column) < ($1.line, $1.column) } }
}
