extension NSManagedObjectContext {
  /// The layouts of the coordinator's model.
  final var layouts: ModelLayout? { descent.layouts ?? source?.sourceLayouts }

  /// Returns the single entity that uses a class in this context's model.
  func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    withLayouts { $0.layout(of: type)?.entity }.flatMap { $0 }
      ?? ManagedObjectClasses.entity(of: type)
  }

  /// Returns the layout of an entity of this context's model, or of an equal entity of a copy of
  /// the model; nil for an entity without a model while the context has none.
  final func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let found = withLayouts({ $0.layout(of: entity) }) { return found }
    return EntityLayout.of(entity)
  }

  @inline(__always)
  private func withLayouts<Result>(_ body: (ModelLayout) -> Result) -> Result? {
    // `descent.layouts` keeps them alive meanwhile.
    if let layouts = descent.unretainedLayouts { return layouts._withUnsafeGuaranteedRef(body) }
    return source?.sourceLayouts.map(body)
  }
}
