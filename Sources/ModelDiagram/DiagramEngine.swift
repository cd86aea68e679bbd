import Foundation

/// The engine that lays out the cards of a diagram.
package enum DiagramEngine: String, CaseIterable, Sendable {
  /// Graphviz if it is installed and succeeds in time, otherwise the built-in layout.
  case auto
  /// Graphviz's `dot`.
  case graphviz
  /// The layout of this module.
  case builtIn = "built-in"
}

extension DiagramLayout {
  /// Returns the layout of a diagram by an engine. The note explains why `auto` fell back to the built-in layout
  /// although Graphviz is installed.
  ///
  /// - Throws: ``GraphvizError``, or file system errors, if the engine is `graphviz`.
  package static func make(
    _ diagram: EntityDiagram, by engine: DiagramEngine
  ) throws -> (layout: DiagramLayout, note: String?) {
    switch engine {
    case .builtIn:
      return (builtIn(diagram), nil)
    case .graphviz:
      return (try graphviz(diagram), nil)
    case .auto:
      guard GraphvizProcess.program != nil else { return (builtIn(diagram), nil) }
      do {
        return (try graphviz(diagram), nil)
      } catch {
        // A picture of any layout is better than none, unless the user requires Graphviz.
        return (builtIn(diagram), error.localizedDescription)
      }
    }
  }
}
