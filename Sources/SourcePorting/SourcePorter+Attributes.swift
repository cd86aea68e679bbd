import SwiftSyntax

extension SourcePorter {
  /// Puts attributes that need Objective-C between `#if canImport(ObjectiveC)` and `#endif`, on separate lines, as
  /// conditions require. In code that Apple's platforms do not compile, removes the attributes.
  func portAttributes(_ list: AttributeListSyntax) {
    var run: [AttributeSyntax] = []
    for element in list {
      guard element.needsObjectiveC, case .attribute(let attribute) = element else {
        port(run)
        run = []
        continue
      }
      // Comments stay in place, so attributes with a comment between them are not combined.
      if let last = run.last, last.trailingTrivia.hasComment || attribute.leadingTrivia.hasComment {
        port(run)
        run = []
      }
      run.append(attribute)
    }
    port(run)
  }

  /// - Parameter run: Consecutive attributes.
  private func port(_ run: [AttributeSyntax]) {
    guard let first = run.first, let last = run.last else { return }
    if !isApplesToo {
      remove(first, last)
    } else if first.parent?.parent?.is(AccessorDeclSyntax.self) != true {
      wrap(run, first, last)
    } else if !doubledStatements.contain(first) {
      return report(first, Advice.attributeOfAccessor)
    }
    let names = run.map(\.trimmedDescription).joined(separator: " ")
    noteChange(
      at: first.positionAfterSkippingLeadingTrivia, "\(names) needs Objective-C")
  }

  private func wrap(_ run: [AttributeSyntax], _ first: AttributeSyntax, _ last: AttributeSyntax) {
    let indent = layout.indent(of: first)
    edits.beginLine(with: first, in: layout)
    edits.insert(
      "#if canImport(ObjectiveC)\n\(indent)", before: first.positionAfterSkippingLeadingTrivia)
    for attribute in run.dropLast() { edits.endLine(after: attribute, in: layout) }
    edits.insert("\n\(indent)#endif", after: last.endPositionBeforeTrailingTrivia)
    edits.endLine(after: last, in: layout)
  }

  private func remove(_ first: AttributeSyntax, _ last: AttributeSyntax) {
    var end = last.endPositionBeforeTrailingTrivia
    if let next = last.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate),
      !last.trailingTrivia.hasComment, !next.leadingTrivia.hasComment
    {
      end = next.positionAfterSkippingLeadingTrivia
    }
    edits.replace(first.positionAfterSkippingLeadingTrivia..<end, with: "")
  }
}

extension Trivia {
  var hasComment: Bool {
    contains { $0.comment != nil }
  }
}
