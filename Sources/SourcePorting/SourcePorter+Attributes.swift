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
    let line = SourceLine(of: first)
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
