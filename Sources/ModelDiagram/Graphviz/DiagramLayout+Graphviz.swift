extension DiagramLayout {
  /// Returns the layout of a diagram by Graphviz's `dot`, which must be on the search path.
  ///
  /// - Parameters:
  ///   - diagram: The diagram to lay out.
  ///   - timeLimit: The number of seconds after which `dot` is terminated.
  /// - Throws: ``GraphvizError``, or file system errors.
  package static func graphviz(
    _ diagram: EntityDiagram, timeLimit: Double = 20
  ) throws -> DiagramLayout {
    guard GraphvizProcess.program != nil else { throw GraphvizError.notInstalled }
    let graph = CardGraph(diagram, shapes: diagram.cards.map(CardShape.init))
    let parts = graph.components()
    // A single card needs no columns, and the built-in layout draws its loops.
    let plans = parts.map { $0.graph.sizes.count > 1 ? GraphvizPlan($0.graph) : nil }
    // One run for all components, instead of starting the program for each.
    let text = plans.compactMap { $0?.text }.joined()
    let output =
      text.isEmpty
      ? "" : try GraphvizProcess.run(text, format: "plain", timeLimit: timeLimit)
    var graphs = try GraphvizOutput.graphs(in: output)[...]
    let placed = try zip(parts, plans).map { part, plan in
      guard let plan else { return LayeredLayout.place(part.graph) }
      guard let graph = graphs.popFirst() else { throw GraphvizError.unreadable }
      return try plan.placed(graph)
    }
    return DiagramLayout(diagram, graph, parts, placed: placed)
  }
}
