extension NSManagedObjectContext {
  /// The layouts of the coordinator's model.
  final var layouts: ModelLayout? { descent.layouts ?? source?.sourceLayouts }

  /// Returns the first entity that uses a class in this context's model, or else in the models in use. Stops the
  /// program if there is none.
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

  /// Stops the program if an object without a context cannot be saved with this context's model. The object may have
  /// been created with an entity of another copy of the model; stores find tables by the entity's place in its model.
  @inline(__always)
  final func requireEqualLayout(of object: NSManagedObject) {
    if withLayouts({ $0 !== object.layout.model }) == true { compareLayout(of: object) }
  }

  @inline(never)
  private func compareLayout(of object: NSManagedObject) {
    let isEqual = withLayouts { own in
      own.layout(named: object.layout.name)?.hasSameProperties(as: object.layout) == true
        && own.entities.map(\.name) == object.layout.model.entities.map(\.name)
    }
    if isEqual == true { return }
    stopProgram(
      "cannot insert \(object.ownID): the model of this context has no equal entity"
        + " '\(object.layout.name)', or its entities have another order. Create the object with an"
        + " entity of this context's model")
  }

  @inline(__always)
  private func withLayouts<Result>(_ body: (ModelLayout) -> Result) -> Result? {
    // `descent.layouts` keeps the layouts alive during the call.
    if let layouts = descent.unretainedLayouts { return layouts._withUnsafeGuaranteedRef(body) }
    return source?.sourceLayouts.map(body)
  }
}
