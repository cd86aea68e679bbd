import SwiftSyntax

extension SourcePorter {
  /// Attributes that are errors without Objective-C; others that sound like it, such as `@nonobjc`, are not.
  private static let wrapped: Set<String> = ["objc", "objcMembers", "IBOutlet"]

  /// Puts the attributes that need Objective-C between `#if canImport(ObjectiveC)` and `#endif`, each on a
  /// line of its own, which is the only place where conditions may stand.
  func wrapAttributes(_ list: AttributeListSyntax) {
    var run: [AttributeSyntax] = []
    for element in list {
      guard case .attribute(let attribute) = element else {
        wrap(run)
        run = []
        continue
      }
      if Self.wrapped.contains(attribute.attributeName.trimmedDescription) {
        // Comments stay where they are, so what they stand between is not put together.
        if let last = run.last, last.trailingTrivia.hasComment || attribute.leadingTrivia.hasComment
        {
          wrap(run)
          run = []
        }
        run.append(attribute)
      } else {
        wrap(run)
        run = []
      }
    }
    wrap(run)
  }

  /// - Parameter run: attributes that follow each other.
  private func wrap(_ run: [AttributeSyntax]) {
    guard let first = run.first, let last = run.last else { return }
    let line = Line(of: first)
    let names = run.map(\.trimmedDescription)
    var text = line.isBegun ? "\n\(line.indent)" : ""
    text += "#if canImport(ObjectiveC)\n"
    for name in names { text += "\(line.indent)\(name)\n" }
    text += "\(line.indent)#endif"
    var end = last.endPositionBeforeTrailingTrivia
    if !last.isLastOfLine {
      text += "\n\(line.indent)"
      if !last.trailingTrivia.hasComment { end = last.endPosition }
    }
    replace(
      first.positionAfterSkippingLeadingTrivia..<end, with: text,
      "\(names.joined(separator: " ")) is there with Objective-C only")
  }

  /// The line in which a node begins.
  private struct Line {
    /// The spaces with which it begins.
    var indent = ""
    /// Whether something stands before the node.
    var isBegun = false

    init(of node: some SyntaxProtocol) {
      var text = ""
      var token = node.firstToken(viewMode: .sourceAccurate)
      text = token?.leadingTrivia.description ?? ""
      while !text.contains(where: \.isNewline),
        let previous = token?.previousToken(viewMode: .sourceAccurate)
      {
        text = previous.text + previous.trailingTrivia.description + text
        text = previous.leadingTrivia.description + text
        token = previous
      }
      let line =
        text.lastIndex(where: \.isNewline).map { text[text.index(after: $0)...] } ?? text[...]
      indent = String(line.prefix { $0 == " " || $0 == "\t" })
      isBegun = line.contains { $0 != " " && $0 != "\t" }
    }
  }
}

extension Trivia {
  fileprivate var hasComment: Bool {
    contains {
      switch $0 {
      case .lineComment, .blockComment, .docLineComment, .docBlockComment: true
      default: false
      }
    }
  }
}

extension SyntaxProtocol {
  /// Whether nothing but spaces and comments follows in the line.
  fileprivate var isLastOfLine: Bool {
    guard let last = lastToken(viewMode: .sourceAccurate),
      let next = last.nextToken(viewMode: .sourceAccurate)
    else { return true }
    return (last.trailingTrivia.description + next.leadingTrivia.description)
      .contains(where: \.isNewline)
  }
}
