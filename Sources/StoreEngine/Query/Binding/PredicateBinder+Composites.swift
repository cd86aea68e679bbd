extension PredicateBinder {
  /// Returns `location == nil`, or `location == %@` with a dictionary, as a combination of one comparison per element.
  ///
  /// - Returns: Nil unless `==` or `!=` compares a composite attribute, on the left, with a constant.
  package func compositeComparison(_ comparison: NSComparisonPredicate) throws -> BoundPredicate? {
    guard case .keyPath(let path) = comparison.leftExpression.node,
      let composite = composite(at: path),
      let constant = try constantValue(comparison.rightExpression)
    else { return nil }
    let type = comparison.predicateOperatorType
    guard type == .equalTo || type == .notEqualTo else { return nil }
    let parts = try composite.values(of: constant.value).map { element, value in
      try bind(
        NSComparisonPredicate(
          leftExpression: NSExpression(forKeyPath: ([path] + element.keys).joined(separator: ".")),
          rightExpression: NSExpression(forConstantValue: value), modifier: .direct, type: type,
          options: comparison.options))
    }
    return type == .equalTo ? .and(parts) : .or(parts)
  }

  /// Returns the composite attribute at the end of a key path of to-one relationships.
  private func composite(at path: String) -> CompositeValue? {
    var layout = root
    let keys = path.split(separator: ".")
    for key in keys.dropLast() {
      guard let slot = layout.slot(named: String(key)), slot.kind == .toOne,
        let destination = slot.relationship?.destination
      else { return nil }
      layout = destination
    }
    guard let slot = keys.last.flatMap({ layout.slot(named: String($0)) }),
      slot.kind == .composite, !slot.isTransient
    else { return nil }
    return CompositeValue(slot, in: layout)
  }
}

extension PropertySlot {
  /// Returns whether a composite attribute contains another composite attribute with a name: `place.location` has the
  /// element `place.location.latitude`.
  package func hasElements(below name: String, in layout: EntityLayout) -> Bool {
    elements.contains { layout.slots[$0].name.hasPrefix(name + ".") }
  }
}
