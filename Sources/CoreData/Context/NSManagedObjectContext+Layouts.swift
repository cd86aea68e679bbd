extension NSManagedObjectContext {
  /// The layouts of the coordinator's model.
  final var layouts: ModelLayout? { descent.layouts ?? source?.sourceLayouts }

  /// Returns the single entity that uses a class in this context's model.
  func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    withLayouts { $0.layout(of: type)?.entity }.flatMap { $0 }
      ?? ManagedObjectClasses.entity(of: type)
  }

  /// Returns the layout of an entity in this context's model. An entity of another model, such as a copy, is looked up
  /// by its name. If the context's model has no such entity, returns the layout in the entity's own model; nil if the
  /// entity belongs to no model.
  final func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let found = withLayouts({ $0.layout(of: entity) }) { return found }
    return EntityLayout.of(entity)
  }

  /// Assigns the layout of this context's model to an object without a context, which may have been created with an
  /// entity of another copy of the model.
  ///
  /// Stops the program if this context's model does not have the same version of the entity.
  @inline(__always)
  final func translateLayout(of object: NSManagedObject) {
    if withLayouts({ $0 !== object.layout.model }) == true { adoptOwnLayout(of: object) }
  }

  @inline(never)
  private func adoptOwnLayout(of object: NSManagedObject) {
    guard let own = withLayouts({ $0.layout(named: object.layout.name) }).flatMap({ $0 }),
      own.hasSameProperties(as: object.layout)
    else {
      stopProgram(
        "cannot insert \(object.ownID): the model of this context has no equal entity"
          + " '\(object.layout.name)'. Create the object with an entity of this context's model")
    }
    object.adopt(own)
  }

  @inline(__always)
  private func withLayouts<Result>(_ body: (ModelLayout) -> Result) -> Result? {
    // `descent.layouts` keeps the layouts alive during the call.
    if let layouts = descent.unretainedLayouts { return layouts._withUnsafeGuaranteedRef(body) }
    return source?.sourceLayouts.map(body)
  }
}
