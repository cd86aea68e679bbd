import Foundation

/// What places the cards of a picture.
package enum DiagramEngine: String, CaseIterable, Sendable {
  /// Graphviz where it is installed and manages in time, else the layout of this module.
  case auto
  /// Graphviz's `dot`.
  case graphviz
  /// The layout of this module.
  case builtIn = "built-in"
}

extension DiagramLayout {
  /// The layout of a diagram by an engine, and why it is not Graphviz's although it could have been.
  ///
  /// - Throws: ``GraphvizError``, or the file system's errors, where Graphviz was asked for by name.
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
        return (builtIn(diagram), error.localizedDescription)
      }
    }
  }
}
